package node_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

type verdict struct {
	Approve bool   `json:"approve"`
	Note    string `json:"note,omitempty"`
}

func schemaOf[T any](t *testing.T) []byte {
	t.Helper()
	s, err := schema.For[T]()
	if err != nil {
		t.Fatal(err)
	}
	return s.JSON()
}

// What each option makes of a question.
// verdictIs is what the schema of a verdict is called.
var verdictIs = schema.Identity{ID: "verdict", Version: "c18ceffe0552"}

func TestH1_OptionsOfAQuestion(t *testing.T) {
	verdicts := schemaOf[verdict](t)
	tests := []struct {
		name    string
		request any
		opts    []node.AskOption
		op      string
		want    nodehost.Question
	}{
		{"none", nil, nil, "interrupt:interrupt#1", nodehost.Question{ResponseSchema: verdicts, ResponseIdentity: verdictIs, Unnamed: true}},
		{
			"a name", nil,
			[]node.AskOption{node.ID("ok")},
			"interrupt:ok#1",
			nodehost.Question{ResponseSchema: verdicts, ResponseIdentity: verdictIs},
		},
		{
			"a request, a prompt and a role",
			map[string]int{"amount": 5},
			[]node.AskOption{node.Prompt("Pay?"), node.Role("manager")},
			"interrupt:interrupt#1",
			nodehost.Question{Request: []byte(`{"amount":5}`), ResponseSchema: verdicts, ResponseIdentity: verdictIs, Prompt: "Pay?", Role: "manager", Unnamed: true},
		},
		{
			"for one person, and not for others", nil,
			[]node.AskOption{node.Assignee("Ada"), node.FourEyes(), node.NotBy("draft"), node.NotBy("check"), node.ShownAs("review")},
			"interrupt:interrupt#1",
			nodehost.Question{
				ResponseSchema: verdicts, ResponseIdentity: verdictIs, Assignee: "Ada", FourEyes: true, NotBy: []string{"draft", "check"},
				Kind: "review", Unnamed: true,
			},
		},
		{
			"a schema", nil,
			[]node.AskOption{node.ResponseSchema([]byte(`{"type":"integer"}`)), node.Options("1")},
			"interrupt:interrupt#1",
			nodehost.Question{Options: []string{"1"}, ResponseSchema: []byte(`{"type":"integer"}`), Unnamed: true},
		},
		{
			"a deadline", nil,
			[]node.AskOption{node.Within(time.Hour)},
			"interrupt:interrupt#1",
			nodehost.Question{ResponseSchema: verdicts, ResponseIdentity: verdictIs, Within: time.Hour, Unnamed: true},
		},
		{
			"a default", nil,
			[]node.AskOption{node.Within(time.Hour), node.OrDefault(verdict{Note: "late"})},
			"interrupt:interrupt#1",
			nodehost.Question{
				ResponseSchema: verdicts, ResponseIdentity: verdictIs, Within: time.Hour, Unnamed: true,
				AtDeadline: nodehost.Deadline{Do: nodehost.DeadlineDefault, Answer: []byte(`{"approve":false,"note":"late"}`)},
			},
		},
		{
			"a route", nil,
			[]node.AskOption{node.OrRoute("late"), node.Within(time.Hour)},
			"interrupt:interrupt#1",
			nodehost.Question{
				ResponseSchema: verdicts, ResponseIdentity: verdictIs, Within: time.Hour, Unnamed: true,
				AtDeadline: nodehost.Deadline{Do: nodehost.DeadlineRoute, Target: "late"},
			},
		},
		{
			"two escalations and a route", nil,
			[]node.AskOption{node.Within(time.Hour), node.OrEscalate("chief", 2*time.Hour), node.OrEscalate("owner", 0), node.OrRoute("late")},
			"interrupt:interrupt#1",
			nodehost.Question{
				ResponseSchema: verdicts, ResponseIdentity: verdictIs, Within: time.Hour, Unnamed: true,
				AtDeadline: nodehost.Deadline{Do: nodehost.DeadlineEscalate, Role: "chief", Within: 2 * time.Hour, Then: &nodehost.Deadline{
					Do: nodehost.DeadlineEscalate, Role: "owner", Then: &nodehost.Deadline{Do: nodehost.DeadlineRoute, Target: "late"},
				}},
			},
		},
		{
			"an escalation that fails in the end", nil,
			[]node.AskOption{node.Within(time.Hour), node.OrEscalate("chief", time.Hour)},
			"interrupt:interrupt#1",
			nodehost.Question{
				ResponseSchema: verdicts, ResponseIdentity: verdictIs, Within: time.Hour, Unnamed: true,
				AtDeadline: nodehost.Deadline{Do: nodehost.DeadlineEscalate, Role: "chief", Within: time.Hour, Then: &nodehost.Deadline{}},
			},
		},
	}
	for _, tt := range tests {
		for _, waits := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", waits ", waits), func(t *testing.T) {
				h := newHost()
				want := tt.want
				want.Waits = waits
				if tt.name == "a schema" { // which does not say what the type reads
					want.Shape = "6vz2m138tgo9"
				}
				calls := []string{"Begin " + tt.op, "Ask " + tt.op}
				var err error
				if waits {
					calls = append(calls, "Answered "+tt.op)
					if _, err = node.Interrupt[verdict](h.next(t), tt.request, tt.opts...); errors.Is(err, node.ErrSuspended) {
						err = nil
					}
				} else {
					_, err = node.Ask[verdict](h.next(t), tt.request, tt.opts...)
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(calls, h.calls); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want, h.questions[tt.op]); diff != "" {
					t.Errorf("question (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// What cannot be asked is refused before anybody sees it.
func TestN8_QuestionsThatCannotBeAsked(t *testing.T) {
	h := newHost()
	_, err := node.Ask[bool](h.next(t), make(chan int))
	if !errors.Is(err, node.ErrNotStorable) || len(h.questions) > 0 {
		t.Errorf("a request that cannot be stored: %v", err)
	}
	_, err = node.Ask[bool](h.next(t), nil, node.OrDefault(make(chan int)))
	if !errors.Is(err, node.ErrNotStorable) || len(h.questions) > 0 {
		t.Errorf("a default that cannot be stored: %v", err)
	}
	_, err = node.Ask[chan int](h.next(t), nil)
	if err == nil || len(h.questions) > 0 {
		t.Errorf("an answer of a type that no JSON fits: %v", err)
	}
}

// How a question can end for the node that asked it.
func TestN5_WaitReturnsTheAnswer(t *testing.T) {
	tests := []struct {
		name           string
		value, failure string
		want           verdict
		err            string
		is             error
	}{
		{"answered", `{"approve":true,"note":"fine"}`, "", verdict{Approve: true, Note: "fine"}, "", nil},
		{
			"nobody answered", "", node.ErrExpired.Error(),
			verdict{},
			"task in/a#2, interrupt:ok#1: nobody answered before the deadline", node.ErrExpired,
		},
		{"taken back", "", node.ErrWithdrawn.Error(), verdict{}, "task in/a#2, interrupt:ok#1: the question was withdrawn", node.ErrWithdrawn},
		{
			"of another type", `{"approve":"yes"}`, "",
			verdict{},
			"interrupt:ok#1: the recorded value does not fit node_test.verdict any more: " +
				"json: cannot unmarshal string into Go struct field verdict.approve of type bool", nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost()
			if _, err := node.Interrupt[verdict](h.next(t), nil, node.ID("ok")); !errors.Is(err, node.ErrSuspended) {
				t.Fatalf("the error is %v", err)
			}
			h.answer("interrupt:ok#1", tt.value, tt.failure)
			got, err := node.Interrupt[verdict](h.next(t), nil, node.ID("ok"))
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tt.err || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("the error is %q, want %q", text, tt.err)
			}
			if tt.err == "" {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Who answered and when is known once the answer is.
func TestH1_WhoAnswered(t *testing.T) {
	h := newHost()
	q, err := node.Ask[json.Number](h.next(t), nil, node.ID("ok"))
	if err != nil {
		t.Fatal(err)
	}
	if q.By() != "" || !q.At().IsZero() {
		t.Errorf("before the answer: %q, %v", q.By(), q.At())
	}
	h.answer("interrupt:ok#1", "5", "")
	if _, err := q.Wait(); err != nil {
		t.Fatal(err)
	}
	if q.By() != "Ada" || !q.At().Equal(noon) {
		t.Errorf("after the answer: %q, %v", q.By(), q.At())
	}
}

func TestErrorsSayWhere(t *testing.T) {
	diverged := error(&node.DivergedError{Task: "a#1", Expected: "step:x#1", Found: "step:y#1"})
	want := "task a#1: the journal holds step:x#1 here, the code asked for step:y#1; " +
		"code that has run must keep its calls; for tasks that began before, choose the old ones with node.Changed"
	if diverged.Error() != want || !errors.Is(diverged, node.ErrDiverged) {
		t.Errorf("it says %q, want %q", diverged.Error(), want)
	}
	cause := errors.New("cause")
	panicked := error(&node.PanicError{Value: fmt.Errorf("wrapped: %w", cause)})
	if panicked.Error() != "panic: wrapped: cause" || !errors.Is(panicked, cause) {
		t.Errorf("it says %q", panicked.Error())
	}
	if text := (&node.PanicError{Value: 5}); text.Error() != "panic: 5" || text.Unwrap() != nil {
		t.Errorf("it says %q", text.Error())
	}
}

// Options are the answers of a question for a text, and must fit the type of the answer of any other (law N8).
func TestN8_OptionsFitTheAnswer(t *testing.T) {
	h := newHost()
	if _, err := node.Ask[string](h.next(t), nil, node.Options("yes", `"no"`)); err != nil {
		t.Fatal(err)
	}
	want := nodehost.Question{Options: []string{"yes", `"no"`}, ResponseSchema: []byte(`{"enum":["yes","\"no\""],"type":"string"}`), Unnamed: true}
	if diff := cmp.Diff(want, h.questions["interrupt:interrupt#1"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := node.Interrupt[int](newHost().next(t), nil, node.Options("many"))
	if err == nil || !strings.Contains(err.Error(), `the option "many" does not fit the type of the answer`) {
		t.Errorf("the error is %v", err)
	}
}
