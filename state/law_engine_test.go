package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
	"github.com/fermata-go/fermata/state"
)

// work is a state with all that a list or map may hold.
type work struct {
	Title string                      `json:"title"`
	Plain []string                    `json:"plain"`
	Log   state.List[line]            `json:"log" merge:"append"`
	Files state.Map[string, []string] `json:"files" merge:"union"`
	Notes state.List[map[string]any]  `json:"notes,omitzero"`
	Count state.Map[int, *line]       `json:"count"`
	Tree  state.List[branch]          `json:"tree"`
}

type line struct {
	Who string    `json:"who"`
	At  time.Time `json:"at,omitzero"`
}

type branch struct {
	Name string             `json:"name"`
	Kids state.List[branch] `json:"kids"`
}

// A node gets and gives copies: changing what it put in, or what it got, changes no version.
func TestN9_NobodyReachesTheElements(t *testing.T) {
	words := []string{"a", "b"}
	files := state.Map[string, []string]{}.Set("x", words)
	words[0] = "changed"
	got, _ := files.Get("x")
	got[1] = "changed"
	for _, each := range files.All() {
		each[0] = "changed"
	}
	note := map[string]any{"list": []any{"a"}}
	notes := state.ListOf(note)
	notes.At(0)["list"].([]any)[0] = "changed"
	note["list"] = nil
	for _, each := range notes.Values() {
		clear(each)
	}
	who := &line{Who: "ann"}
	count := state.Map[int, *line]{}.Set(1, who)
	who.Who = "changed"
	one, _ := count.Get(1)
	one.Who = "changed"
	want, err := json.Marshal(work{
		Files: state.MapOf(map[string][]string{"x": {"a", "b"}}), Notes: state.ListOf(map[string]any{"list": []any{"a"}}),
		Count: state.MapOf(map[int]*line{1: {Who: "ann"}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	is, err := json.Marshal(work{Files: files, Notes: notes, Count: count})
	if err != nil || string(is) != string(want) {
		t.Errorf("got %s (%v), expected %s", is, err, want)
	}
}

// growing is a graph whose nodes add to lists and maps, in branches and in a loop, and change what they got in place.
func growing() *graph.Graph[work] {
	add := func(who string) graph.Func[work] {
		return func(ctx node.Context, w work) (work, error) {
			at, err := node.Step(ctx, "clock", func(node.Context) (time.Time, error) { return time.Unix(1e9, 0), nil })
			w.Log = w.Log.Append(line{who, at})
			w.Files = w.Files.Set(who, []string{who})
			files, _ := w.Files.Get("start")
			files[0] = "changed by " + who
			return w, err
		}
	}
	g := graph.New[work]("growing").
		Node("start", func(_ node.Context, w work) (work, error) {
			w.Files = w.Files.Set("start", []string{"kept"})
			w.Notes = w.Notes.Append(map[string]any{"n": 1, "deep": []any{"x"}})
			w.Tree = w.Tree.Append(branch{"root", state.ListOf(branch{Name: "kid"})})
			return w, nil
		}).
		Node("left", add("left")).Node("right", add("right")).
		Node("meet", func(_ node.Context, w work) (work, error) {
			w.Notes.At(0)["deep"] = "changed"
			w.Notes = w.Notes.Set(0, map[string]any{"n": w.Log.Len()})
			n, _ := w.Count.Get(w.Log.Len())
			if n == nil {
				n = new(line)
			}
			n.Who += "x"
			w.Count = w.Count.Set(w.Log.Len(), n).Delete(w.Log.Len() - 4)
			w.Plain = append(w.Plain, fmt.Sprint(w.Log.Len()))
			return w, nil
		}, graph.All()).
		Edge(graph.Start, "start").Edge("start", "left").Edge("start", "right").Edge("left", "meet").Edge("right", "meet").
		Node("again", func(_ node.Context, w work) (work, error) { w.Title += "."; return w, nil }).
		Edge("meet", "again").
		Route("again", func(_ node.Context, w work) (string, error) {
			if w.Log.Len() < 8 {
				return "start", nil
			}
			return graph.End, nil
		}, "start", graph.End)
	return g.MustCompile()
}

func TestJ4_StatesWithListsAndMapsSurviveCrashes(t *testing.T) {
	report := fermatatest.Crash(t, growing().Plan(), func() any { return &work{Title: "t"} })
	got := report.Result.Value.(*work) //nolint:forcetypeassert // the codec makes nothing else
	if got.Log.Len() != 8 || got.Files.Len() != 3 || got.Count.Len() != 2 || got.Tree.Len() != 4 {
		t.Errorf("the run ended with %+v", got)
	}
	if files, _ := got.Files.Get("start"); files[0] != "kept" {
		t.Errorf("a node changed the state by what it got: %v", files)
	}
}

// The same graph stores nothing, and gives the same.
func TestN10_ListsAndMapsAreTheSameStoredOrNot(t *testing.T) {
	ctx := context.Background()
	live, err := growing().Run(ctx, work{Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	run, err := growing().Start(ctx, rt, work{Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := run.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(live, stored.State); diff != "" {
		t.Errorf("(-unstored +stored):\n%s", diff)
	}
}

// asking is a graph that adds, asks, and adds again.
func asking[S any](add func(S, string) S) *graph.Graph[S] {
	return graph.New[S]("asking").
		Node("ask", func(ctx node.Context, s S) (S, error) {
			s = add(s, "before")
			return s, nil
		}).
		Node("wait", func(ctx node.Context, s S) (S, error) {
			answer, err := node.Interrupt[string](ctx, nil)
			return add(s, answer), err
		}).
		Node("again", func(ctx node.Context, s S) (S, error) {
			answer, err := node.Interrupt[string](ctx, nil)
			return add(s, answer), err
		}).
		Edge(graph.Start, "ask").Edge("ask", "wait").Edge("wait", "again").MustCompile()
}

type (
	plainNotes struct {
		Notes []string       `json:"notes"`
		Seen  map[string]int `json:"seen"`
		Else  []string       `json:"else,omitempty"`
	}
	heldNotes struct {
		Notes state.List[string]     `json:"notes"`
		Seen  state.Map[string, int] `json:"seen"`
		Else  state.List[string]     `json:"else,omitzero"`
	}
)

func addPlain(n plainNotes, text string) plainNotes {
	if text == "" {
		return n
	}
	n.Notes = append(n.Notes, text)
	if n.Seen == nil {
		n.Seen = make(map[string]int)
	}
	n.Seen[text]++
	if text == "else" {
		n.Else = append(n.Else, text)
	}
	return n
}

func addHeld(n heldNotes, text string) heldNotes {
	if text == "" {
		return n
	}
	n.Notes = n.Notes.Append(text)
	seen, _ := n.Seen.Get(text)
	n.Seen = n.Seen.Set(text, seen+1)
	if text == "else" {
		n.Else = n.Else.Append(text)
	}
	return n
}

// A field may become a list or map of package state while a run waits, and a slice or a map again, with the same JSON.
func TestJ8_AFieldMayBecomeAPersistentListAndBack(t *testing.T) {
	nothing := func(n plainNotes, text string) plainNotes {
		if text == "before" {
			return n // the lists are null in the journal
		}
		return addPlain(n, text)
	}
	for name, plain := range map[string]*graph.Graph[plainNotes]{"with elements": asking(addPlain), "null": asking(nothing)} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			rt, err := fermata.New(fermata.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			held := asking(addHeld)
			begun, err := plain.Start(ctx, rt, plainNotes{})
			if err != nil {
				t.Fatal(err)
			}
			answer := func(res fermata.Result, err error, text string) {
				t.Helper()
				if err != nil || len(res.Interrupts) != 1 {
					t.Fatalf("%+v, %v", res, err)
				}
				if err := rt.Answer(ctx, res.Interrupts[0].ID, text); err != nil {
					t.Fatal(err)
				}
			}
			first, err := begun.Wait(ctx)
			answer(first.Result, err, "else")
			changed, err := held.Resume(ctx, rt, begun.ID())
			if err != nil {
				t.Fatal(err)
			}
			second, err := changed.Wait(ctx)
			answer(second.Result, err, "after")
			back, err := plain.Resume(ctx, rt, begun.ID())
			if err != nil {
				t.Fatal(err)
			}
			last, err := back.Wait(ctx)
			if err != nil {
				t.Fatal(err)
			}
			want := addPlain(addPlain(plainNotes{}, "else"), "after")
			if name != "null" {
				want = addPlain(addPlain(addPlain(plainNotes{}, "before"), "else"), "after")
			}
			if diff := cmp.Diff(want, last.State); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Schemas, shapes and sizes are those of the plain type.
func TestJ8_PersistentTypesAreDescribedAsPlainOnes(t *testing.T) {
	type plain struct {
		List []line          `json:"list"`
		Map  map[int8][]line `json:"map,omitzero"`
		Kind []string        `json:"kind" enum:"a,b"`
	}
	type held struct {
		List state.List[line]                  `json:"list"`
		Map  state.Map[int8, state.List[line]] `json:"map,omitzero"`
		Kind state.List[string]                `json:"kind" enum:"a,b"`
	}
	want, err := schema.For[plain]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.For[held]()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want.JSON()), string(got.JSON())); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if a, b := loss.Shape(reflect.TypeFor[plain]()), loss.Shape(reflect.TypeFor[held]()); a != b {
		t.Errorf("shapes %s and %s", a, b)
	}
	if got := loss.Shape(reflect.TypeFor[state.List[any]]()); got != "" {
		t.Errorf("a list that keeps everything has the shape %q", got)
	}
	v := held{
		List: state.ListOf(line{Who: "<ann>"}, line{Who: "bob"}),
		Map:  state.MapOf(map[int8]state.List[line]{-1: state.ListOf(line{}), 5: {}}),
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for limit := range len(data) + 3 {
		if over := canonical.Measure(reflect.ValueOf(v), limit); (over != nil) != (limit < len(data)) {
			t.Fatalf("of %d bytes, with a limit of %d: %v", len(data), limit, over)
		}
	}
	_, err = canonical.Marshal(v, len(data)-1)
	over, ok := errors.AsType[*canonical.Excess](err)
	if !ok || over.Limit != len(data)-1 {
		t.Errorf("got %v", err)
	}
}
