package dialogue_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// parcel is a dialogue in which an action gives a value, an expression makes one of it, the user says one, and behind a
// pause an action is shown all of them.
func parcel(t *rapid.T, on *atomic.Pointer[passage], given func() any, made string) *dialogue.Dialogue {
	anything := json.RawMessage(`{}`)
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "parcel",
		Flows: []dialogue.Flow{{
			Name: "parcel", Description: "Parcel", Trigger: []string{"parcel"},
			Slots: []dialogue.Slot{
				{Name: "got", Type: dialogue.Object, Schema: anything},
				{Name: "made", Type: dialogue.Object, Schema: anything},
				{Name: "number", Type: dialogue.Number},
				{Name: "day", Type: dialogue.Date},
				{Name: "note"},
			},
			Steps: []dialogue.Step{
				{ID: "get", Type: dialogue.ActionStep, Call: "get", Outputs: []dialogue.Assignment{{Name: "got"}}},
				{ID: "make", Type: dialogue.SetStep, Values: []dialogue.Assignment{{Name: "made", Value: made}}},
				{ID: "number", Type: dialogue.CollectStep, Slot: "number", Message: "How much?"},
				{ID: "day", Type: dialogue.CollectStep, Slot: "day", Message: "When?"},
				{ID: "note", Type: dialogue.CollectStep, Slot: "note", Message: "What?"},
				{ID: "pause", Type: dialogue.ActionStep, Call: "pause", Inputs: []dialogue.Assignment{}},
				{ID: "show", Type: dialogue.ActionStep, Call: "show", Inputs: []dialogue.Assignment{
					{Name: "got", Value: "got"}, {Name: "made", Value: "made"}, {Name: "number", Value: "number"}, {Name: "day", Value: "day"}, {Name: "note", Value: "note"},
				}},
				{ID: "done", Type: dialogue.InformStep, Message: "Done."},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{
		{Name: "get", Run: func(node.Context, map[string]any) (any, error) { return given(), nil }},
		{Name: "pause", Run: func(ctx node.Context, in map[string]any) (any, error) { return on.Load().pause(ctx, in) }},
		{Name: "show", Run: func(ctx node.Context, in map[string]any) (any, error) { return on.Load().show(ctx, in) }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// passage is a way from the turn that makes values to the action that is shown them.
type passage struct {
	name    string
	store   func(t *rapid.T) (store journal.Store, done func() error)
	opts    []fermata.StartOption
	between string // "", "sleep", "crash", or "restart" after each turn

	up    atomic.Bool
	here  chan bool
	mu    sync.Mutex
	shown map[string]any
}

func (p *passage) pause(ctx node.Context, _ map[string]any) (any, error) {
	switch {
	case p.between == "sleep":
		return nil, node.Sleep(ctx, time.Microsecond)
	case p.between == "crash" && !p.up.Load():
		p.here <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, nil
}

func (p *passage) show(_ node.Context, in map[string]any) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = in
	return nil, nil
}

// holder is a program that holds conversations until it is gone.
type holder struct {
	rt    *fermata.Runtime
	talks *dialogue.Conversations
}

func hold(t *rapid.T, store journal.Store, d *dialogue.Dialogue) holder {
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	return holder{rt, dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})}
}

// talk says the user's lines on one way, and returns what the last action was shown and what the bot said.
func (p *passage) talk(t *rapid.T, d *dialogue.Dialogue, lines [][]dialogue.Command) (map[string]any, []string) {
	p.here = make(chan bool, 1)
	store, done := p.store(t)
	defer func() { _ = done() }()
	id := fmt.Sprint("c", valuesTalks.Add(1))
	now := hold(t, store, d)
	defer func() { _ = now.rt.Close() }()
	again := func() {
		if err := now.rt.Close(); err != nil {
			t.Fatal(err)
		}
		now = hold(t, store, d)
	}
	if _, _, err := now.talks.Open(t.Context(), id, nil, p.opts...); err != nil {
		t.Fatal(err)
	}
	var said []string
	for i, line := range lines {
		m := dialogue.Message{ID: fmt.Sprint("m", i), Text: "-", Commands: line}
		type answer struct {
			r   dialogue.Reply
			err error
		}
		answered := make(chan answer, 1)
		go func(talks *dialogue.Conversations) {
			r, err := talks.Send(t.Context(), id, m)
			answered <- answer{r, err}
		}(now.talks)
		var a answer
		select {
		case a = <-answered:
		case <-p.here:
			p.up.Store(true)
			again()
			<-answered // the process that it was sent to is gone
			a.r, a.err = now.talks.Send(t.Context(), id, m)
		}
		if a.err != nil {
			t.Fatalf("%s: %v", p.name, a.err)
		}
		said = append(said, a.r.Texts()...)
		if p.between == "restart" {
			again()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown, said
}

func passages(dir string, files *atomic.Int64) []*passage {
	inMemory := func(*rapid.T) (journal.Store, func() error) { store := kept{memory.New()}; return store, store.Close }
	inFile := func(t *rapid.T) (journal.Store, func() error) {
		store, err := sqlite.Open(filepath.Join(dir, fmt.Sprint(files.Add(1))+".db"))
		if err != nil {
			t.Fatal(err)
		}
		return store, store.Close
	}
	async := []fermata.StartOption{fermata.WithDurability(fermata.Async)}
	return []*passage{
		{name: "memory", store: inMemory},
		{name: "memory, asleep", store: inMemory, between: "sleep"},
		{name: "memory, crashed", store: inMemory, between: "crash"},
		{name: "memory, async, crashed", store: inMemory, opts: async, between: "crash"},
		{name: "memory, restarted", store: inMemory, between: "restart"},
		{name: "sqlite, asleep", store: inFile, between: "sleep"},
		{name: "sqlite, crashed", store: inFile, between: "crash"},
		{name: "sqlite, restarted", store: inFile, between: "restart"},
	}
}

// serverPassages are ways through a store on a server, which all draws share.
func serverPassages(kind string, store journal.Store) []*passage {
	shared := func(*rapid.T) (journal.Store, func() error) { return store, func() error { return nil } }
	async := []fermata.StartOption{fermata.WithDurability(fermata.Async)}
	return []*passage{
		{name: kind + ", asleep", store: shared, between: "sleep"},
		{name: kind + ", crashed", store: shared, between: "crash"},
		{name: kind + ", async, crashed", store: shared, opts: async, between: "crash"},
		{name: kind + ", restarted", store: shared, between: "restart"},
	}
}

// valuesTalks counts the conversations of this property: those on a server need names of their own.
var valuesTalks atomic.Int64

// An action is given the same values of slots, whatever happens before it and wherever the conversation is kept.
func TestN10_ADialoguesActionIsGivenTheSameOnEveryWay(t *testing.T) {
	dir := t.TempDir()
	var databases atomic.Int64
	checkPassages(t, func() []*passage { return passages(dir, &databases) }, 5)
}

// TestN10_ADialoguesActionIsGivenTheSameOnServers is the same property for conversations on servers, which store values
// in forms of their own.
func TestN10_ADialoguesActionIsGivenTheSameOnServers(t *testing.T) {
	for _, kind := range testserver.Kinds() {
		t.Run(kind, func(t *testing.T) {
			lawtest.FewerDraws(t, 20)
			store := teststore.Open(t, kind)
			checkPassages(t, func() []*passage { return append(passages("", nil)[:1], serverPassages(kind, store)...) }, 1)
		})
	}
}

// checkPassages draws conversations and checks that the action is shown the same on all ways. One draw of every share
// takes the ways that write to disks and networks.
func checkPassages(t *testing.T, ways func() []*passage, share int) {
	est := time.FixedZone("EST", -5*3600)
	shown, slow := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SampledFrom([]func() any{
			func() any { return nil },
			func() any {
				return map[string]any{"n": 1, "f": 1.0, "neg": math.Copysign(0, -1), "big": uint64(math.MaxUint64)}
			},
			func() any {
				return map[string]any{"t": time.Date(2026, 3, 7, 12, 0, 0, 5, est), "d": time.Second, "b": []byte("hi")}
			},
			func() any {
				return []any{1, int8(2), float32(0.1), json.Number("1.50"), "x\xff", nil, []int(nil), map[string]int(nil)}
			},
			func() any {
				return map[string]any{"raw": json.RawMessage(`{"b": 1.0, "a": [1e2, -0]}`), "big": big.NewInt(7)}
			},
			func() any { return struct{ When time.Time }{time.Now()} },
			func() any { return map[int]string{2: "b", 1: "a"} },
			func() any { return map[string]any{"nan": math.NaN()} },
			func() any { return "text\xff" },
			func() any { return json.Number("1e2") },
			func() any { return 1.0 },
		}).Draw(t, "given")
		at := given()
		same := func() any { return at } // of one time
		made := rapid.SampledFrom([]string{
			"got", "[got, nil]", "{a: got, b: 1.0, c: 2 / 3}", "7 / 2", "2 ** 70", "0.1 + 0.2", "-0.0", "3.0 * 2", "groupBy([1, 2, 3], # % 2)", "toPairs({a: 1})",
			"fromJSON('{\"a\": 1.0, \"b\": [1e2]}')", "nil", "int('7')",
		}).Draw(t, "made")
		number := rapid.SampledFrom([]any{1, 1.0, 2.50, "2.50", json.Number("3.0"), math.Copysign(0, -1)}).Draw(t, "number")
		note := rapid.SampledFrom([]any{"", "caf\xe9", "<&>\u2028", "7"}).Draw(t, "note")
		set := func(slot string, v any) []dialogue.Command {
			return []dialogue.Command{{Type: dialogue.SetSlot, Slot: slot, Value: v}}
		}
		lines := [][]dialogue.Command{
			{{Type: dialogue.StartFlow, Flow: "parcel"}}, set("number", number), set("day", "2026-03-07"), set("note", note),
		}
		files := rapid.IntRange(1, share).Draw(t, "files") == 1
		var want map[string]any
		var told []string
		var on atomic.Pointer[passage]
		d := parcel(t, &on, same, made)
		for i, p := range ways() {
			if !strings.HasPrefix(p.name, "memory") && !files {
				continue
			}
			on.Store(p)
			got, said := p.talk(t, d, lines)
			if i == 0 {
				if want, told = got, said; got != nil {
					shown++
				}
				continue
			}
			if files && got != nil {
				slow++
			}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(said, told) {
				t.Fatalf("%s:\n%#v\n%q\nmemory:\n%#v\n%q", p.name, got, said, want, told)
			}
		}
	})
	if shown == 0 || slow == 0 {
		t.Errorf("%d conversations came to their end, and %d in draws that take all ways", shown, slow)
	}
}

// A value of a slot that is too large for the journal is refused where it is made, with its path, and the flow is given up.
func TestN8_LargeValuesOfADialogue(t *testing.T) {
	const limit = 64 << 10
	long := strings.Repeat("x", 20*limit)
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "large",
		Flows: []dialogue.Flow{{
			Name: "get", Description: "Get", Trigger: []string{"get"},
			Slots: []dialogue.Slot{{Name: "got", Type: dialogue.Object, Schema: json.RawMessage(`{}`)}},
			Steps: []dialogue.Step{
				{ID: "get", Type: dialogue.ActionStep, Call: "get", Outputs: []dialogue.Assignment{{Name: "got"}}},
				{ID: "done", Type: dialogue.InformStep, Message: "Done."},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{
		{Name: "get", Run: func(node.Context, map[string]any) (any, error) {
			return map[string]any{"got": map[string]any{"page": long}}, nil
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{MaxValue: limit})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rt.Close() }()
	talks := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	if _, _, err := talks.Open(t.Context(), "c", nil); err != nil {
		t.Fatal(err)
	}
	reply, err := talks.Send(t.Context(), "c", dialogue.Message{ID: "m", Text: "get", Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: "get"}}})
	if err != nil || !strings.Contains(strings.Join(reply.Texts(), " "), "something went wrong") {
		t.Fatalf("%v: %q", err, reply.Texts())
	}
	why := ""
	for m, err := range rt.History(t.Context(), "c") {
		if err != nil {
			t.Fatal(err)
		}
		if size := max(len(m.Entry.Body), len(m.Entry.Value)); size > limit {
			t.Errorf("seq %d has %d bytes", m.Entry.Seq, size)
		}
		if m.Entry.Kind == journal.NodeFailed {
			why = string(m.Entry.Body)
		}
	}
	if !strings.Contains(why, `Slots[\"got\"][\"got\"][\"page\"]: takes more than the limit of 65536 bytes; `) {
		t.Errorf("why it went wrong: %s", why)
	}
}
