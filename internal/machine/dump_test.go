package machine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// dump writes all that the fold has made of a journal: two machines with the same dump are the same (law J1). What is
// not in it is not part of the fold: what Next has handed out, and what waits to be appended.
func (m *Machine) dump() string {
	d := &dumper{m: m, all: true}
	d.write()
	return d.b.String()
}

// brief is dump without what is of interest to machines only: who else refers to a value, and which entries made what.
// later is the time of the latest entry, "" where that is the one that a driver wrote last.
func later(m *Machine) string {
	if m.latest == m.at {
		return ""
	}
	return clock(m.latest)
}

func (m *Machine) brief() string {
	d := &dumper{m: m}
	d.write()
	return d.b.String()
}

type dumper struct {
	m     *Machine
	all   bool
	b     strings.Builder
	forks []*fork
}

// only is a number that the dump of all has, and 0 in others.
func (d *dumper) only(n int) int {
	if d.all {
		return n
	}
	return 0
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

func (d *dumper) write() {
	m := d.m
	d.line("%s", facts(
		or(m.status, "new"), "head", m.head, "at", clock(m.at), "latest", later(m), "active", clock(m.active), "tasks started", m.started, "value", m.value,
		"final", m.final, "ended", m.ended(), "stopped", m.stopped, "because", m.reason, "lost", m.lost,
	))
	if n, last := m.Takeovers(); n > 0 {
		d.line("takeovers %s", facts("", "n", n, "last", last))
	}
	if b, at := m.Blocked(); b.Code != "" {
		d.line("blocked %s", facts(b.Code, "at", at, "task", b.Task, "tasks", len(b.Tasks), "takeovers", b.Takeovers, "retry", b.RetryAt, "error", b.Error))
	}
	if m.IsUndoing() || m.Undone() {
		d.line("undoing %s", facts(or(m.end.Status, "no more"), "begun", m.begun, "error", m.end.Error, "undone", len(m.end.Undone), "left", len(m.end.Left)))
	}
	for i := range m.pile {
		if m.pile[i].at < 0 && !d.all { // that of a node which the plan does not have
			continue
		}
		d.line("to be undone: %s", m.pile[i].dump(m))
	}
	if h, at := m.Held(); at != 0 {
		d.line("held %s", facts("", "at", at, "by", h.By, "note", h.Note, "before", h.Before, "after", h.After))
	}
	if m.breaks != nil || len(m.passed) > 0 {
		d.line("breaks %s", facts("", "at", m.breaks, "passed", m.passed, "reached", m.reached))
	}
	if m.finished.Status != "" {
		f := m.finished
		d.line("finished %s", facts(f.Status, "task", f.Task, "limit", f.Limit, "max", f.Max, "code", f.Code, "by", f.By, "reason", f.Reason, "error", f.Error))
	}
	body := m.body
	if body.Fingerprint == m.plan.Fingerprint() {
		body.Fingerprint = ""
	}
	if !reflect.DeepEqual(body, journal.StartedBody{}) {
		d.line("run %s", facts("", "plan", body.Plan, "kind", body.PlanKind, "version", body.PlanVersion, "other plan", body.Fingerprint != "",
			"definition", body.Definition, "by", body.By, "labels", body.Labels, "fork of", origin(body.Fork)))
	}
	d.ended(&m.root, "")
	for i := range m.tokens {
		tok, from := &m.tokens[i], ""
		if tok.fromNode >= 0 && tok.fromVisit > 0 {
			from = nodehost.TaskID(m.pathOf(tok.scope.space, tok.fromNode), int(tok.fromVisit))
			if tok.scope.parent != nil && tok.scope.parent.Node == tok.fromNode {
				from = m.TaskID(tok.scope.parent)
			}
		}
		d.line("token %s", facts("", "to", m.pathOf(tok.scope.space, tok.at), "value", tok.ref, "from", from, "in", m.parentID(tok.scope.parent),
			"branch", d.branch(tok.leaves), "because", cause(tok.cause), "own", d.all && tok.own, "sent by", d.of(tok.via)))
	}
	for _, t := range m.tasks {
		d.task(t)
	}
	for _, q := range m.people.open {
		if len(q.notBy) == 0 && m.Interrupt(q.id) != nil {
			continue // shown as an interrupt
		}
		d.line("asked %s", facts(q.id, "by", q.node, "not by", q.notBy))
	}
	for _, q := range m.people.apart {
		d.line("apart %s", facts(q.node, "first", q.id, "not by", q.notBy))
	}
	for _, s := range m.people.signed {
		d.line("signed %s", facts(s.Node, "by", s.By, "not by", s.notBy))
	}
	for _, q := range m.interrupts {
		d.line("interrupt %s", facts(q.ID+" "+q.State, "of", q.Task, "op", q.Op, "role", q.Role, "claimed by", q.ClaimedBy, "opened", clock(q.Opened),
			"deadline", clock(q.Deadline), "then", atDeadline(q.AtDeadline), "digest", q.Digest, "answer", string(q.Answer), "by", q.AnsweredBy,
			"resolved", clock(q.Resolved), "else", fmt.Sprint(q.Run, q.Kind, string(q.Request), string(q.RequestSchema), string(q.ResponseSchema),
				q.Prompt, strings.Join(q.Options, "|"), q.TokenHash)))
	}
	for _, name := range slices.Sorted(maps.Keys(m.mail.queued)) {
		for _, q := range m.mail.queued[name] {
			d.line("message %s", facts(name, "seq", q.seq, "id", q.body.ID, "by", q.body.By, "at", clock(q.at), "value", string(q.value)))
		}
	}
	if len(m.mail.ids) > 0 {
		d.line("ids of messages %s", strings.Join(slices.Sorted(maps.Keys(m.mail.ids)), " "))
	}
	d.flow(&m.root)
	for _, t := range m.tasks {
		if t.inside != nil {
			d.flow(t.inside)
		}
		for i := range t.items {
			if s := t.items[i].scope; s != nil {
				d.flow(s)
			}
		}
	}
	d.visits()
	for i := 0; i < len(d.forks); i++ { //nolint:intrange // it grows
		f, to := d.forks[i], ""
		for k := range f.to {
			to += " " + or(m.branchName([]leaf{{f, k}}, f), "?")
		}
		d.line("fork %d, of %d, to%s", f.seq, f.base, facts(to, "in", d.branch(f.up)))
	}
}

// flow shows how a dataflow stands.
func (d *dumper) flow(s *scope) {
	f := s.flow
	if f == nil {
		return
	}
	d.line("dataflow %s", facts("", "in", d.m.parentID(s.parent), "item", s.item, "inputs", f.input))
	for name, from := range f.latest {
		if from != nobody {
			d.line("  value %s", facts(f.d.Names[name], "of", f.slot(name).ref))
		}
	}
	for v := range f.nodes {
		n := f.nodes[v]
		n.queued = false // an index
		if n != (flowNode{}) {
			d.line("  node %s", facts(f.title(d.m, v), "wrote", n.ref, "last at", n.ended, "needs", n.missing, "waits for", n.waits, "chosen", n.chosen, "has run", n.ran,
				"has been visited", n.visited, "runs", n.running, "fresh", n.fresh, "live", n.live, "unsettled", n.unsettled, "skipped", f.skips != nil && f.skips[v]))
		}
	}
	for v := range f.brought {
		for i, s := range f.brought[v] {
			if s.ref != 0 {
				d.line("  brought %s", facts("", "by", f.title(d.m, v), "output", i+1, "of", s.ref))
			}
		}
	}
	for _, list := range [][]choice{f.chosen, f.pending} {
		for _, c := range list {
			d.line("  decision %s", facts("", "at", c.seq, "of", f.title(d.m, c.gate), "for", f.title(d.m, c.to), "depth", c.depth))
		}
	}
	for _, g := range f.ghosts {
		d.line("  node %s", facts(d.m.pathOf(s.space, g.at), "wrote", g.ref, "gone", true))
	}
	if len(f.strays) > 0 {
		d.line("  decision for %s", strings.Join(f.strays, " "))
	}
}

// auditFlow compares what is counted as a dataflow goes on with what is counted anew.
func (m *Machine) auditFlow(s *scope) string {
	f := *s.flow
	f.nodes, f.ready, f.work, f.lives = slices.Clone(f.nodes), nil, nil, nil
	f.count()
	was, is := slices.Clone(s.flow.nodes), f.nodes
	for v := range was {
		was[v].queued, is[v].queued = false, false
		if s.flow.mayBegin(v) && !slices.Contains(s.flow.ready, v) {
			return fmt.Sprintf("node %s may begin, and is not in the list", f.title(m, v))
		}
	}
	diff := ""
	if !slices.Equal(is, was) || !slices.Equal(f.lives, s.flow.lives) {
		diff = gocmp.Diff(is, was, gocmp.AllowUnexported(flowNode{})) + gocmp.Diff(f.lives, s.flow.lives)
	}
	if f.live != s.flow.live {
		diff += fmt.Sprintf("%d nodes are live, %d are counted", f.live, s.flow.live)
	}
	return diff
}

func (u *undo) dump(m *Machine) string {
	by := ""
	if u.at >= 0 {
		by = m.pathOf(&m.space, u.at)
	}
	return facts(u.of, "by", by, "of", m.pathOf(&m.space, u.from), "seq", u.seq, "value", u.ref, "result", string(u.value))
}

// of is a number that only machines care for.
func (d *dumper) of(seq uint64) uint64 {
	if !d.all {
		return 0
	}
	return seq
}

func (d *dumper) task(t *Task) {
	m := d.m
	d.line("task %s", facts(m.TaskID(t)+" "+t.State.String(), "attempt", t.Attempt, "value", t.Ref, "result", t.Result, "in", m.parentID(t.Parent()),
		"branch", d.branch(t.leaves), "waits for", t.WaitFor, "left at", t.LastWait, "again at", clock(t.RetryAt), "began as", t.Began, "has failed", t.failed, "was at work", t.atWork,
		"error", t.Error.Error, "code", t.Error.Code, "retryAt", clock(t.Error.RetryAt), "stack", t.Error.Stack, "marks", marks(t.Error.Marks), "because", cause(t.Cause),
		"not merged", d.arrivals(t.taken), "items", t.of, "own", d.all && t.Own, "begun by", d.of(t.ID), "nth", d.only(t.nth), "in a row", d.only(t.inARow)))
	if t.undo != nil {
		d.line("  undoes %s", t.undo.dump(m))
	}
	for _, s := range t.slots {
		d.line("  given %d", s.ref)
	}
	for _, name := range slices.Sorted(maps.Keys(t.unplaced)) {
		d.line("  given %d as %s", t.unplaced[name], name)
	}
	for i := range t.Ops {
		op := &t.Ops[i]
		d.line("  %s", facts(op.ID, "kind", op.Kind, "attempt", op.Attempt, "place", op.Place, "apart", op.Apart, "done", op.Done, "begun", op.Begun, "tries", op.Tries, "value", string(op.Value),
			"failure", op.Failure, "due", clock(op.Due), "asked", op.Interrupt, "digest", op.Digest, "shape", op.Shape, "by", op.By, "at", clock(op.At), "took", used(op.Usage),
			"name", op.Name, "message", op.Message, "letter", op.Letter))
	}
	if t.inside != nil {
		d.ended(t.inside, "  ")
	}
	for i := range t.items {
		it := &t.items[i]
		state := "done"
		switch {
		case i >= t.begun:
			state = "not taken up"
		case it.scope != nil:
			state = "at work"
		case len(it.ends) == 0:
			state = "failed"
		}
		ends := it.ends
		if it.scope != nil {
			ends = it.scope.ends
		}
		d.line("  item %d %s", i+1, facts(state, "value", it.ref, "ended", d.arrivals(ends), "error", it.failure.Error, "code", it.failure.Code,
			"stack", it.failure.Stack))
	}
}

// ended shows the paths of a scope that have ended, where there is more to say than the one value.
func (d *dumper) ended(s *scope, indent string) {
	if d.all || len(s.ends) > 1 || len(s.ends) == 1 && (len(s.ends[0].leaves) > 0 || s.live > 0) {
		d.line(indent+"ended %s", d.arrivals(s.ends))
	}
}

func (d *dumper) arrivals(list []arrival) string {
	var shown []string
	for i := range list {
		text := fmt.Sprint(list[i].ref)
		if b := d.branch(list[i].leaves); b != "" {
			text += " (branch " + b + ")"
		}
		if d.all && list[i].own {
			text += " own"
		}
		shown = append(shown, text)
	}
	return strings.Join(shown, " + ")
}

// branch names the leaves that a token stands for: "4.1" is the first branch of the fork at entry 4.
func (d *dumper) branch(leaves []leaf) string {
	var shown []string
	for _, l := range leaves {
		if !slices.Contains(d.forks, l.of) {
			d.forks = append(d.forks, l.of)
		}
		shown = append(shown, fmt.Sprintf("%d.%d", l.of.seq, l.at+1))
	}
	return strings.Join(shown, "+")
}

func (d *dumper) visits() {
	m := d.m
	var visits []string
	add := func(sp *space) {
		if n := d.only(m.startedIn(sp)); n > 0 {
			visits = append(visits, fmt.Sprintf("%q in a row %d", sp.prefix, n))
		}
		for i, n := range sp.visits {
			if n > 0 {
				visits = append(visits, fmt.Sprintf("%s %d", m.pathOf(sp, i+sp.base), n))
			}
		}
	}
	add(&m.space)
	for _, s := range m.scopes {
		add(s.space)
	}
	if len(visits) > 0 {
		slices.Sort(visits)
		d.line("visits %s", strings.Join(visits, ", "))
	}
	if m.used.all != (journal.Usage{}) {
		d.line("used %s", used(&m.used.all))
		by := m.UsageByNode()
		for _, path := range slices.Sorted(maps.Keys(by)) {
			u := by[path]
			d.line("  by %s: %s", path, used(&u))
		}
	}
}

// audit compares what the machine counts as it goes with what there is.
func (m *Machine) audit() string {
	want := make(map[string]int)
	got := map[string]int{"broken": m.broken, "backoff": m.backoff, "waiting": m.waiting, "busy": m.busy, "maps": m.mapped, "root": m.root.live, "undo": m.undoing.place.live}
	name := func(s *scope) string {
		switch {
		case s == &m.undoing.place:
			return "undo"
		case s.parent == nil:
			return "root"
		case s.item > 0:
			return s.space.prefix
		}
		return m.TaskID(s.parent)
	}
	for i := range m.tokens {
		want[name(m.tokens[i].scope)]++
		if m.tokens[i].busy {
			want["busy"]++
		}
	}
	for _, t := range m.tasks {
		want[name(t.scope)]++
		switch t.State {
		case Broken:
			want["broken"]++
		case Backoff:
			want["backoff"]++
		case Waiting:
			want["waiting"]++
		case Ready, Leaving:
			if !t.busy && !slices.Contains(m.ready, t) {
				return fmt.Sprintf("task %s is %s, and not in the list of those that are looked at", m.TaskID(t), t.State)
			}
		case Inside, Choosing:
		}
		if t.busy {
			want["busy"]++
		}
		if t.inside != nil {
			got[m.TaskID(t)] = t.inside.live
		}
		if t.begun < t.of {
			want["maps"]++
		}
		active := 0
		for i := range t.items {
			if s := t.items[i].scope; s != nil {
				active++
				if got[s.space.prefix] = s.live; m.scopes[s.space.prefix] != s {
					return "item " + s.space.prefix + " is not known by its name"
				}
			}
		}
		if active != t.active || t.begun-active != t.over {
			return fmt.Sprintf("task %s has %d items at work and %d over, and counts %d and %d", m.TaskID(t), active, t.begun-active, t.active, t.over)
		}
	}
	if faults := m.auditFlows(); faults != "" {
		return faults
	}
	for _, counts := range []map[string]int{got, want} {
		maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	}
	return gocmp.Diff(want, got)
}

func (m *Machine) auditFlows() (faults string) {
	m.eachFlow(func(s *scope) bool {
		faults = m.auditFlow(s)
		return faults != ""
	})
	return faults
}

// facts writes names and values, those aside that are zero.
func facts(first string, pairs ...any) string {
	var parts []string
	if first != "" {
		parts = append(parts, first)
	}
	for i := 0; i < len(pairs); i += 2 {
		name, value := pairs[i].(string), pairs[i+1]
		switch v := reflect.ValueOf(value); {
		case v.IsZero() || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0:
		case v.Kind() == reflect.Bool:
			parts = append(parts, name)
		case name == "error" || name == "failure":
			parts = append(parts, fmt.Sprintf("%s %q", name, value))
		default:
			parts = append(parts, fmt.Sprintf("%s %v", name, value))
		}
	}
	return strings.Join(parts, ", ")
}

func used(u *journal.Usage) string {
	if u == nil {
		return ""
	}
	return facts("", "calls", u.Calls, "in", u.Input, "out", u.Output, "cached", u.Cached, "reasoning", u.Reasoning,
		"cost", u.Cost, "unpriced", u.Unpriced, "uncounted", u.Uncounted)
}

func or(s, otherwise string) string { return cmp.Or(s, otherwise) }

// clock shows a time of these tests: how long after their beginning.
func clock(micros int64) string {
	if micros == 0 {
		return ""
	}
	return time.Duration(micros * 1000).String()
}

func cause(c *nodehost.Failure) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%s: %s", c.Task, c.Message)
	if m := marks(&journal.Marks{Kinds: c.Kinds, Details: c.Details}); m != "" {
		text += " " + m
	}
	return text
}

func marks(m *journal.Marks) string {
	if m == nil || len(m.Kinds)+len(m.Details) == 0 {
		return ""
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func origin(o *journal.Origin) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("%s at %d", o.Run, o.Seq)
}

func atDeadline(d *journal.Deadline) string {
	if d == nil {
		return ""
	}
	text := d.Do
	for _, part := range []string{string(d.Answer), d.Target, d.Role, clock(d.Within)} {
		if part != "" {
			text += " " + part
		}
	}
	if d.Then != nil {
		text += " then " + atDeadline(d.Then)
	}
	return text
}

func (m *Machine) parentID(t *Task) string {
	if t == nil {
		return ""
	}
	return m.TaskID(t)
}

// A dump without a field would find different machines equal. A new field goes into the dump, or into the list of those
// that are not part of the fold.
func TestJ1_TheDumpShowsAllOfTheFold(t *testing.T) {
	notFolded := map[string]string{
		"Machine.plan": "given", "Machine.most": "given", "Machine.mostInARow": "given", "Machine.pauses": "a mark", "space.pauses": "a mark", "Machine.unread": "given", "Machine.flat": "given",
		"Machine.stops": "follows from breaks", "Machine.ghosts": "an index of names", "Machine.names": "shown by their paths", "Machine.scopes": "an index of names",
		"Machine.free": "memory to be used again", "Machine.room": "memory", "Machine.closed": "for the projections of the next append",
		"Machine.place": "audited", "Machine.dropped": "for the projections of the next append", "Machine.ready": "an index of tasks", "Machine.spare": "memory to be used again", "Machine.waits": "while Next looks", "Machine.walk": "a mark",
		"Machine.broken": "audited", "Machine.backoff": "audited", "Machine.waiting": "audited", "Machine.mapped": "audited", "Machine.busy": "handed out",
		"Machine.hint": "of one entry", "Machine.beginning": "of one entry", "Machine.touched": "an index of scopes", "Machine.out": "for the next append", "Machine.start": "for the next start", "Machine.work": "what Next has said",
		"Task.busy": "handed out, not folded", "Task.listed": "an index of tasks", "Task.begun": "shown by its items", "Task.active": "audited", "Task.over": "audited",
		"token.busy": "handed out, not folded", "scope.live": "audited", "fork.seen": "a mark", "fork.first": "follows from up", "fork.level": "follows from up",
		"item.slots": "found by Next", "space.base": "follows from prefix", "space.cut": "follows from prefix", "space.paths": "an index of names",
	}
	shown := map[string]string{
		"Machine": "status head at latest started active value final stopped body finished blocked takeovers reason root space tokens tasks interrupts people mail heldFor heldAt breaks passed reached pile end begun used lost",
		"Task":    "ID Node Visit Attempt State Ref Result Own Ops Began Cause Error RetryAt failed atWork WaitFor LastWait Beat nth inARow scope slots unplaced leaves taken inside undo items of",
		"Op":      "ID Kind Done Begun Tries Value Attempt Place Apart Due Shape Usage Failure Terminal After Marks Interrupt Digest By At Name Message Letter",
		"token":   "at ref own scope leaves via fromNode fromVisit cause",
		"scope":   "parent item space ends flow",
		"space":   "prefix visits inARow",
		"item":    "ref scope ends failure",
		"arrival": "ref own leaves",
		"fork":    "seq base up to",
		"mailbox": "queued ids", "message": "seq body at value",
		"People": "open apart signed", "question": "id node notBy", "Signature": "Node By notBy",
		"leaf":   "of at",
		"usages": "all byNode",
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Machine](), reflect.TypeFor[Task](), reflect.TypeFor[Op](), reflect.TypeFor[token](), reflect.TypeFor[scope](),
		reflect.TypeFor[space](), reflect.TypeFor[item](), reflect.TypeFor[arrival](), reflect.TypeFor[fork](), reflect.TypeFor[leaf](), reflect.TypeFor[usages](),
		reflect.TypeFor[mailbox](), reflect.TypeFor[message](), reflect.TypeFor[People](), reflect.TypeFor[question](), reflect.TypeFor[Signature](),
	} {
		var folded []string
		for _, name := range fieldsOf(typ) {
			if notFolded[typ.Name()+"."+name] == "" {
				folded = append(folded, name)
			}
		}
		if diff := gocmp.Diff(strings.Fields(shown[typ.Name()]), folded); diff != "" {
			t.Errorf("fields of %s (-shown +there):\n%s", typ.Name(), diff)
		}
	}
}

// fieldsOf returns the names of a struct's fields, with those of embedded structs in their places.
func fieldsOf(typ reflect.Type) (names []string) {
	for field := range typ.Fields() {
		if field.Anonymous {
			names = append(names, fieldsOf(field.Type)...)
		} else {
			names = append(names, field.Name)
		}
	}
	return names
}

// stubCodec is the codec of plans whose values nobody looks at.
type stubCodec struct{ plan.Codec }
