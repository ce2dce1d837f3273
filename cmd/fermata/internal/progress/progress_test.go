package progress_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/cmd/fermata/internal/vt"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

var start = time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)

// script makes events, each a bit later than the one before.
type script struct {
	t      *testing.T
	at     time.Time
	events []fermata.Event
}

func (s *script) add(after time.Duration, e journal.Entry, body any) *script {
	s.t.Helper()
	s.at = s.at.Add(after)
	e.Seq, e.At = uint64(len(s.events)+1), s.at.UnixMicro()
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		e.Body = data
	}
	s.events = append(s.events, fermata.Event{Run: "run_1", Entry: e})
	return s
}

func (s *script) node(after time.Duration, kind journal.Kind, node string, body any) *script {
	return s.add(after, journal.Entry{Kind: kind, Node: node, Visit: 1, Attempt: 1}, body)
}

// story is a run with everything that a view shows.
func story(t *testing.T) []fermata.Event {
	s := &script{t: t, at: start}
	asks := journal.Interrupt{ID: "int_1", Task: "review#1", Role: "manager", State: journal.Open, Deadline: start.Add(2 * time.Hour).UnixMicro()}
	s.add(0, journal.Entry{Kind: journal.RunStarted}, journal.StartedBody{Plan: "refund"})
	s.node(0, journal.NodeStarted, "score", nil).node(5*time.Millisecond, journal.NodeFinished, "score", nil)
	s.node(0, journal.NodeStarted, "fetch", nil)
	s.node(time.Second, journal.NodeRetrying, "fetch", journal.FailedBody{Error: "connection refused\nby peer", RetryAt: start.Add(3 * time.Second).UnixMicro()})
	s.add(2*time.Second, journal.Entry{Kind: journal.NodeStarted, Node: "fetch", Visit: 1, Attempt: 2}, nil)
	s.add(0, journal.Entry{Kind: journal.Status, Node: "fetch", Visit: 1, Attempt: 2}, "reading page 2")
	s.add(0, journal.Entry{Kind: journal.Message, Node: "fetch", Visit: 1, Attempt: 2}, map[string]string{"text": "Found two invoices."})
	s.add(400*time.Millisecond, journal.Entry{Kind: journal.NodeFinished, Node: "fetch", Visit: 1, Attempt: 2}, nil)
	s.node(0, journal.NodeStarted, "inner", nil).node(0, journal.NodeStarted, "inner/step", nil)
	s.node(0, journal.NodeFinished, "inner/step", nil).node(0, journal.NodeFinished, "inner", nil)
	s.node(0, journal.NodeStarted, "gate", nil).node(0, journal.NodeFinished, "gate", nil)
	s.add(0, journal.Entry{Kind: journal.RouteTaken, Node: "gate", Visit: 1, To: "review"}, nil)
	s.node(0, journal.NodeStarted, "review", nil)
	s.add(0, journal.Entry{Kind: journal.InterruptOpened, Node: "review", Visit: 1, Op: "int_1"}, asks)
	s.add(0, journal.Entry{Kind: journal.RunPaused}, nil)
	s.add(time.Minute, journal.Entry{Kind: journal.InterruptResolved, Node: "review", Visit: 1, Op: "int_1"},
		journal.ResolvedBody{State: journal.Answered, By: "ada", Role: "manager"})
	s.add(0, journal.Entry{Kind: journal.RunResumed}, journal.ResumedBody{Reason: "answer"})
	s.node(0, journal.NodeFinished, "review", nil)
	s.node(0, journal.NodeStarted, "pay", nil)
	s.node(time.Second, journal.NodeFailed, "pay", journal.FailedBody{Error: "exit status 1"})
	s.add(0, journal.Entry{Kind: journal.RouteTaken, Node: "pay", Visit: 1, To: "nap", Flags: journal.FlagCatch}, nil)
	s.node(0, journal.NodeStarted, "nap", nil)
	s.node(0, journal.TimerSet, "nap", journal.TimerBody{Due: start.Add(time.Hour).UnixMicro()})
	s.node(time.Second, journal.TimerFired, "nap", nil)
	s.node(0, journal.NodeFinished, "nap", nil)
	s.node(0, journal.NodeSkipped, "late", journal.SkippedBody{Reason: "its branch was not taken"})
	s.node(0, journal.NodeCached, "known", nil)
	s.add(0, journal.Entry{Kind: journal.NodeStarted, Node: "score", Visit: 2}, nil)
	s.add(0, journal.Entry{Kind: journal.RunFinished}, journal.FinishedBody{Status: "cancelled", Reason: "no longer needed"})
	return s.events
}

func refund(t *testing.T) *plan.Plan {
	t.Helper()
	names := []string{"score", "fetch", "inner", "gate", "review", "pay", "nap", "late"}
	inner, err := plan.New(plan.Definition{
		Name: "inner", Kind: "graph", Entry: []string{"step"}, State: codec{}, Nodes: []plan.Node{{Name: "step"}},
		Edges: []plan.Edge{{From: "step", To: node.End, Kind: plan.Plain}},
	})
	if err != nil {
		t.Fatal(err)
	}
	def := plan.Definition{Name: "refund", Kind: "graph", Entry: names[:1], State: codec{}}
	for i, name := range names {
		n := plan.Node{Name: name}
		switch name {
		case "fetch":
			n.Retry.Attempts = 3
		case "inner":
			n.Sub = inner
		}
		def.Nodes = append(def.Nodes, n)
		to := node.End
		if i < len(names)-1 {
			to = names[i+1]
		}
		def.Edges = append(def.Edges, plan.Edge{From: name, To: to, Kind: plan.Plain})
	}
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type codec struct{}

func (codec) Encode(v any) ([]byte, error)         { return json.Marshal(v) }
func (codec) Decode([]byte) (any, error)           { return map[string]any{}, nil }
func (codec) Copy(v any) (any, error)              { return v, nil }
func (codec) Delta(_, v any) ([]byte, any, error)  { return nil, v, nil }
func (codec) Merge(base any, _ []any) (any, error) { return base, nil }

func TestPlainLines(t *testing.T) {
	var out bytes.Buffer
	screen := term.New(&out, func(string) string { return "" })
	view := progress.New(screen, progress.NewTree(refund(t)), false)
	for _, ev := range story(t) {
		view.Show(&ev)
	}
	view.Close()
	want := `refund    started    run_1
score     done
fetch     retrying   attempt 1 of 3 failed: connection refused by peer
fetch     says       reading page 2
fetch     says       Found two invoices.
fetch     done       400ms
inner/step  done
inner     done
gate      done
gate      routed     to review
review    waits      int_1 for manager until 2026-03-04T17:00:00Z
refund    paused
review    answered   by ada as manager
refund    resumed    answer
review    done       1m 00s
pay       failed     exit status 1
pay       routed     to nap
nap       done       1.0s
late      skipped    its branch was not taken
known     cached
refund    cancelled  no longer needed
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// While the terminal is given away, lines wait.
func TestPlainHold(t *testing.T) {
	var out bytes.Buffer
	view := progress.New(term.New(&out, func(string) string { return "" }), progress.NewTree(nil), false)
	events := story(t)
	view.Load(&events[0])
	view.Hold()
	view.Show(&events[1])
	view.Show(&events[2])
	if out.String() != "\n" {
		t.Errorf("shown while held: %q", out.String())
	}
	view.Go()
	if want := "\nscore     done\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestQuiet(t *testing.T) {
	var out bytes.Buffer
	tree := progress.NewTree(nil)
	view := progress.New(term.New(&out, func(string) string { return "" }), tree, true)
	for _, ev := range story(t) {
		view.Show(&ev)
	}
	view.Close()
	if out.Len() > 0 || tree.Status != fermata.Cancelled {
		t.Errorf("shown: %q, status %s", out.String(), tree.Status)
	}
}

// The rows of a tree at each point of a run.
func TestStatic(t *testing.T) {
	screen := term.New(&bytes.Buffer{}, func(string) string { return "" })
	tests := []struct {
		events int
		want   string
	}{
		{5, `
  ✓ score
  ↻ fetch        1.0s  attempt 1 of 3 · next try in 2s · connection refused by peer`},
		{7, `
  ✓ score
  ⠋ fetch              attempt 2 of 3 · reading page 2`},
		{18, `
  ✓ score
  ✓ fetch       400ms  2 attempts
  ✓ inner
  ✓   step
  ✓ gate               → review
  ◆ review             waits for the role manager, until 17:00 +00:00`},
		{27, `
  ✓ score
  ✓ fetch       400ms  2 attempts
  ✓ inner
  ✓   step
  ✓ gate               → review
  ✓ review     1m 00s
  ✗ pay          1.0s  → nap  exit status 1
  ◷ nap                until 16:00 +00:00`},
		{33, `
  ■ score              2 visits · not finished
  ✓ fetch       400ms  2 attempts
  ✓ inner
  ✓   step
  ✓ gate               → review
  ✓ review     1m 00s
  ✗ pay          1.0s  → nap  exit status 1
  ✓ nap          1.0s
  – late               its branch was not taken
  ≡ known`},
	}
	events := story(t)
	for _, tt := range tests {
		tree := progress.NewTree(refund(t))
		for i := range tt.events {
			tree.Apply(&events[i])
		}
		got := "\n" + strings.Join(progress.Static(screen, tree, tree.Last), "\n")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("after %d events (-want +got):\n%s", tt.events, diff)
		}
	}
}

func liveScreen(v *vt.Terminal, width, height int) *term.Screen {
	s := term.New(v.Cooked(), func(string) string { return "" })
	s.TTY, s.Live = true, true
	s.Measure = func() (int, int) { return width, height }
	return s
}

// eventually waits for what a terminal shows.
func eventually(t *testing.T, v *vt.Terminal, ok func(text string) bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !ok(v.Text()) {
		if time.Now().After(deadline) {
			t.Fatalf("not shown in time; the terminal shows:\n%s", v.Text())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A live view is redrawn in place; what is left at the end is each node once, messages where they were said, and
// nothing that was pending.
func TestLive(t *testing.T) {
	v := vt.New(60, 14)
	view := progress.New(liveScreen(v, 60, 14), progress.NewTree(refund(t)), false)
	events := story(t)
	show := func(from, to int) {
		for i := from; i < to; i++ {
			view.Show(&events[i])
		}
	}
	show(0, 4)
	eventually(t, v, func(text string) bool {
		return strings.Contains(text, " fetch") && strings.Contains(text, "\n  · review\n")
	})
	if !v.Hidden() {
		t.Error("the cursor is shown while the tree is redrawn")
	}
	show(4, 18)
	view.Hold()
	view.Print("    the question")
	show(18, 21)
	view.Go()
	show(21, 27)
	eventually(t, v, func(text string) bool { return strings.Contains(text, "◷ nap") })
	show(27, len(events))
	view.Close()
	want := `
  refund  run_1

    fetch     Found two invoices.
  ✓ score
  ✓ fetch       400ms  2 attempts
  ✓ inner
  ✓   step
  ✓ gate               → review

    the question
  ✓ review     1m 00s
  ✗ pay          1.0s  → nap  exit status 1
  ✓ nap          1.0s
  – late               its branch was not taken
  ≡ known
  ■ score              not finished
`
	if diff := cmp.Diff(want, v.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v.Hidden() {
		t.Error("the cursor is still hidden after Close")
	}
	if got := v.Unknown(); len(got) > 0 {
		t.Errorf("sequences that the terminal does not know: %q", got)
	}
}

// A run of many nodes on a low terminal: what is going on stays in sight.
func TestLiveIsNeverHigherThanTheTerminal(t *testing.T) {
	v := vt.New(40, 8)
	view := progress.New(liveScreen(v, 40, 8), progress.NewTree(nil), false)
	s := &script{t: t, at: start}
	s.add(0, journal.Entry{Kind: journal.RunStarted}, journal.StartedBody{Plan: "long"})
	for name := range strings.SplitSeq("a b c d e f g h i j k l", " ") {
		s.node(0, journal.NodeStarted, name, nil).node(0, journal.NodeFinished, name, nil)
	}
	s.node(0, journal.NodeStarted, "last", nil)
	for i := range s.events {
		view.Show(&s.events[i])
	}
	eventually(t, v, func(text string) bool {
		return strings.Contains(text, "… 8 done before\n  ✓ i\n") && strings.Contains(text, " last ")
	})
	view.Close()
	if n := strings.Count(v.Text(), "✓"); n != 12 {
		t.Errorf("%d nodes are shown in the end, want 12:\n%s", n, v.Text())
	}
}

// Text of nodes cannot steer the terminal.
func TestNamesAndErrorsAreMadePlain(t *testing.T) {
	s := &script{t: t, at: start}
	s.add(0, journal.Entry{Kind: journal.RunStarted}, journal.StartedBody{Plan: "x"})
	s.node(0, journal.NodeStarted, "a\x1b[2J", nil)
	s.node(0, journal.Message, "a\x1b[2J", "\x1b]0;title\x07hello")
	s.node(0, journal.NodeFailed, "a\x1b[2J", journal.FailedBody{Error: "\x1b[31mred"})
	var out bytes.Buffer
	view := progress.New(term.New(&out, func(string) string { return "" }), progress.NewTree(nil), false)
	v := vt.New(60, 10)
	live := progress.New(liveScreen(v, 60, 10), progress.NewTree(nil), false)
	for i := range s.events {
		view.Show(&s.events[i])
		live.Show(&s.events[i])
	}
	live.Close()
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("plain: %q", out.String())
	}
	if !strings.Contains(v.Text(), "hello") || !strings.Contains(v.Text(), "red") {
		t.Errorf("the terminal was steered:\n%s", v.Text())
	}
}
