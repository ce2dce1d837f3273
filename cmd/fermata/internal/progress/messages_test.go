package progress_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// mail is a run that takes a message, refuses one and replies to one.
func mail(t *testing.T) []fermata.Event {
	s := &script{t: t, at: start}
	due := start.Add(2 * time.Hour).UnixMicro()
	receive := func(kind journal.Kind, op string, body any) {
		s.add(0, journal.Entry{Kind: kind, Node: "pay", Visit: 1, Attempt: 1, Op: op}, body)
	}
	sent := func(body journal.SentBody) {
		s.add(time.Second, journal.Entry{Kind: journal.MessageSent, Value: []byte("1")}, body)
	}
	s.add(0, journal.Entry{Kind: journal.RunStarted}, journal.StartedBody{Plan: "order"})
	s.node(0, journal.NodeStarted, "pay", nil)
	receive(journal.MessageAwaited, "receive:payments#1", journal.AwaitedBody{Name: "payments", Due: due})
	s.add(0, journal.Entry{Kind: journal.RunPaused}, nil)
	sent(journal.SentBody{Name: "payments", ID: "evt\x1b[31m_1", By: "Bo"}) // 5
	s.add(0, journal.Entry{Kind: journal.RunResumed}, journal.ResumedBody{Reason: "message"})
	receive(journal.MessageReplied, "receive:payments#1", journal.RepliedBody{Message: 5, ID: "evt_1", Error: "no number", Refused: true})
	sent(journal.SentBody{Name: "payments", ID: "evt_2"}) // 8
	sent(journal.SentBody{Name: "payments", ID: "evt_2"})
	receive(journal.MessageReplied, "reply:payments#1", journal.RepliedBody{Message: 8, ID: "evt_2"})
	sent(journal.SentBody{Name: "stop"}) // 11
	receive(journal.MessageAwaited, "receive:stop#1", journal.AwaitedBody{Name: "stop"})
	s.node(0, journal.NodeFinished, "pay", nil)
	s.add(0, journal.Entry{Kind: journal.RunFinished}, journal.FinishedBody{Status: "completed"})
	return s.events
}

func ordered(t *testing.T) *plan.Plan {
	t.Helper()
	p, err := plan.New(plan.Definition{
		Name: "order", Kind: "graph", Entry: []string{"pay"}, State: codec{}, Nodes: []plan.Node{{Name: "pay"}},
		Edges: []plan.Edge{{From: "pay", To: node.End, Kind: plan.Plain}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestH9_PlainLinesOfMessages checks what is said of messages, in text that does nothing on a terminal.
func TestH9_PlainLinesOfMessages(t *testing.T) {
	var out bytes.Buffer
	view := progress.New(term.New(&out, func(string) string { return "" }), progress.NewTree(ordered(t)), false)
	for _, ev := range mail(t) {
		view.Show(&ev)
	}
	view.Close()
	want := `order     started    run_1
pay       waits      for message payments until 2026-03-04T17:00:00Z
order     paused
order     message    payments evt_1 from Bo
order     resumed    message
pay       refuses    message evt_1: no number
order     message    payments evt_2
order     message    payments evt_2, which has come before: no effect
pay       replies    to message evt_2
order     message    stop
pay       done       4.0s
order     completed
`
	got := strings.ReplaceAll(out.String(), "\u200b", "")
	if strings.ContainsRune(got, '\x1b') {
		t.Errorf("an escape sequence is shown: %q", got)
	}
	before, after, _ := strings.Cut(got, "evt")
	_, after, _ = strings.Cut(after, " from Bo")
	got = before + "evt_1 from Bo" + after
	lines := func(text string) (out []string) {
		for line := range strings.Lines(text) {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
		return out
	}
	if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestM1_ATreeSaysWhichMessageIsAwaited checks that a row waits exactly while its call has no message: also after one that is refused.
func TestM1_ATreeSaysWhichMessageIsAwaited(t *testing.T) {
	tree, events := progress.NewTree(nil), mail(t)
	var got []string
	for i := range events {
		tree.Apply(&events[i])
		line := "-"
		for _, c := range tree.Awaits() {
			line = progress.AwaitsMessage(&c, start)
		}
		if len(got) == 0 || got[len(got)-1] != line {
			got = append(got, line)
		}
	}
	until := "waits for message payments, until " + term.When(start.Add(2*time.Hour), start)
	if diff := cmp.Diff([]string{"-", until, "-", until, "-"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheClockRestsUntilAProcessTakesTheRun checks that a node took as long as a process was there.
func TestTheClockRestsUntilAProcessTakesTheRun(t *testing.T) {
	s := &script{t: t, at: start}
	s.add(0, journal.Entry{Kind: journal.RunStarted}, journal.StartedBody{Plan: "order"})
	s.node(0, journal.NodeStarted, "pay", nil)
	s.add(20*time.Second, journal.Entry{Kind: journal.RunResumed}, journal.ResumedBody{Reason: "recovered"})
	s.node(2*time.Second, journal.NodeFinished, "pay", nil)
	tree := progress.NewTree(ordered(t))
	var row *progress.Row
	for i := range s.events {
		if r := tree.Apply(&s.events[i]); r != nil {
			row = r
		}
	}
	if took := row.Ended.Sub(row.Started); took != 2*time.Second {
		t.Errorf("it took %s, expected 2s", took)
	}
}
