package fermatatest

import "github.com/fermata-go/fermata/internal/nodehost"

// Changed implements [nodehost.ChangeHost].
func (h *host) Changed(pass uint64, name string) (bool, error) {
	if err := h.enter(pass); err != nil {
		return false, err
	}
	defer h.mu.Unlock()
	id := string(nodehost.KindChanged) + ":" + name + "#1"
	changed, asked := h.changes[name]
	if !asked {
		changed = h.find(id) != nil || h.missed(false) == ""
		h.changes[name] = changed
	}
	if changed {
		o := h.record(nodehost.Op{Kind: nodehost.KindChanged, ID: id})
		o.Done, o.Value = true, []byte("true")
	}
	return changed, nil
}

var _ nodehost.ChangeHost = (*host)(nil)
