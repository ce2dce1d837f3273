package plan

import (
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// sketch is what Mermaid, DOT and SVG show of one plan, in the order in which they show it: the start, the inputs, the
// nodes, END and STOP, the results, and the edges. Each writes it in its own language.
type sketch struct {
	picture *picture // of a dataflow; nil for control graphs, which have a start instead of inputs
	nodes   []*Node
	end     bool // END is drawn
	stop    bool // STOP is drawn
	strokes []stroke
}

// stroke is an edge of a sketch.
type stroke struct {
	from, to string // names of nodes, node.End, node.Stop, or one of the marks below
	kind     EdgeKind
	thick    bool     // a branch that runs beside others begins with it
	back     bool     // of a dataflow: it leads to the next round
	chosen   bool     // of a dataflow: a gate chooses it
	outside  bool     // of a dataflow: it leads from an input, or to a result
	lines    []string // written on it
}

// Marks that are no nodes. No name holds a slash.
const (
	startMark  = "/start"
	inputMark  = "/in_" // and the number of the input
	resultMark = "/out_"
)

// sketches makes the sketch of each plan once.
type sketches map[*Plan]*sketch

func (all sketches) of(p *Plan) *sketch {
	s := all[p]
	if s == nil {
		s = &sketch{}
		if all[p] = s; p.def.Dataflow != nil {
			s.flow(p)
		} else {
			s.control(p)
		}
	}
	return s
}

func (s *sketch) control(p *Plan) {
	edges := drawnEdges(p)
	branch := parallel(p, edges)
	for i := range p.def.Nodes {
		s.nodes = append(s.nodes, &p.def.Nodes[i])
	}
	s.end, s.stop = hasTarget(edges, node.End), hasTarget(edges, node.Stop)
	for _, name := range p.def.Entry {
		s.strokes = append(s.strokes, stroke{from: startMark, to: name, thick: len(p.def.Entry) > 1})
	}
	for _, e := range edges {
		s.strokes = append(s.strokes, stroke{from: e.From, to: e.To, kind: e.Kind, thick: branch(e), lines: captions(e)})
	}
}

func (s *sketch) flow(p *Plan) {
	pic := newPicture(p)
	s.picture = pic
	for _, v := range pic.order {
		s.nodes = append(s.nodes, &p.def.Nodes[v])
	}
	s.end, s.stop = pic.leadsTo(node.End), pic.leadsTo(node.Stop)
	for i, in := range pic.inputs {
		for _, v := range in.nodes {
			s.strokes = append(s.strokes, stroke{from: inputMark + strconv.Itoa(i), to: pic.name(v), outside: true})
		}
	}
	for _, j := range pic.joints() {
		s.strokes = append(s.strokes, stroke{from: pic.name(j.from), to: pic.name(j.to), kind: Data, back: j.back, lines: j.text()})
	}
	for _, v := range pic.order {
		for _, d := range pic.choices[v] {
			s.strokes = append(s.strokes, stroke{
				from: d.From, to: d.To, kind: d.Kind, thick: d.many, back: d.back, chosen: d.Kind == Choice, lines: captions(d.Edge),
			})
		}
	}
	for i, out := range pic.results {
		to := resultMark + strconv.Itoa(i)
		if out.end {
			s.strokes = append(s.strokes, stroke{from: node.End, to: to, outside: true})
		}
		for _, v := range out.nodes {
			s.strokes = append(s.strokes, stroke{from: pic.name(v), to: to, outside: true})
		}
	}
}

// pills are the inputs and the results of a dataflow.
func (s *sketch) pills() (inputs, results []pill) {
	if s.picture == nil {
		return nil, nil
	}
	return s.picture.inputs, s.picture.results
}

// captions is what is written on an edge, in lines.
func captions(e Edge) []string {
	if text := caption(e); text != "" {
		return []string{text}
	}
	return nil
}

// isClosed reports whether a node lies before the entries of a dataflow; its border is dashed.
func (d Drawing) isClosed(path string) bool {
	at := &d.Plan.flat[d.Plan.index[path]]
	flow := at.Owner.def.Dataflow
	return flow != nil && flow.closed[at.Local]
}

// id names a node, or a mark of the scope, in Mermaid and DOT.
func (d Drawing) id(prefix, name, mark string) string {
	switch {
	case name == node.End:
		return "finish" + mark
	case name == node.Stop:
		return "stop" + mark
	case name == startMark:
		return "start" + mark
	}
	for _, outer := range []string{inputMark, resultMark} {
		if n, ok := strings.CutPrefix(name, outer); ok {
			return strings.Trim(outer, "/_") + mark + "_" + n
		}
	}
	return "n" + strconv.Itoa(d.Plan.index[prefix+name])
}
