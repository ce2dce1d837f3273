package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// outlineFormat is the version of the outline's format. Outlines are kept with runs for ever (law J9).
const outlineFormat = 1

// How an outline writes targets that are not nodes. No node's name holds a slash.
const (
	outlineEnd  = "/end"
	outlineStop = "/stop"
)

// outline is what the fingerprint covers. Keys are short, because every run keeps one.
type outline struct {
	Format  int           `json:"f,omitempty"` // of the outermost plan only
	Kind    string        `json:"k,omitempty"` // of the author's package
	Version string        `json:"v,omitempty"` // declared by the author
	Entry   []string      `json:"e"`           // names of the first nodes
	Input   string        `json:"i,omitempty"` // digest of the schema
	Output  string        `json:"o,omitempty"` // digest of the schema
	Nodes   []outlineNode `json:"n"`           // by name
}

type outlineNode struct {
	Name      string   `json:"n"`
	Kind      Kind     `json:"k,omitempty"` // nothing for a task
	Version   string   `json:"v,omitempty"`
	Plain     []string `json:"p,omitempty"` // in declared order: the order of branches
	Choices   []string `json:"c,omitempty"` // by name, like the next two
	Failures  []string `json:"x,omitempty"`
	Deadlines []string `json:"d,omitempty"`
	Undos     []string `json:"u,omitempty"`
	Undoes    UndoOf   `json:"y,omitempty"` // of a node that undoes
	Sub       *outline `json:"s,omitempty"`
	Join      Join     `json:"j,omitempty"`
	Many      bool     `json:"m,omitempty"` // a gate that chooses several
	Map       bool     `json:"l,omitempty"` // its subgraph runs once for each item
	Reads     []string `json:"r,omitempty"` // of a dataflow: values, by name; see ports
	Writes    []string `json:"w,omitempty"`
}

// Fingerprint returns the digest that a run is pinned to (law J8). It has 32 hexadecimal digits and changes when
// [Plan.Outline] does.
//
// It covers the nodes' names, kinds, joins and declared versions, the edges with their kinds, the entry, the plan's kind and
// declared version, and the input and output schemas without their prose, all of it in subgraphs as well; of a dataflow
// also the values that each node reads and writes, with their schemas, and whether they may be missing. It does not
// cover what may change under a run: the plan's name, docs, labels, retries, timeouts, pools, caches, limits, and
// the code itself, for which the declared versions stand.
//
// The order of nodes has no meaning and does not count, nor does the order of choices, failure and deadline edges,
// because a gate names its target, nor that of the values that a node of a dataflow reads and writes. The order of entries,
// of plain edges out of one node and of the choices of a gate that takes several counts: it is the order of a fork's
// branches (law G4). The entries of a dataflow follow from its nodes, and have no order.
func (p *Plan) Fingerprint() string { return p.fingerprint }

// Outline is what the fingerprint covers, as compact JSON for the journal and for [Diff]. The slice is the caller's.
func (p *Plan) Outline() []byte { return slices.Clone(p.outline) }

func (p *Plan) encodeOutline() []byte {
	o := p.outlined()
	o.Format = outlineFormat
	data, err := json.Marshal(o)
	if err != nil {
		panic("plan: an outline holds nothing but strings: " + err.Error())
	}
	return data
}

func fingerprint(outline []byte) string {
	sum := sha256.Sum256(outline)
	return hex.EncodeToString(sum[:16])
}

func (p *Plan) outlined() *outline {
	o := &outline{
		Kind: p.def.Kind, Version: p.def.Version, Entry: p.def.Entry,
		Input: schemaDigest(p.def.Input), Output: schemaDigest(p.def.Output),
		Nodes: make([]outlineNode, len(p.def.Nodes)),
	}
	if p.def.Dataflow != nil {
		o.Entry = slices.Sorted(slices.Values(o.Entry)) // in the order of the nodes, which has no meaning
	}
	at := make(map[string]*outlineNode, len(p.def.Nodes))
	digests := make(map[string]string)
	for i := range p.def.Nodes {
		n := &p.def.Nodes[i]
		o.Nodes[i] = outlineNode{
			Name: n.Name, Kind: n.Kind, Version: n.Version, Join: n.Join, Many: n.RouteMany != nil, Map: n.Map != nil, Undoes: n.Undoes,
		}
		if n.Kind == Task {
			o.Nodes[i].Kind = ""
		}
		if n.Sub != nil {
			o.Nodes[i].Sub = n.Sub.outlined()
		}
		if n.Flow != nil {
			o.Nodes[i].Reads, o.Nodes[i].Writes = ports(n.Flow.Inputs, digests), ports(n.Flow.Outputs, digests)
		}
		at[n.Name] = &o.Nodes[i]
	}
	for _, e := range p.def.Edges {
		at[e.From].add(e)
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		if !n.Many { // there, the order is that of the branches
			slices.Sort(n.Choices)
		}
		slices.Sort(n.Failures)
		slices.Sort(n.Deadlines)
		slices.Sort(n.Undos)
	}
	sort.Slice(o.Nodes, func(i, j int) bool { return o.Nodes[i].Name < o.Nodes[j].Name })
	return o
}

// ports writes values as an outline has them, by name: the name, /? behind it where the value may be missing, and # with the
// digest of its schema where it has one. No name holds a slash or a #. The digests are remembered: many values are of few
// types.
func ports(list []Port, digests map[string]string) []string {
	var all []string
	for _, p := range list {
		digest, ok := digests[string(p.Schema)]
		if !ok {
			if digest = schemaDigest(p.Schema); digest != "" {
				digest = "#" + digest
			}
			digests[string(p.Schema)] = digest
		}
		optional := ""
		if p.Optional {
			optional = "/?"
		}
		all = append(all, p.Name+optional+digest)
	}
	slices.Sort(all)
	return all
}

// readPort reads what ports has written.
func readPort(text string) (name, digest string, optional bool) {
	name, digest, _ = strings.Cut(text, "#")
	name, optional = strings.CutSuffix(name, "/?")
	return name, digest, optional
}

func (n *outlineNode) add(e Edge) {
	to := e.To
	switch to {
	case node.End:
		to = outlineEnd
	case node.Stop:
		to = outlineStop
	}
	switch e.Kind {
	case Plain:
		n.Plain = append(n.Plain, to)
	case Choice:
		n.Choices = append(n.Choices, to)
	case Failure:
		n.Failures = append(n.Failures, to)
	case Deadline:
		n.Deadlines = append(n.Deadlines, to)
	case Undo:
		n.Undos = append(n.Undos, to)
	}
}

// readOutline reads what Outline has written, now or in an earlier release.
func readOutline(data []byte) (*outline, error) {
	var o outline
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decodeOne(decoder, &o); err != nil {
		return nil, fmt.Errorf("not an outline of a plan: %w", err)
	}
	if o.Format != outlineFormat {
		return nil, fmt.Errorf("an outline of format %d; this release reads format %d", o.Format, outlineFormat)
	}
	if name, twice := o.twice(); twice {
		return nil, fmt.Errorf("not an outline of a plan: nodes of one name: %q", name)
	}
	return &o, nil
}

// twice finds a name that two nodes have.
func (o *outline) twice() (string, bool) {
	seen := make(map[string]bool, len(o.Nodes))
	for i := range o.Nodes {
		n := &o.Nodes[i]
		if seen[n.Name] {
			return n.Name, true
		}
		seen[n.Name] = true
		if n.Sub == nil {
			continue
		}
		if name, twice := n.Sub.twice(); twice {
			return name, true
		}
	}
	return "", false
}
