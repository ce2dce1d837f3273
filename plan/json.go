package plan

import (
	"bytes"
	"encoding/json"

	"github.com/fermata-go/fermata/node"
)

// JSON gives the plan as an indented document for tools: all of it but its functions. Edges to nodes have "to", edges
// to END "end": true, and edges that stop the run "stop": true. Nodes and edges are in declared order.
func (p *Plan) JSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(p.document("")); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// MarshalJSON makes a plan part of other documents. See [Plan.JSON].
func (p *Plan) MarshalJSON() ([]byte, error) { return json.Marshal(p.document("")) }

type planDocument struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Doc     string `json:"doc,omitempty"`

	Presentation json.RawMessage `json:"presentation,omitempty"`

	Fingerprint string          `json:"fingerprint"`
	Entry       []string        `json:"entry"`
	Nodes       []nodeDocument  `json:"nodes"`
	Edges       []edgeDocument  `json:"edges"`
	Limits      limitsDocument  `json:"limits,omitzero"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
	Inputs      []Port          `json:"inputs,omitempty"`  // of a dataflow: what a run is given
	Outputs     []Port          `json:"outputs,omitempty"` // and what it brings
	Loops       []loopDocument  `json:"loops,omitempty"`
}

type loopDocument struct {
	Head  string         `json:"head"`
	Nodes []string       `json:"nodes"`
	Inner []loopDocument `json:"inner,omitempty"`
}

// nodeDocument is a node in the JSON of a plan.
//
// One struct: its JSON has no nesting.
type nodeDocument struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Kind Kind   `json:"kind"`

	Presentation json.RawMessage `json:"presentation,omitempty"`

	Gate      bool          `json:"gate,omitempty"`
	Doc       string        `json:"doc,omitempty"`
	Version   string        `json:"version,omitempty"`
	Retry     retryDocument `json:"retry,omitzero"`
	TimeoutMS int64         `json:"timeout_ms,omitempty"`
	IdleMS    int64         `json:"idle_ms,omitempty"`
	Pool      string        `json:"pool,omitempty"`
	PoolKeyed bool          `json:"pool_keyed,omitempty"` // the pool's limits are those of each key
	Cache     cacheDocument `json:"cache,omitzero"`
	Join      Join          `json:"join,omitempty"`    // all, each
	Several   bool          `json:"several,omitempty"` // a gate that chooses several
	Map       *mapDocument  `json:"map,omitempty"`     // the subgraph runs once for each item
	Sub       *planDocument `json:"sub,omitempty"`
	Reads     []Port        `json:"reads,omitempty"` // of a dataflow
	Writes    []Port        `json:"writes,omitempty"`
}

type mapDocument struct {
	Limit int  `json:"limit,omitempty"` // how many items may be at work at once; 0 does not limit
	Keep  bool `json:"keep,omitempty"`  // failed items are kept among the results
}

type limitsDocument struct {
	Tasks  int   `json:"tasks,omitempty"`
	TimeMS int64 `json:"time_ms,omitempty"`
	Tokens int64 `json:"tokens,omitempty"`
	Cost   int64 `json:"cost_microdollars,omitempty"`
	// WithinMS is after how many milliseconds a run expires, waiting included.
	WithinMS int64 `json:"within_ms,omitempty"`
}

type edgeDocument struct {
	From  string   `json:"from"`
	To    string   `json:"to,omitempty"`
	End   bool     `json:"end,omitempty"`
	Stop  bool     `json:"stop,omitempty"`
	Kind  EdgeKind `json:"kind"`
	Label string   `json:"label,omitempty"`
}

func loopDocuments(loops []Loop) []loopDocument {
	var all []loopDocument
	for _, l := range loops {
		all = append(all, loopDocument{l.Head, l.Nodes, loopDocuments(l.Inner)})
	}
	return all
}

func (p *Plan) document(prefix string) *planDocument {
	d := &planDocument{
		Name: p.def.Name, Version: p.def.Version, Kind: p.def.Kind, Doc: p.def.Doc, Fingerprint: p.fingerprint,
		Entry: p.def.Entry, Nodes: make([]nodeDocument, len(p.def.Nodes)), Edges: make([]edgeDocument, len(p.def.Edges)),
		Limits: limitsDocument{p.def.Limits.Tasks, p.def.Limits.Time.Milliseconds(), p.def.Limits.Tokens, p.def.Limits.Cost, p.def.Limits.Within.Milliseconds()},
		Input:  p.def.Input, Output: p.def.Output, Presentation: p.def.Presentation,
	}
	if p.def.Dataflow != nil {
		d.Inputs, d.Outputs, d.Loops = p.def.Dataflow.Inputs, p.def.Dataflow.result.Outputs, loopDocuments(p.Loops())
	}
	for i := range p.def.Nodes {
		n := &p.def.Nodes[i]
		d.Nodes[i] = nodeDocument{
			Name: n.Name, Path: prefix + n.Name, Kind: n.Kind, Gate: n.Gate(), Doc: n.Doc, Version: n.Version,
			Presentation: n.Presentation,
		}
		for _, p := range policies {
			p.document(n, &d.Nodes[i])
		}
		d.Nodes[i].Join, d.Nodes[i].Several = n.Join, n.RouteMany != nil
		if n.Flow != nil {
			d.Nodes[i].Reads, d.Nodes[i].Writes = n.Flow.Inputs, n.Flow.Outputs
		}
		if n.Map != nil {
			d.Nodes[i].Map = &mapDocument{n.Map.Limit, n.Map.Keep}
		}
		if n.Sub != nil {
			d.Nodes[i].Sub = n.Sub.document(prefix + n.Name + "/")
		}
	}
	for i, e := range p.def.Edges {
		d.Edges[i] = edgeDocument{From: e.From, Kind: e.Kind, Label: e.Label}
		switch e.To {
		case node.End:
			d.Edges[i].End = true
		case node.Stop:
			d.Edges[i].Stop = true
		default:
			d.Edges[i].To = e.To
		}
	}
	return d
}
