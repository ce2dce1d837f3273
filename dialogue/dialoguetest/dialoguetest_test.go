package dialoguetest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

var every = flag.Int("every", 0, "crash at every n-th append, in place of what each test has")

// places is at which appends conversations crash: all of them take half an hour.
func places(normal int) int {
	switch {
	case *every > 0:
		return *every
	case os.Getenv("FERMATA_EXPLORE") != "":
		return 7
	}
	return normal
}

var update = flag.Bool("update", false, "write what conversations come to into tests that do not say it")

// calculated makes actions of expressions: {kind: expr, set: {name: expression}}.
func calculated(name string, spec any) (dialogue.Action, error) {
	var m map[string]any
	if text, ok := spec.(json.RawMessage); ok {
		_ = json.Unmarshal(text, &m) // what is no mapping is refused
	}
	set, _ := m["set"].(map[string]any)
	if m["kind"] != "expr" || len(set) == 0 {
		return dialogue.Action{}, errors.New("expected {kind: expr, set: {…}}")
	}
	codes := make(map[string]*expression.Expression)
	for key, text := range set {
		code, fault := expression.Compile(fmt.Sprint(text))
		if fault != nil {
			return dialogue.Action{}, fmt.Errorf("set.%s: %s", key, fault.Message)
		}
		codes[key] = code
	}
	return dialogue.Action{Name: name, Run: func(_ node.Context, in map[string]any) (any, error) {
		out := make(map[string]any, len(codes))
		for key, code := range codes {
			v, err := code.Result(expression.NewScope(in, nil))
			if err != nil {
				return nil, node.Terminal(err)
			}
			out[key] = v
		}
		return out, nil
	}}, nil
}

// TestJ5_Examples runs the transcripts of the examples, understood by phrases and as a model would, each with crashes
// at every append or at some, see places.
func TestJ5_Examples(t *testing.T) {
	opts := dialoguetest.Options{Dialogue: dialogue.Options{ActionsFrom: calculated}, Crash: !testing.Short() && !*update, Every: places(59)}
	files, err := dialoguetest.Find("../../examples/dialogues")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			if *update {
				report, err := dialoguetest.Check(t.Context(), file, opts)
				if err != nil {
					t.Fatal(err)
				}
				n, err := dialoguetest.Update(report)
				t.Log(file, n, "lines written", err)
			}
			dialoguetest.Run(t, opts, file)
		})
	}
}

// TestG_TurnsInWords runs conversations by pattern, in English and in German, each as phrases understand it and once more with
// the same commands from a model: cancels, corrections, words that are no text, digressions, several things at once.
func TestG_TurnsInWords(t *testing.T) {
	for _, file := range []string{"testdata/turns.yaml", "testdata/turns-de.yaml"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			opts := dialoguetest.Options{Crash: !testing.Short() && !*update, Every: places(293)}
			if *update {
				report, err := dialoguetest.Check(t.Context(), file, opts)
				if err != nil {
					t.Fatal(err)
				}
				n, err := dialoguetest.Update(report)
				t.Log(file, n, "lines written", err)
			}
			opts.NLU = dialoguetest.Phrases
			dialoguetest.Run(t, opts, file)
			dialoguetest.Run(t, dialoguetest.Options{NLU: dialoguetest.Model}, file) // it does the same, so it need not crash as well
		})
	}
}

// TestG_TurnsOfConversations runs the transcripts of the turns that conversations take: corrections of earlier slots, what
// is behind a yes, digressions, flows that call others, loops, silence and handoffs, each with crashes.
func TestG_TurnsOfConversations(t *testing.T) {
	dialoguetest.Run(t, dialoguetest.Options{NLU: dialoguetest.Phrases, Crash: !testing.Short(), Every: places(29)}, "testdata/core.yaml")
	report, err := dialoguetest.Check(t.Context(), "testdata/core.yaml", dialoguetest.Options{NLU: dialoguetest.Phrases})
	if err != nil {
		t.Fatal(err)
	}
	want := dialoguetest.Coverage{Flows: 7, Steps: 27, Patterns: 3, StepsMissed: []string{"mends/fine"}}
	if diff := cmp.Diff(want, report.Coverage); diff != "" {
		t.Errorf("what was reached (-want +got):\n%s", diff)
	}
}

// TestGerman runs the transcripts of a dialogue in German: what users say, and what it says by itself.
func TestGerman(t *testing.T) {
	dialoguetest.Run(t, dialoguetest.Options{}, "../testdata/understood/german.yaml")
}

// TestJ5_WhichFlowIsMeant runs the transcripts of two shops whose users say what they want in words that no trigger has, each
// with crashes: a flow begins, or the user is asked which one is meant and answers by its number, its name, other words, yes
// or no.
func TestJ5_WhichFlowIsMeant(t *testing.T) {
	for _, file := range []string{"../testdata/understood/shop.yaml", "../testdata/understood/laden.yaml"} {
		dialoguetest.Run(t, dialoguetest.Options{Crash: !testing.Short(), Every: places(7)}, file)
	}
}

// TestN3_AYesCountsForTheQuestionThatWasSeen asks again where the question has changed between the asking and the yes: the
// day that it names is over.
func TestN3_AYesCountsForTheQuestionThatWasSeen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vote.yaml")
	if err := os.WriteFile(file, []byte(`kind: Dialogue
flows:
  vote:
    trigger: [vote]
    steps:
      - {id: sure, type: confirm, message: "Vote on {{ today }}?"}
      - {id: voted, type: say, message: Voted.}
tests:
  - name: the day is over
    now: 2026-11-20T23:59:00Z
    talk:
      - {user: vote, commands: [{type: start_flow, flow_name: vote}], bot: "Vote on Friday 20 November?"}
      - {user: "yes", after: 2m, commands: [{type: affirm}], bot: "Vote on Saturday 21 November?"}
      - {user: "yes", commands: [{type: affirm}], bot: [Voted., Is there anything else?]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	dialoguetest.Run(t, dialoguetest.Options{}, file)
}

// TestF1_AScriptedActionFailsOnceAndThenWorks: a transient error is tried again as often as retries says, any other is not.
func TestF1_AScriptedActionFailsOnceAndThenWorks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "look.yaml")
	if err := os.WriteFile(file, []byte(`kind: Dialogue
flows:
  look:
    trigger: [look]
    steps:
      - {id: look, type: action, call: look, retries: 1, outputs: {x: x}, on_error: none}
      - {id: found, type: say, message: "{{ x }}.", next: end}
      - {id: none, type: say, message: Nothing.}
tests:
  - name: busy once
    actions: {look: [{error: busy, transient: true}, {x: 5}]}
    talk: [{user: look, commands: [{type: start_flow, flow_name: look}], bot: [5., Is there anything else?], calls: [look, look]}]
  - name: busy for long
    actions: {look: {error: busy, transient: true}}
    talk: [{user: look, commands: [{type: start_flow, flow_name: look}], bot: [Nothing., Is there anything else?], calls: [look, look]}]
  - name: gone
    actions: {look: [{error: gone}, {x: 5}]}
    talk: [{user: look, commands: [{type: start_flow, flow_name: look}], bot: [Nothing., Is there anything else?], calls: [look]}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	dialoguetest.Run(t, dialoguetest.Options{Crash: true}, file)
}

// TestN10_ConversationsOfTheFeatures holds the conversations of testdata/conversations, one file for each feature: with
// phrases and with a model, and with a crash before and after everything that is stored.
func TestN10_ConversationsOfTheFeatures(t *testing.T) {
	dialoguetest.Run(t, dialoguetest.Options{Crash: true}, "../testdata/conversations")
}
