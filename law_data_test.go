package fermata_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// stay is a value that nodes show without a model.
type stay struct {
	Town   string   `json:"town"`
	Nights int      `json:"nights,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// SchemaIdentity implements the interface of package schema.
func (stay) SchemaIdentity() schema.Identity { return schema.Identity{ID: "acme/stay", Version: "2"} }

// beheld runs a node that is held until somebody watches, and gives what they saw.
func beheld(t *testing.T, rt *fermata.Runtime, f graph.Func[state], answers ...any) ([]fermata.Event, graph.Result[state]) {
	t.Helper()
	begin := newGate()
	run := start(t, rt, graph.New[state]("shows").
		Node("hold", func(ctx node.Context, s state) (state, error) {
			stream, err := node.Stream(ctx, "ready")
			if err != nil {
				return s, err
			}
			return s, errors.Join(stream.Write("ready"), begin.pass(ctx), stream.Close())
		}).
		Node("a", f, graph.Retry(2, 0)).Edge(graph.Start, "hold").Edge("hold", "a").MustCompile(), state{})
	w := watch(t, rt, run.ID(), 0)
	begin.waitEntered(t)
	// Who has a piece follows the run: one that still reads the store may find no more than the ends of pieces there (law E2).
	eventually(t, "the reader follows", func() bool {
		return slices.ContainsFunc(w.seen(), func(line string) bool { return strings.Contains(line, "text.delta") })
	})
	close(begin.open)
	for _, value := range answers {
		answer(t, rt, question(t, run).ID, value)
	}
	res := wait(t, run)
	events := slices.DeleteFunc(w.ended(t), func(e fermata.Event) bool { return e.Entry.Node == "hold" && strings.HasPrefix(e.Type(), "text.") })
	return events, res
}

// A typed value is shown once, with the names of its contract, and not again when the node is run again.
func TestN4_AValueIsShownOnce(t *testing.T) {
	rt, store := inMemory(t)
	events, res := beheld(t, rt, func(ctx node.Context, s state) (state, error) {
		if err := node.Structured(ctx, "offer", stay{Town: "Oslo", Nights: 2}); err != nil {
			return s, err
		}
		if _, err := node.Interrupt[bool](ctx, nil); err != nil {
			return s, err
		}
		return s, node.Structured(ctx, "offer", stay{Town: "Rome"})
	}, true)
	if res.Status != fermata.Completed {
		t.Fatal(res.Err)
	}
	var got []string
	for i := range events {
		if events[i].Entry.Kind != journal.StructuredData {
			continue
		}
		data, err := events[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, events[i].OpID()+" "+string(data))
	}
	const names = `"schemaId":"acme/stay","schemaVersion":"2","segmentId":"seg_a#1/`
	want := []string{
		`op_a#1/data:offer#1 {"data":{"town":"Oslo","nights":2},"dataType":"offer","mode":"final",` + names + `data:offer#1"}`,
		`op_a#1/data:offer#2 {"data":{"town":"Rome"},"dataType":"offer","mode":"final",` + names + `data:offer#2"}`,
	}
	for i := range got { // encoding/json keeps raw values as they are
		got[i] = strings.ReplaceAll(got[i], `{"nights":2,"town":"Oslo"}`, `{"town":"Oslo","nights":2}`)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stored := 0
	for _, e := range entries(t, store, res.Run) {
		if e.Kind == journal.StructuredData {
			stored++
		}
	}
	if stored != 2 {
		t.Errorf("%d values are stored", stored)
	}
}

// A draft is shown as patches or as snapshots, whose last is the value; what cannot become a value is not shown, is said to
// an operator, and the draft goes on.
func TestN8_ADraftIsCheckedBeforeItIsShown(t *testing.T) {
	limited, err := schema.Parse([]byte(`{"title":"stay","type":"object","required":["town"],"additionalProperties":false,
		"properties":{"town":{"enum":["Oslo","Rome"]},"nights":{"type":"integer","maximum":9},"notes":{"type":"array","items":{"type":"string"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{node.DataPatch, node.DataSnapshot} {
		t.Run(mode, func(t *testing.T) {
			rt, _ := inMemory(t)
			opts := []node.DataOption{node.DataSchema(limited), node.DataID("one")}
			if mode == node.DataSnapshot {
				opts = append(opts, node.Snapshots())
			}
			events, res := beheld(t, rt, func(ctx node.Context, s state) (state, error) {
				d, err := node.NewDraft[stay](ctx, "offer", opts...)
				if err != nil {
					return s, err
				}
				for _, v := range []stay{
					{Town: "Os"},
					{Town: "Os"},
					{Town: "Oslo"},
					{Town: "Oslo", Nights: 10},
					{Town: "Oslo", Nights: 3, Notes: []string{"a"}},
					{Town: "Oslo", Nights: 3, Notes: []string{"ab", "c"}},
				} {
					if err := d.Show(v); err != nil {
						return s, err
					}
				}
				if err := d.Finish(stay{Town: "Os"}); err == nil {
					t.Error("a value that does not fit was stored")
				}
				return s, d.Finish(stay{Town: "Oslo", Nights: 3, Notes: []string{"ab", "c"}})
			})
			if res.Status != fermata.Completed {
				t.Fatal(res.Err)
			}
			s := slateOf(t, events)
			const segment = "seg_a#1/data:one#1"
			var shown []string
			for _, value := range s.shown[segment] {
				if form := sameForm(t, value); len(shown) == 0 || shown[len(shown)-1] != form {
					shown = append(shown, form)
				}
			}
			want := []string{
				`{"town":"Os"}`, `{"town":"Oslo"}`, `{"nights":3,"notes":["a"],"town":"Oslo"}`, `{"nights":3,"notes":["ab","c"],"town":"Oslo"}`,
			}
			if diff := cmp.Diff(want, shown); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{`{"town":"Oslo","nights":3,"notes":["ab","c"]}`}, s.finals[segment]); diff != "" {
				t.Errorf("in the end (-want +got):\n%s", diff)
			}
			var refused []string
			for i := range events {
				if events[i].Entry.Kind == journal.Diagnostic {
					refused = append(refused, string(events[i].Entry.Body))
				}
			}
			if diff := cmp.Diff([]string{`{"code":"data_refused","dataType":"offer","path":"/nights","message":"expected at most 9, found 10"}`}, refused); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

// A draft of an attempt that fails is taken back; the next attempt shows its own.
func TestE4_ADraftOfAFailedAttemptIsTakenBack(t *testing.T) {
	rt, _ := inMemory(t)
	broken := errors.New("broken")
	begin, shown := newGate(), newGate()
	run := start(t, rt, graph.New[state]("shows").Node("a", func(ctx node.Context, s state) (state, error) {
		if err := begin.pass(ctx); err != nil {
			return s, err
		}
		d, err := node.NewDraft[stay](ctx, "offer")
		if err != nil {
			return s, err
		}
		town := "Rome"
		if ctx.Info().Attempt == 1 {
			town = "Oslo"
		}
		if err := errors.Join(d.Show(stay{Town: town}), shown.pass(ctx)); err != nil || ctx.Info().Attempt == 1 {
			return s, errors.Join(err, broken)
		}
		return s, d.Finish(stay{Town: town, Nights: 1})
	}, graph.Retry(2, 0)).Edge(graph.Start, "a").MustCompile(), state{})
	w := watch(t, rt, run.ID(), 0)
	saw := func(town string) func() bool {
		return func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.ContainsFunc(w.events, func(e fermata.Event) bool { return e.Sub > 0 && strings.Contains(string(e.Entry.Body), town) })
		}
	}
	begin.waitEntered(t)
	close(begin.open)
	eventually(t, "the first draft", saw("Oslo"))
	shown.open <- struct{}{}
	eventually(t, "the second draft", saw("Rome"))
	close(shown.open)
	ends(t, run, fermata.Completed)
	events := w.ended(t)
	s := newSlate()
	s.before = map[string]bool{"seg_a#1/data:offer#1": false}
	for i := range events {
		sameData(t, &events[i])
		if events[i].Entry.Kind == journal.StructuredData && events[i].Sub == 0 {
			continue // it says more than its draft did
		}
		s.see(t, &events[i])
	}
	if diff := cmp.Diff([]string{"retry"}, s.wiped); diff != "" {
		t.Errorf("taken back (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`{"town":"Oslo"}`, `{"town":"Rome"}`}, s.shown["seg_a#1/data:offer#1"]); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// sameData checks that an event says the same as JSON and in Go, which attempt it is of among it.
func sameData(t *testing.T, e *fermata.Event) {
	t.Helper()
	whole, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Data json.RawMessage }
	if err := json.Unmarshal(whole, &shown); err != nil {
		t.Fatal(err)
	}
	data, err := e.Data()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sameForm(t, string(data)), sameForm(t, string(shown.Data))); diff != "" {
		t.Errorf("%s (-in Go +as JSON):\n%s", e.Type(), diff)
	}
}

// Values are stored once, wherever the engine dies.
func TestJ5_CrashDraftsAndValues(t *testing.T) {
	t.Parallel()
	g := single(func(ctx node.Context, s state) (state, error) {
		if err := node.Structured(ctx, "first", stay{Town: "Oslo"}); err != nil {
			return s, err
		}
		d, err := node.NewDraft[stay](ctx, "second", node.Snapshots())
		if err != nil {
			return s, err
		}
		for n := range 3 {
			if err := d.Show(stay{Town: "Rome", Nights: n}); err != nil {
				return s, err
			}
		}
		if _, err := node.Interrupt[bool](ctx, stay{Town: "Oslo"}, node.RequestSchema(staySchema(t))); err != nil {
			return s, err
		}
		return s, d.Finish(stay{Town: "Rome", Nights: 3})
	})
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} }, fermatatest.Answers(map[string][]any{"a": {true}}))
	if report.Result.Status != fermata.Completed {
		t.Error(report.Result.Err)
	}
}

func staySchema(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.For[stay]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A question whose request does not fit its schema is not asked: nobody sees it.
func TestN8_ARequestIsCheckedBeforeAnybodySeesIt(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, json.RawMessage(`{"twon":"Oslo"}`), node.RequestSchema(staySchema(t)))
		return s, err
	}), state{})
	res := ends(t, run, fermata.Failed)
	if res.Err == nil || !strings.Contains(res.Err.Error(), `/twon: unknown property; did you mean "town"?`) {
		t.Errorf("the error is %v", res.Err)
	}
	if open, err := rt.Inbox(t.Context(), journal.InboxFilter{}); err != nil || len(open) > 0 {
		t.Errorf("the inbox has %v, %v", open, err)
	}
}

// A value that is new in front of what is recorded is another call in its place (law N3). A draft is in its place where
// it ends.
func TestN3_AValueThatIsNew(t *testing.T) {
	asks := func(ctx node.Context) error {
		_, err := node.Interrupt[bool](ctx, nil)
		return err
	}
	shows := func(ctx node.Context) error { return node.Structured(ctx, "new", stay{Town: "Oslo"}) }
	begins := func(ctx node.Context) error {
		d, err := node.NewDraft[stay](ctx, "new")
		if err != nil {
			return err
		}
		return errors.Join(d.Show(stay{Town: "O"}), asks(ctx), d.Finish(stay{Town: "Oslo"}))
	}
	for name, c := range map[string]struct {
		now  []func(ctx node.Context) error
		want error
	}{
		"in front": {[]func(ctx node.Context) error{shows, asks}, node.ErrDiverged},
		"behind":   {[]func(ctx node.Context) error{asks, shows}, nil},
		"around":   {[]func(ctx node.Context) error{begins}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := fermatatest.NewContext(t)
			if err := c1.Do(asks); !errors.Is(err, node.ErrSuspended) {
				t.Fatal(err)
			}
			err := c1.Answer("", true).Do(func(ctx node.Context) error {
				for _, f := range c.now {
					if err := f(ctx); err != nil {
						return err
					}
				}
				return nil
			})
			if !errors.Is(err, c.want) {
				t.Errorf("in the harness the error is %v", err)
			}
			if err == nil {
				c1.Replay()
			}
			rt, _ := inMemory(t)
			changed := false
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
				if !changed {
					return s, asks(ctx)
				}
				for _, f := range c.now {
					if err := f(ctx); err != nil {
						return s, err
					}
				}
				return s, nil
			}), state{})
			q := question(t, run)
			changed = true
			answer(t, rt, q.ID, true)
			if res := wait(t, run); !errors.Is(res.Err, c.want) {
				t.Errorf("the error is %v", res.Err)
			}
		})
	}
}
