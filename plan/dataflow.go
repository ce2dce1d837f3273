package plan

import "slices"

// Port is a named value that a node of a dataflow reads or writes.
type Port struct {
	Name     string `json:"name"`               // of the value
	Type     string `json:"type,omitempty"`     // for people
	Schema   []byte `json:"-"`                  // JSON Schema of the value; nil for any
	Optional bool   `json:"optional,omitempty"` // of an input: there is something to take when nobody has written it
}

// Flow is a node's part in a dataflow: the values that it reads and writes (laws D1 to D10). It also holds their
// codecs. Its function is given what Gather makes, and returns a record of its outputs.
type Flow struct {
	Inputs  []Port                          // values that the node reads
	Outputs []Port                          // values that the node writes
	Gather  func(slots []Slot) (any, error) // parallel to Inputs; what it makes shares nothing with the slots (law N9)
	Input   Codec                           // of what Gather makes
	Output  Codec                           // of the record of outputs; nil where there are none
}

// Slot is where an input's value comes from.
type Slot struct {
	From  int // the node that wrote it, by its number in the definition; FromRun for an input of the run
	Value any // the record of outputs (or of the run's inputs) that it is in; nil where nobody has written it
}

// FromRun is a Slot's From where the value is an input of the run.
const FromRun = -1

// Result is how the result of a dataflow is made, from the last values that were written.
type Result struct {
	Outputs []Port                          // in declared order
	Gather  func(slots []Slot) (any, error) // parallel to Outputs
	Output  Codec                           // of what Gather makes
	Given   func(input any) []string        // the names of the inputs that are in a run's input
}

// Dataflow is the analysis of a dataflow's definition, made by [Wire]. It holds what each node waits for, where loops
// begin and when their rounds are over (laws D1, D4, D7).
type Dataflow struct {
	Nodes   []Wired
	Names   []string // of all values that are read or written
	Inputs  []Port   // of a run: what no node writes, and what is read before it is written first. Optional where no node needs it
	Wanted  [][]int  // by name: the nodes that need it
	Regions int      // how many there are

	// Concurrency is how many tasks may be at work at once; further ones begin as these end, in declared order. A task that
	// waits counts no more, and neither does a subgraph or a map in which all that has begun waits (law H3).
	Concurrency int

	Results []int // names, in the order of Result.Outputs

	loops []loop // with nodes as in the definition
	carriedArcs
	closed  []bool
	order   []int   // a topological order of the forward edges
	given   []int   // by input: its name
	writers [][]int // by name
	gates   [][]int // by node
	result  Result
}

// carriedArcs are the arcs between nodes.
type carriedArcs struct {
	arcs    []arc
	carries []int // by arc: the name, aChoice or aFailure
}

// Wired is what a dataflow's node waits for. Nodes and names are numbers in Dataflow.Nodes and Dataflow.Names.
type Wired struct {
	In      []int   // names, in the order of Flow.Inputs
	Out     []int   // names, in the order of Flow.Outputs
	Needs   []int   // the names among In that are required, each once
	Next    []int   // the nodes that wait while it is live: along forward edges, each once
	Readers []int   // the nodes that read what it writes along a forward edge, each once
	Gated   bool    // a forward gate controls it, or it handles failures (laws D5 and D14)
	Closed  bool    // it does not open by itself: the run begins behind it (law D10)
	Targets []Aimed // where a gate's decisions lead, and a node's failure (law D14); END aside
	Region  int     // whose rounds it holds up; -1 for none (law D7)
}

// Aimed is a target of a gate, or the handler of a node's failure.
type Aimed struct {
	Name    string // as the gate names it
	To      int
	Failure bool // the failure of the node leads there, and no decision (law D14)
	Back    bool // the decision waits for the end of a round
	Depth   int  // of a decision that leads back: how many loops are around that loop
}

// Dataflow is the analysis of the plan, nil unless it is a dataflow.
func (p *Plan) Dataflow() *Dataflow { return p.def.Dataflow }

// Keeps returns the codec of a dataflow node's output, by the node's number. FromRun is the number of the inputs.
func (p *Plan) Keeps(from int) Codec {
	if from < 0 {
		return p.def.State
	}
	return p.def.Nodes[from].Flow.Output
}

// Result is how the plan's result is made, where it is a dataflow. It is nil for other plans: their result is a value as
// State keeps it.
func (p *Plan) Result() *Result {
	if p.def.Dataflow == nil {
		return nil
	}
	return &p.def.Dataflow.result
}

// heads calls do with every loop, the outer ones first, and how many loops are around it.
func (d *Dataflow) heads(loops []loop, do func(l *loop, depth int), depth int) {
	for i := range loops {
		do(&loops[i], depth)
		d.heads(loops[i].inner, do, depth+1)
	}
}

// Without returns the analysis without some of the inputs: nobody can give them.
func (d *Dataflow) Without(inputs ...string) *Dataflow {
	c := *d
	c.Inputs, c.given = nil, nil
	for i, p := range d.Inputs {
		if !slices.Contains(inputs, p.Name) {
			c.Inputs, c.given = append(c.Inputs, p), append(c.given, d.given[i])
		}
	}
	return &c
}

// WithResult returns the analysis with how a result is made.
func (d *Dataflow) WithResult(r Result) *Dataflow {
	c := *d
	c.result, c.Results = r, nil
	numbers := make(map[string]int, len(d.Names))
	for n, name := range d.Names {
		numbers[name] = n
	}
	for _, p := range r.Outputs {
		c.Results = append(c.Results, numbers[p.Name])
	}
	return &c
}

// Writers calls do with every node that writes a value, until it returns false.
func (d *Dataflow) Writers(name int, do func(v int) bool) {
	for _, v := range d.writers[name] {
		if !do(v) {
			return
		}
	}
}

// Gates calls do with every gate that controls a node along a forward edge, until it returns false. A node whose failures the node
// handles is such a gate (law D14).
func (d *Dataflow) Gates(v int, do func(gate int) bool) {
	for _, gate := range d.gates[v] {
		if !do(gate) {
			return
		}
	}
}

// Input is the name of an input.
func (d *Dataflow) Input(i int) (name int) { return d.given[i] }

// Order lists the nodes so that each comes behind all that it waits for. Do not change it.
func (d *Dataflow) Order() []int { return d.order }

// edge is the edge of an arc.
func (d *Dataflow) edge(def *Definition, i int) Edge {
	e := Edge{From: def.Nodes[d.arcs[i].from].Name, To: def.Nodes[d.arcs[i].to].Name, Kind: Choice}
	switch name := d.carries[i]; {
	case name >= 0:
		e.Kind, e.Label = Data, d.Names[name]
	case name == aFailure:
		e.Kind = Failure
	}
	return e
}

// draw replaces the definition's edges and entries by those that follow from reads and writes.
func (d *Dataflow) draw(def *Definition) {
	def.Edges = slices.DeleteFunc(def.Edges, func(e Edge) bool { return e.Kind == Data })
	for i := range d.arcs {
		if d.carries[i] >= 0 {
			def.Edges = append(def.Edges, d.edge(def, i))
		}
	}
	behind := make([]bool, len(d.Nodes))
	for v := range d.Nodes {
		if d.closed[v] {
			continue // what lies before an entry holds up nothing at first
		}
		for _, to := range d.Nodes[v].Next {
			behind[to] = true
		}
	}
	def.Entry = nil
	for v := range d.Nodes {
		if !behind[v] && !d.closed[v] {
			def.Entry = append(def.Entry, def.Nodes[v].Name)
		}
	}
}
