package telemetry

import (
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
)

// around is the step that a call was made inside of, whichever try of it; "" for none.
func around(op string) string { return nodehost.CallUntried(nodehost.CallScope(op)) }

// keyOf is the key of a call: "fee".
func keyOf(op string) string {
	_, key, _ := strings.Cut(op, ":")
	if cut := strings.LastIndex(key, nodehost.Inside); cut >= 0 {
		key = key[cut+len(nodehost.Inside):]
	}
	if cut := strings.LastIndexByte(key, '#'); cut >= 0 {
		key = key[:cut]
	}
	return key
}
