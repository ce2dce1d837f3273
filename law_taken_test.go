package fermata_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// asksOf is a graph that asks one question and notes the answer as it has read it.
func asksOf[R any](opts ...node.AskOption) func() *graph.Graph[team] {
	return func() *graph.Graph[team] {
		return graph.Of("asks", func(ctx node.Context, s team) (team, error) {
			got, err := node.Interrupt[R](ctx, nil, opts...)
			if err != nil {
				return s, err
			}
			text, err := json.Marshal(got)
			s.Log = append(s.Log, string(text))
			return s, err
		}).MustCompile()
	}
}

// given answers the question of a new run, and tells what became of that: what the node has read, or the places at which the
// answer was refused, while the question is still open.
func given(t *testing.T, rt *fermata.Runtime, g *graph.Graph[team], answer string) string {
	t.Helper()
	run := startTeam(t, rt, g, team{})
	id := teamEnds(t, run, fermata.Paused).Interrupts[0].ID
	if err := rt.Answer(t.Context(), id, json.RawMessage(answer)); err != nil {
		known, ok := errors.AsType[*fermata.Error](err)
		wrong, explained := errors.AsType[*schema.Error](err)
		if !ok || known.Code != fermata.CodeInvalid || !explained {
			t.Fatalf("the answer %s: expected that it does not fit, with the reasons, found %v", answer, err)
		}
		if open := teamEnds(t, run, fermata.Paused).Interrupts; len(open) != 1 || open[0].ID != id {
			t.Fatalf("the answer %s is refused, and open are %v", answer, open)
		}
		return "refused at " + wrong.Problems[0].Path
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("the answer %s was taken, and the run is %s: %v, %v", answer, res.Status, res.Err, err)
	}
	if err := rt.Answer(t.Context(), id, json.RawMessage(answer)); err != nil {
		t.Errorf("the answer %s a second time: %v", answer, err)
	}
	return res.State.Log[0]
}

type invoice struct {
	Amount int
	Lines  []struct{ Price uint8 }    `json:",omitempty"`
	By     map[string]*big.Int        `json:",omitempty"`
	Next   *invoice                   `json:",omitempty"`
	Any    any                        `json:",omitempty"`
	Raw    json.RawMessage            `json:",omitempty"`
	Rates  map[string]map[int]float64 `json:",omitempty"`
}

// An answer is read by the node that asked for it, or it is refused where it is given.
func TestH2_AnAnswerIsReadOrRefused(t *testing.T) {
	rt, _ := inMemory(t)
	tall := json.RawMessage(`{"type":"object","properties":{"n":{"oneOf":[{"type":"string"},{"type":"integer"}]},
		"x":{"if":{"type":"number"},"then":{"type":"integer"}}}}`)
	for _, c := range []struct {
		name    string
		graph   func() *graph.Graph[team]
		answers [][2]string // what is given, and what is read
	}{
		{"int", asksOf[int](), [][2]string{
			{"1.0", "1"},
			{"1e2", "100"},
			{"-0", "0"},
			{"-1.50E1", "-15"},
			{"1200e-2", "12"},
			{"0e99", "0"},
			{"9223372036854775807.0", "9223372036854775807"},
			{"9223372036854775808", "refused at "},
			{"1.5", "refused at "},
			{"1e19", "refused at "},
			{`"1"`, "refused at "},
		}},
		{"int8", asksOf[int8](), [][2]string{{"127.0", "127"}, {"1.28e2", "refused at "}, {"-128", "-128"}, {"-129", "refused at "}}},
		{"uint16", asksOf[uint16](), [][2]string{{"-0.0", "0"}, {"-0", "0"}, {"6.5535e4", "65535"}, {"65536", "refused at "}, {"-1", "refused at "}}},
		{"uint64", asksOf[uint64](), [][2]string{{"18446744073709551615", "18446744073709551615"}, {"1.8446744073709551615e19", "18446744073709551615"}, {"18446744073709551616", "refused at "}}},
		{"float64", asksOf[float64](), [][2]string{{"1e2", "100"}, {"1e400", "refused at "}, {"-1.8e308", "refused at "}, {"1.7e308", "1.7e+308"}}},
		{"float32", asksOf[float32](), [][2]string{{"3.5e38", "refused at "}, {"1.5e0", "1.5"}}},
		{"[]float64", asksOf[[]float64](), [][2]string{{"[1,1e309]", "refused at /1"}}},
		{"time", asksOf[time.Time](), [][2]string{
			{`"2026-12-31T23:59:60Z"`, "refused at "},
			{`"2026-01-01t00:00:00z"`, "refused at "},
			{`"2026-02-30T00:00:00Z"`, "refused at "},
			{`"2026-01-01T00:00:00.5+01:00"`, `"2026-01-01T00:00:00.5+01:00"`},
		}},
		{"bytes", asksOf[[]byte](), [][2]string{{`"!!!"`, "refused at "}, {`"YQ"`, "refused at "}, {`"YQ=="`, `"YQ=="`}, {"null", "null"}}},
		{"map", asksOf[map[int]int](), [][2]string{
			{`{"1":1,"-2":2.0}`, `{"-2":2,"1":1}`},
			{`{"1":1,"1":2}`, "refused at /1"},
			{`{"1.0":1}`, "refused at "},
			{`{"99999999999999999999":1}`, "refused at /99999999999999999999"},
			{`{"1":1,"01":2}`, "refused at /01"},
			{`{"007":1}`, `{"7":1}`},
		}},
		{"unsigned map", asksOf[map[string]map[uint]bool](), [][2]string{
			{`{"1":{"18446744073709551615":true},"01":{}}`, `{"01":{},"1":{"18446744073709551615":true}}`},
			{`{"a":{"0":true,"00":true}}`, "refused at /a/00"},
			{`{"a":{"18446744073709551616":true}}`, "refused at /a/18446744073709551616"},
		}},
		{"struct", asksOf[invoice](), [][2]string{
			{`{"Amount":250.0}`, `{"Amount":250}`},
			{`{"Amount":1,"Amount":2}`, "refused at /Amount"},
			{`{"Amount":1,"Amoun\u0074":2}`, "refused at /Amount"},
			{`{"Amount":1,"Lines":[{"Price":1},{"Price":2e2}]}`, `{"Amount":1,"Lines":[{"Price":1},{"Price":200}]}`},
			{`{"Amount":1,"Lines":[{"Price":1},{"Price":3e2}]}`, "refused at /Lines/1/Price"},
			{`{"Amount":1,"By":{"x":1e30,"y":null}}`, `{"Amount":1,"By":{"x":1000000000000000000000000000000,"y":null}}`},
			{`{"Amount":1,"Next":{"Amount":2.0,"Next":{"Amount":3e0}}}`, `{"Amount":1,"Next":{"Amount":2,"Next":{"Amount":3}}}`},
			{`{"Amount":1,"Any":{"a":[{"b":1,"b":1}]}}`, "refused at /Any/a/0/b"},
			{`{"Amount":1,"Any":[1.0,1e400],"Raw":1.50}`, `{"Amount":1,"Any":[1.0,1e400],"Raw":1.50}`},
			{`{"Amount":1,"Rates":{"a":{"1":1e400}}}`, "refused at /Rates/a/1"},
		}},
		{"a schema of the author's", asksOf[json.RawMessage](node.ResponseSchema(tall)), [][2]string{
			{`{"n":2.0,"x":3e0,"y":4.0}`, `{"n":2,"x":3,"y":4.0}`},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, a := range c.answers {
				if found := given(t, rt, c.graph(), a[0]); found != a[1] {
					t.Errorf("the answer %s: expected %s, found %s", a[0], a[1], found)
				}
			}
		})
	}
}

// An answer that says the same in other words is the same answer.
func TestH2_TheSameNumberIsTheSameAnswer(t *testing.T) {
	rt, _ := inMemory(t)
	for _, c := range []struct {
		graph   *graph.Graph[team]
		answers []string
		other   string
	}{
		{asksOf[int]()(), []string{"1.0", "1", "10e-1"}, "2"},
		{asksOf[float64]()(), []string{"1.50", "1.5", "15e-1"}, "1.51"},
		{asksOf[any]()(), []string{`{"a":1,"b":[2.0]}`, `{"b":[2],"a":1.0}`}, `{"b":[2],"a":"1"}`},
		{asksOf[any]()(), []string{`12345678901234567890`, `1234567890123456789e1`}, `12345678901234567891`},
	} {
		run := startTeam(t, rt, c.graph, team{})
		id := teamEnds(t, run, fermata.Paused).Interrupts[0].ID
		for _, answer := range c.answers {
			if err := rt.Answer(t.Context(), id, json.RawMessage(answer)); err != nil {
				t.Errorf("%s after %s: %v", answer, c.answers[0], err)
			}
		}
		if err := rt.Answer(t.Context(), id, json.RawMessage(c.other)); !errors.Is(err, fermata.ErrAnswered) {
			t.Errorf("%s after %s: expected a conflict, found %v", c.other, c.answers[0], err)
		}
	}
}

// Answers to several questions, those of deadlines and those to nodes of dataflows are taken in the same form.
func TestH2_EveryWayToAnswerIsChecked(t *testing.T) {
	rt, _ := inMemory(t)
	t.Run("several", func(t *testing.T) {
		run := startTeam(t, rt, asksOf[int]()(), team{})
		id := teamEnds(t, run, fermata.Paused).Interrupts[0].ID
		if err := rt.AnswerAll(t.Context(), map[string]any{id: json.RawMessage("1.0")}); err != nil {
			t.Fatal(err)
		}
		if got := teamEnds(t, run, fermata.Completed).State.Log; got[0] != "1" {
			t.Errorf("read %s", got)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		fits := asksOf[int](node.Within(time.Millisecond), node.OrEscalate("boss", time.Millisecond), node.OrDefault(json.RawMessage("1.0")))()
		run := startTeam(t, rt, fits, team{})
		for {
			res, err := run.Wait(timeLimit(t))
			if err == nil && res.Status == fermata.Paused {
				time.Sleep(time.Millisecond)
				continue
			}
			if err != nil || res.Status != fermata.Completed || res.State.Log[0] != "1" {
				t.Fatalf("the run is %s: %v, %v, %v", res.Status, res.State.Log, res.Err, err)
			}
			break
		}
		twice := asksOf[map[string]int](node.Within(time.Hour), node.OrDefault(json.RawMessage(`{"a":1,"a":2}`)))()
		if res := teamEnds(t, startTeam(t, rt, twice, team{}), fermata.Failed); res.Err == nil {
			t.Error("a default that does not fit was taken")
		}
	})
	t.Run("dataflow", func(t *testing.T) {
		g := dataflow.Must(dataflow.New("d", dataflow.Interrupt[string, int]("ask", "q", "n"),
			dataflow.Func("use", "m", func(_ node.Context, in struct{ N int }) (int, error) { return in.N + 1, nil })))
		run, err := g.Start(timeLimit(t), rt, dataflow.Values{"q": "how many?"}, fermata.WithID("flow"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(timeLimit(t)); err != nil {
			t.Fatal(err)
		}
		open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: "flow"})
		if err != nil || len(open) != 1 {
			t.Fatal(open, err)
		}
		if err := rt.Answer(t.Context(), open[0].ID, json.RawMessage("1.0")); err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(timeLimit(t))
		if diff := cmp.Diff("2", fmt.Sprint(res.Outputs["m"])); err != nil || diff != "" {
			t.Errorf("%v, %v (-want +got):\n%s", err, res.Err, diff)
		}
	})
}
