package recipe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// TestFailure is one thing that was not as a test says.
type TestFailure struct {
	File     string // where the test says so
	Line     int
	Column   int
	What     string // "outputs.decision", "path", "calls.pay"
	Message  string // in one line, for what is not a comparison
	Expected string // of a comparison: both as JSON, or as people write them
	Found    string
}

// String is the failure in one line, with its place.
func (f TestFailure) String() string {
	text := f.Message
	if text == "" {
		text = fmt.Sprintf("expected %s, found %s", f.Expected, f.Found)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Column, f.What, text)
}

func failureAt(at document.Spot, what, message string) TestFailure {
	f := TestFailure{What: what, Message: message, File: at.Source.File}
	if at.Node != nil {
		f.Line, f.Column = at.Node.Line, at.Node.Column
	}
	return f
}

func differs(at document.Spot, what, expected, found string) TestFailure {
	f := failureAt(at, what, "")
	f.Expected, f.Found = expected, found
	return f
}

// unlike is what differs of two texts: nothing where they are equal.
func unlike(at document.Spot, what, expected, found string) []TestFailure {
	if expected == found {
		return nil
	}
	return []TestFailure{differs(at, what, expected, found)}
}

// Judge returns the differences from what the test expects, in the order of the test. It returns none for a test that
// passes. The trace is the run's. If the inputs were refused, both arguments are nil.
func (s *Stage) Judge(res *fermata.Result, t *Trace) []TestFailure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Refused() {
		return s.judgeRefusal()
	}
	e := &s.test.expect
	var all []TestFailure
	for _, b := range s.broken {
		all = append(all, failureAt(s.test.name.Spot, "agents", b))
	}
	unanswered := s.unanswered()
	all = append(all, unanswered...)
	if len(all) == 0 && string(res.Status) != e.status.Text {
		found := string(res.Status)
		if res.Err != nil {
			found += ": " + plainError(res)
		}
		all = append(all, differs(e.status.Spot, "status", e.status.Text, found))
	} else if e.fault.Text != "" && len(all) == 0 && (res.Err == nil || !strings.Contains(res.Err.Error(), e.fault.Text)) {
		found := "no error"
		if res.Err != nil {
			found = strconv.Quote(plainError(res))
		}
		all = append(all, differs(e.fault.Spot, "error", "a text with "+strconv.Quote(e.fault.Text), found))
	}
	all = append(all, s.judgePath(t)...)
	all = append(all, s.judgeValues(res, t)...)
	all = append(all, s.judgeAsked()...)
	all = append(all, s.judgeCalls()...)
	if len(all) == 0 { // else it follows, most of the time
		all = append(all, s.unused()...)
	}
	sort.SliceStable(all, func(i, j int) bool { // slices.SortFunc would be compiled for the type (ADR 060)
		return cmp.Or(cmp.Compare(all[i].Line, all[j].Line), cmp.Compare(all[i].Column, all[j].Column)) < 0
	})
	return all
}

// plainError is why a run failed, without the run: it is the test's own.
func plainError(res *fermata.Result) string {
	return strings.TrimLeft(strings.TrimPrefix(res.Err.Error(), "run "+res.Run), ":, ")
}

func (s *Stage) judgeRefusal() []TestFailure {
	e := &s.test.expect
	_, err := s.from.Input(s.test.inputs)
	switch {
	case err == nil:
		return []TestFailure{differs(e.status.Spot, "status", statusRefused, "inputs that fit")}
	case !strings.Contains(err.Error(), e.fault.Text):
		return []TestFailure{differs(e.fault.Spot, "error", "a text with "+strconv.Quote(e.fault.Text), strconv.Quote(err.Error()))}
	}
	return nil
}

// Path are the nodes that a run visited, in order: one for each visit.
func (t *Trace) path() []string {
	var path []string
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Node != "" && !strings.Contains(st.ID, "@") {
			path = append(path, node.NodeOf(st.Node))
		}
	}
	return path
}

func (s *Stage) judgePath(t *Trace) []TestFailure {
	e := &s.test.expect
	found := t.path()
	var all []TestFailure
	if e.hasPath {
		var expected []string
		for _, w := range e.path {
			expected = append(expected, w.Text)
		}
		if !slices.Equal(expected, found) {
			at := e.Spot
			for i, w := range e.path {
				if at = w.Spot; i >= len(found) || found[i] != w.Text {
					break
				}
			}
			all = append(all, differs(at, "path", arrows(expected), arrows(found)))
		}
	}
	visits := make(map[string]int)
	for _, id := range found {
		visits[id]++
	}
	for _, v := range e.visits {
		all = append(all, unlike(v.at, "visits."+v.name.Text, strconv.Itoa(v.n), strconv.Itoa(visits[v.name.Text]))...)
	}
	return all
}

func arrows(path []string) string {
	if len(path) == 0 {
		return "no node"
	}
	return strings.Join(path, " → ")
}

// judgeValues compares the outputs, and looks at the blackboard.
func (s *Stage) judgeValues(res *fermata.Result, t *Trace) []TestFailure {
	e := &s.test.expect
	var all []TestFailure
	if res.Status == fermata.Completed {
		v, _ := document.Decode(res.Output)
		outputs, _ := v.(map[string]any)
		for _, w := range e.outputs {
			v, ok := outputs[w.name.Text]
			compare(w.at, "outputs."+w.name.Text, w.value, v, ok, false, &all)
		}
		for _, name := range expression.Keys(outputs) {
			if e.whole && !slices.ContainsFunc(e.outputs, func(w wanted) bool { return w.name.Text == name }) {
				all = append(all, differs(e.Spot, "outputs."+name, "no such output: outputs names all of them, contains some", jsonText(outputs[name])))
			}
		}
		for _, w := range e.contains {
			v, ok := outputs[w.name.Text]
			compare(w.at, "contains."+w.name.Text, w.value, v, ok, true, &all)
		}
	}
	if len(e.check) == 0 {
		return all
	}
	board := t.board()
	for _, c := range e.check {
		yes, err := c.code.Holds(expression.NewScope(board, nil))
		switch {
		case err != nil:
			all = append(all, failureAt(c.expr.Spot, "check", err.Error()))
		case !yes:
			all = append(all, failureAt(c.expr.Spot, "check", document.Quote(c.expr.Text)+" does not hold"+values(c.code, board)))
		}
	}
	return all
}

// values says what the names of an expression are.
func values(code *expression.Expression, board map[string]any) string {
	var parts []string
	for _, name := range code.Names() {
		if v, ok := board[name]; ok {
			part := name + " is " + jsonText(v)
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// board is the blackboard as it was last.
func (t *Trace) board() map[string]any {
	for _, st := range slices.Backward(t.Steps) {
		for _, raw := range []json.RawMessage{st.Snapshot, st.Inputs} {
			v, _ := document.Decode(raw)
			if board, ok := v.(map[string]any); ok {
				return board
			}
		}
	}
	return make(map[string]any)
}

// compare adds every place at which a value is not as expected. With some, objects may have more members.
func compare(at document.Spot, what string, expected, found any, there, some bool, all *[]TestFailure) {
	if !there {
		*all = append(*all, differs(at, what, jsonText(expected), "nothing"))
		return
	}
	switch e := expected.(type) {
	case map[string]any:
		f, ok := found.(map[string]any)
		if !ok {
			break
		}
		for _, name := range expression.Keys(e) {
			v, ok := f[name]
			compare(at.Follow("/"+name), what+"."+name, e[name], v, ok, some, all)
		}
		for _, name := range expression.Keys(f) {
			if _, ok := e[name]; !ok && !some {
				*all = append(*all, differs(at, what+"."+name, "nothing", jsonText(f[name])))
			}
		}
		return
	case []any:
		f, ok := found.([]any)
		if !ok || len(f) != len(e) {
			break
		}
		for i := range e {
			compare(at.Follow("/"+strconv.Itoa(i)), what+"."+strconv.Itoa(i), e[i], f[i], true, some, all)
		}
		return
	}
	if !same(expected, found) {
		*all = append(*all, differs(at, what, jsonText(expected), jsonText(found)))
	}
}

// same compares values; numbers by what they are, however they are written.
func same(a, b any) bool {
	x, ok := a.(json.Number)
	y, also := b.(json.Number)
	if ok && also {
		p, _ := x.Float64()
		q, _ := y.Float64()
		_, whole := strconv.Atoi(x.String())
		_, both := strconv.Atoi(y.String())
		return x == y || p == q && (whole != nil || both != nil)
	}
	return jsonText(a) == jsonText(b)
}

func jsonText(v any) string {
	data, err := document.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

func (s *Stage) judgeAsked() []TestFailure {
	e := &s.test.expect
	if !e.hasAsked {
		return nil
	}
	var all []TestFailure
	for i, a := range e.asked {
		if i >= len(s.asked) {
			all = append(all, differs(a.Spot, "asked", "a question of "+a.node.Text, "none: "+strconv.Itoa(len(s.asked))+" were asked"))
			break
		}
		all = append(all, a.judge(&s.asked[i], i)...)
	}
	for _, q := range s.asked[min(len(s.asked), len(e.asked)):] {
		all = append(all, differs(e.Spot, "asked", fmt.Sprintf("%d questions", len(e.asked)), "also "+q.node+": "+strconv.Quote(strings.TrimSpace(q.prompt))))
	}
	return all
}

func (a *asking) judge(q *question, i int) []TestFailure {
	what := fmt.Sprintf("asked.%d.", i)
	if a.node.Text != q.node {
		return []TestFailure{differs(a.node.Spot, what+"node", a.node.Text, q.node)}
	}
	var all []TestFailure
	if a.prompt != nil {
		all = unlike(a.Follow("/prompt"), what+"prompt", strconv.Quote(strings.TrimSpace(*a.prompt)), strconv.Quote(strings.TrimSpace(q.prompt)))
	}
	if a.role != nil {
		all = append(all, unlike(a.Follow("/role"), what+"role", strconv.Quote(*a.role), strconv.Quote(q.role))...)
	}
	if a.options != nil && !slices.Equal(a.options, q.options) {
		all = append(all, differs(a.Follow("/options"), what+"options", strings.Join(a.options, ", "), strings.Join(q.options, ", ")))
	}
	return all
}

func (s *Stage) judgeCalls() []TestFailure {
	var all []TestFailure
	for _, c := range s.test.expect.calls {
		what := "calls." + c.name.Text
		found := s.calls[c.name.Text]
		if len(found) != c.n {
			all = append(all, differs(c.at, what, strconv.Itoa(c.n), strconv.Itoa(len(found))))
			continue
		}
		for i, args := range c.args {
			compare(args.at, fmt.Sprintf("%s.%d", what, i), args.value, any(found[i].args), true, true, &all)
		}
	}
	return all
}
