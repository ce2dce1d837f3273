package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// The transcripts in testdata are the specification of the fold. Each holds plans, and a script: lines that begin with
// "> " are inputs, and what follows them is what the machine makes of them. After each input the journal so far is
// folded into a new machine, which must be the same as the old one (law J1).
//
//	go test ./internal/machine -run Transcripts -update
//
// writes the outcomes anew; reading the difference is the review.
func TestJ1_Transcripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := golden.Open(t, file)
			s := &session{t: t, plans: make(map[string]*plan.Plan)}
			for name, text := range a.All {
				if name, ok := strings.CutPrefix(name, "plan"); ok {
					name = strings.TrimSpace(name)
					s.plans[name] = s.parsePlan(text, name)
					continue
				}
				s.m, s.journal, s.now = New(s.plans[""]), nil, 0
				a.Compare(t, name, s.play(text))
				if diff := copiedAnywhere(s.m.plan, s.journal); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

// session plays a script against a machine.
type session struct {
	t       testing.TB
	plans   map[string]*plan.Plan
	m       *Machine
	journal []journal.Entry
	now     int64            // microseconds
	joins   map[string]*Join // those that were handed out
}

// parsePlan reads a plan, one edge or setting a line:
//
//	a -> b         a plain edge
//	a -> b, c      a fork
//	a ? b, END     a gate with its choices
//	a ?? b, c      a gate that chooses several
//	j & all        a join: each or all
//	a ! b, c       failure edges
//	a ~ b          a deadline edge
//	a << b         b undoes the tasks of a; with <<< also those without an outcome; with <' its steps
//	in = inner     the node "in" is a subgraph: plan "inner"; "in = inner mapped" has a state of its own
//	m = inner map 2 keep    a map: at most 2 items at once, 0 for any number; failures are kept
//	a              a node, where no line above has named it
//	limit tasks 3, limit time 10s
//
//	entry a, b     where the run starts; without it, at the first node that is named
func (s *session) parsePlan(text, name string) *plan.Plan {
	s.t.Helper()
	def := plan.Definition{Name: "test", Kind: "graph", State: stubCodec{}}
	index := make(map[string]int)
	at := func(name string) *plan.Node {
		if _, ok := index[name]; !ok {
			index[name] = len(def.Nodes)
			def.Nodes = append(def.Nodes, plan.Node{Name: name})
		}
		return &def.Nodes[index[name]]
	}
	for l := range strings.Lines(text) {
		fields := strings.Fields(strings.ReplaceAll(l, ",", " "))
		switch {
		case len(fields) == 0 || fields[0] == "#":
			continue
		case fields[0] == "limit":
			s.limit(&def.Limits, fields[1:])
			continue
		case fields[0] == "entry":
			def.Entry = fields[1:]
			continue
		case len(fields) == 1:
			at(fields[0])
			continue
		}
		from, kind := at(fields[0]), fields[1]
		switch kind {
		case "&":
			from.Join = plan.Join(fields[2])
			continue
		case "=":
			s.subgraph(from, fields[2:])
			continue
		}
		for _, to := range fields[2:] {
			e := plan.Edge{From: fields[0], To: ending(to), Kind: map[string]plan.EdgeKind{
				"->": plan.Plain, "?": plan.Choice, "??": plan.Choice, "!": plan.Failure, "~": plan.Deadline,
				"<<": plan.Undo, "<<<": plan.Undo, "<'": plan.Undo,
			}[kind]}
			if e.To == to {
				at(to)
			}
			def.Edges = append(def.Edges, e)
		}
		from = at(fields[0])
		if undoes, is := map[string]plan.UndoOf{"<<": plan.UndoTask, "<<<": plan.UndoTask, "<'": plan.UndoStep}[kind]; is {
			by := at(fields[2])
			by.Undoes, by.Unfinished = undoes, kind == "<<<"
			by.Run = func(_ node.Context, in any) (any, error) { return in, nil }
		}
		switch {
		case kind == "?":
			from.Route = func(node.Context, any) (string, error) { return "", nil }
		case kind == "??":
			from.RouteMany = func(node.Context, any) ([]string, error) { return nil, nil }
		case kind == "!" && len(fields) > 3:
			from.Catch = func(node.Context, any, error) (string, error) { return "", nil }
		}
	}
	if def.Entry == nil {
		def.Entry = []string{def.Nodes[0].Name}
	}
	p, err := plan.New(def)
	if err != nil {
		s.t.Fatalf("plan %s: %v", name, err)
	}
	return p
}

// subgraph reads the plan of a subgraph, and how it runs.
func (s *session) subgraph(n *plan.Node, fields []string) {
	s.t.Helper()
	if n.Sub = s.plans[fields[0]]; n.Sub == nil {
		s.t.Fatalf("there is no plan %q", fields[0])
	}
	switch {
	case len(fields) == 1:
	case fields[1] == "map":
		n.Map = &plan.Map{
			Split:  func(any) ([]any, error) { return nil, nil },
			Gather: func(any, []plan.Item) (any, error) { return nil, nil },
			Limit:  int(s.number(fields[2])), Keep: len(fields) > 3,
		}
	default:
		n.Out = func(value, _ any) (any, error) { return value, nil }
	}
}

func (s *session) limit(l *plan.Limits, fields []string) {
	s.t.Helper()
	var err error
	switch fields[0] {
	case "tasks":
		l.Tasks, err = strconv.Atoi(fields[1])
	case "time":
		l.Time, err = time.ParseDuration(fields[1])
	case "tokens":
		l.Tokens, err = strconv.ParseInt(fields[1], 10, 64)
	case "cost":
		l.Cost, err = strconv.ParseInt(fields[1], 10, 64)
	default:
		err = fmt.Errorf("there is no limit of %s", fields[0])
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// ending is what a target is called in a plan.
func ending(name string) string {
	switch name {
	case "END":
		return node.End
	case "STOP":
		return node.Stop
	}
	return name
}

func shownTarget(name string) string {
	return strings.NewReplacer(node.End, "END", node.Stop, "STOP").Replace(name)
}

// play runs a script and writes what comes of it.
func (s *session) play(text string) string {
	var out strings.Builder
	gap := ""
	for l := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(l, "\n"), "> ")
		switch {
		case ok:
			fmt.Fprintf(&out, "%s> %s\n%s", gap, command, s.command(command))
			s.checkFold(command)
			gap = "\n"
		case strings.HasPrefix(l, "#"):
			out.WriteString(gap + l)
			gap = ""
		}
	}
	return out.String() + "\n"
}

// checkFold folds the journal anew.
func (s *session) checkFold(command string) {
	s.t.Helper()
	again := New(s.m.plan)
	for i := range s.journal {
		if err := again.Apply(&s.journal[i]); err != nil {
			s.t.Fatalf("after %q the journal does not fold: %v", command, err)
		}
	}
	if wrong := s.m.audit(); wrong != "" {
		s.t.Errorf("after %q the machine has counted wrong (-there is +counted): %s", command, wrong)
	}
	if _, diff := copied(s.m); diff != "" {
		s.t.Errorf("after %q the machine is not what its snapshot is restored to (-machine +restored): %s", command, diff)
	}
	if diff := gocmp.Diff(again.dump(), s.m.dump()); diff != "" {
		s.t.Errorf("after %q the machine is not what its journal folds to (-folded +live):\n%s", command, diff)
	}
}

// words splits a command at spaces; text in quotes is one word.
func words(command string) []string {
	var all []string
	for rest := strings.TrimSpace(command); rest != ""; rest = strings.TrimSpace(rest) {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			text, _ := strconv.Unquote(quoted)
			all, rest = append(all, text), rest[len(quoted):]
			continue
		}
		word, after, _ := strings.Cut(rest, " ")
		all, rest = append(all, word), after
	}
	return all
}

// arguments are the words of a command behind its subject: "within 10s" by name.
type arguments map[string]string

func (s *session) arguments(all []string) arguments {
	a := make(arguments)
	for i := 0; i < len(all); i++ {
		switch word := all[i]; word {
		case "->", "=", "in", "code", "attempt", "within", "default", "route", "escalate", "by", "role", "digest", "base", "to", "op",
			"flags", "value", "body", "seq", "at", "limit", "reason", "fingerprint", "up", "took":
			if i++; i == len(all) {
				s.t.Fatalf("%q needs a value", word)
			}
			a[word] = all[i]
		default:
			a["text"] = word
		}
	}
	return a
}

func (s *session) duration(text string) int64 {
	s.t.Helper()
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return d.Microseconds()
}

func (s *session) number(text string) uint64 {
	s.t.Helper()
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func cutVisit(id string) (path, visit string) {
	at := strings.LastIndexByte(id, '#')
	return id[:at], id[at+1:]
}

// task finds a task by its id: "in/x#1".
func (s *session) task(id string) *Task {
	s.t.Helper()
	path, visit := cutVisit(id)
	t := s.m.Task(path, uint32(s.number(visit)))
	if t == nil {
		s.t.Fatalf("task %s is not open", id)
	}
	return t
}

// command does one thing and says what came of it.
func (s *session) command(text string) string {
	all := words(text)
	verb, all := all[0], all[1:]
	switch {
	case strings.HasPrefix(verb, "+"): // time goes on
		s.now += s.duration(verb[1:])
		return ""
	case verb == "state":
		return s.m.brief()
	case verb == "journal":
		return s.lines(s.journal)
	case verb == "replan" || verb == "crash": // another process reads the journal, perhaps with another plan
		s.joins = nil
	}
	switch {
	case verb == "crash":
		s.m = s.fold(s.m.plan)
		return s.next(nil)
	case verb == "replan":
		s.m = s.fold(s.plans[all[0]])
		if fits := s.m.Fits(); fits != "" {
			return "does not fit: " + fits + "\n"
		}
		return s.next(nil)
	case verb == "due":
		return s.due()
	case verb == "apply" || verb == "refuse":
		return s.apply(verb, all)
	case verb == "cut":
		return s.cut(all)
	case verb == "next":
		return s.next(nil)
	}
	return s.input(verb, all)
}

func (s *session) fold(p *plan.Plan) *Machine {
	s.t.Helper()
	m := New(p)
	for i := range s.journal {
		if err := m.Apply(&s.journal[i]); err != nil {
			s.t.Fatalf("the journal does not fold: %v", err)
		}
	}
	return m
}

func (s *session) due() string {
	text := "nothing is due"
	if due := s.m.Due(); due != math.MaxInt64 {
		text = "due at " + clock(due)
	}
	if left := s.m.TimeLeft(); left != math.MaxInt64 {
		text += ", time left " + time.Duration(left*1000).String()
	}
	if s.m.Underway() {
		text += ", under way"
	}
	return text + "\n"
}

// next says what follows, and takes it into the journal.
func (s *session) next(err error) string {
	if err != nil {
		s.m.Flush()
		return "refused: " + err.Error() + "\n"
	}
	work, err := s.m.Next(s.now)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	b.WriteString(s.lines(work.Append))
	s.take(work.Append)
	for _, start := range work.Start {
		b.WriteString(s.start(start) + "\n")
	}
	switch {
	case work.Complete:
		fmt.Fprintf(&b, "complete with %s\n", shownJoin(s.m.Ending(nil)))
	case work.Idle:
		b.WriteString("idle\n")
	}
	return b.String()
}

// start says what is handed out.
func (s *session) start(start Start) string {
	switch start.Do {
	case Merge:
		var name string
		if start.Task != nil {
			name = s.m.TaskID(start.Task)
		} else {
			name = s.m.pathOf(start.Join.scope.space, start.Join.at)
		}
		if s.joins == nil {
			s.joins = make(map[string]*Join)
		}
		s.joins[name] = start.Join
		return "merge " + name + ": " + shownJoin(start.Join)
	case Fail:
		return "fail " + s.m.TaskID(start.Task) + " because of " + s.m.TaskID(start.Leaf)
	case Enter:
		return "enter " + s.m.TaskID(start.Task)
	case Leave:
		if start.Task.items == nil {
			j := s.m.Ending(start.Task)
			if len(j.Steps) == 0 {
				return "leave " + s.m.TaskID(start.Task)
			}
			return "leave " + s.m.TaskID(start.Task) + " with " + shownJoin(j)
		}
		var items []string
		for _, it := range s.m.Items(start.Task) {
			if it.Join != nil {
				items = append(items, shownJoin(it.Join))
			} else {
				items = append(items, fmt.Sprintf("the error %q", it.Failure.Error))
			}
		}
		return "leave " + s.m.TaskID(start.Task) + " with " + strings.Join(items, ", ")
	}
	return "run " + s.m.TaskID(start.Task)
}

// shownJoin says how values come together: "5 (b) and 7 (c) against 3".
func shownJoin(j *Join) string {
	if len(j.Steps) == 0 {
		return fmt.Sprintf("the value of %d", j.From[0])
	}
	var steps []string
	for i, step := range j.Steps {
		var inputs []string
		for k, in := range step.Inputs {
			value := "that"
			switch {
			case in >= 0:
				value = strconv.FormatUint(j.From[in], 10)
			case in != -i:
				value = fmt.Sprintf("that of step %d", -in)
			}
			inputs = append(inputs, fmt.Sprintf("%s (%s)", value, step.Names[k]))
		}
		steps = append(steps, fmt.Sprintf("%s against %d", strings.Join(inputs, " and "), step.Base))
	}
	return strings.Join(steps, ", then ")
}

// record takes the entries that a task records while it runs.
func (s *session) record(err error) string {
	if err != nil {
		s.m.Flush()
		return "refused: " + err.Error() + "\n"
	}
	entries := s.m.Flush()
	text := s.lines(entries)
	s.take(entries)
	return text
}

// take appends entries to the journal, as a store does: it keeps nothing of the machine's memory.
func (s *session) take(entries []journal.Entry) {
	for _, e := range entries {
		if e.Seq != uint64(len(s.journal))+1 {
			s.t.Errorf("entry %d has seq %d", len(s.journal)+1, e.Seq)
		}
		e.Value, e.Body = bytes.Clone(e.Value), bytes.Clone(e.Body)
		s.journal = append(s.journal, e)
	}
}

// lines show entries.
func (s *session) lines(entries []journal.Entry) string {
	var b strings.Builder
	for i := range entries {
		e := &entries[i]
		task := ""
		if e.Node != "" {
			task = nodehost.TaskID(e.Node, int(e.Visit))
		}
		base := ""
		if e.Base > 0 {
			base = strconv.FormatUint(e.Base, 10)
		}
		attempt := ""
		if e.Attempt > 1 {
			attempt = strconv.Itoa(int(e.Attempt))
		}
		fmt.Fprintf(&b, "%3d %s\n", e.Seq, facts(strings.TrimSpace(e.Kind.String()+" "+task), "at", clock(e.At), "attempt", attempt, "op", e.Op,
			"to", shownTarget(e.To), "of", base, "flags", flags(e.Flags), "value", string(e.Value), "body", s.body(e)))
	}
	return b.String()
}

// body shows an entry's body, the fingerprint of the plan aside.
func (s *session) body(e *journal.Entry) string {
	if len(e.Body) == 0 {
		return ""
	}
	text := string(e.Body)
	for _, name := range slices.Sorted(maps.Keys(s.plans)) { // plans that differ in their limits alone have one fingerprint
		text = strings.ReplaceAll(text, s.plans[name].Fingerprint(), "(plan "+name+")")
	}
	return strings.ReplaceAll(text, "(plan )", "(plan)")
}

func flags(f uint8) string {
	var all []string
	for i, name := range []string{"final", "catch", "expired", "base", "item"} {
		if f&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, "+")
}

func valueOf(a arguments) Value {
	text, ok := a["="]
	switch {
	case !ok:
		return Value{}
	case a["base"] != "":
		n, _ := strconv.ParseUint(a["base"], 10, 64)
		return Value{Changed: true, Delta: true, Base: n, Data: []byte(text)}
	}
	return Value{Changed: true, Data: []byte(text)}
}

func rawJSON(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}
