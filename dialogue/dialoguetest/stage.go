package dialoguetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// began is when conversations of tests begin that do not say when: a Friday.
var began = time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC)

// stages are those of a file: one for each set of actions whose results tests give, since loading a dialogue takes longer
// than a conversation.
type stages struct {
	file  string
	opts  dialogue.Options
	ready map[string]*stage // by the names of these actions
}

// of is the stage of a test, which is ready to run on it until another test is.
func (all *stages) of(t *dialogue.Test) (*stage, error) {
	key := strings.Join(slices.Sorted(maps.Keys(t.Actions)), "\n")
	s := all.ready[key]
	if s == nil {
		var err error
		if s, err = newStage(all.file, t, all.opts); err != nil {
			return nil, err
		}
		all.ready[key] = s
	}
	s.play(t)
	return s, nil
}

// stage is a test that is ready to run: a dialogue whose actions do what the test says.
type stage struct {
	loaded   *dialogue.Dialogue // as its file has it
	dialogue *dialogue.Dialogue // in the language of the test
	test     *dialogue.Test
	lines    []*dialogue.TestLine // but for the opening

	mu      sync.Mutex
	turn    int                  // which of the lines was said last, from 1; 0 for none
	calls   []Call               // in order
	scripts map[string]int       // a call -> which of the results of its action
	used    map[string]int       // action -> how many of its results were given
	effects map[string]int       // action -> how often it took effect
	missing []*dialogue.TestLine // lines of which the test does not say what a model understands
}

// Call is a call of an action in a test.
type Call struct {
	Action string         `json:"action"`
	With   map[string]any `json:"with,omitempty"`
	key    string
	turn   int
}

func newStage(file string, t *dialogue.Test, opts dialogue.Options) (*stage, error) {
	s := &stage{test: t}
	own, err := actionsIn(file)
	if err != nil {
		return nil, err
	}
	for name := range t.Actions {
		if !own[name] && !slices.ContainsFunc(opts.Actions, func(a dialogue.Action) bool { return a.Name == name }) {
			opts.Actions = append(slices.Clone(opts.Actions), dialogue.Action{Name: name})
		}
	}
	s.loaded, err = dialogue.Load(file, s.options(opts))
	return s, err
}

// play makes the stage ready for a test that gives the results of the same actions.
func (s *stage) play(t *dialogue.Test) {
	s.test, s.lines, s.dialogue = t, nil, s.loaded.In(t.Language)
	for i := range t.Talk {
		if !t.Talk[i].Opening {
			s.lines = append(s.lines, &t.Talk[i])
		}
	}
	s.reset()
}

// actionsIn are the names of the actions that a file defines itself.
func actionsIn(file string) (map[string]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Actions map[string]any `yaml:"actions"`
	}
	names := make(map[string]bool)
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return names, nil //nolint:nilerr // Load says what is wrong
	}
	for name := range doc.Actions {
		names[name] = true
	}
	return names, nil
}

// options are those of the dialogue, with actions that do what the test says.
func (s *stage) options(o dialogue.Options) dialogue.Options {
	var actions []dialogue.Action
	for _, a := range o.Actions {
		actions = append(actions, s.action(a))
	}
	from := o.ActionsFrom
	o.Actions, o.ActionsFrom = actions, func(name string, spec any) (dialogue.Action, error) {
		if from == nil {
			return s.action(dialogue.Action{Name: name}), nil
		}
		a, err := from(name, spec)
		a.Name = name
		return s.action(a), err
	}
	return o
}

// action is an action as the test has it.
func (s *stage) action(a dialogue.Action) dialogue.Action {
	name, run, input := a.Name, a.Run, a.Input
	if _, ok := s.test.Actions[name]; ok {
		a.Plan, a.Input, a.Result = nil, nil, nil
		a.Run = func(ctx node.Context, in map[string]any) (any, error) { return s.instead(ctx, name, in) }
		return a
	}
	switch {
	case a.Plan != nil:
		a.Input = func(in map[string]any) (any, error) {
			s.note(name, "", in)
			if input == nil {
				return in, nil
			}
			return input(in)
		}
	case run == nil:
		a.Run = func(node.Context, map[string]any) (any, error) {
			return nil, node.Terminal(fmt.Errorf("the test does not say under actions what %q gives", name))
		}
	default:
		a.Run = func(ctx node.Context, in map[string]any) (any, error) {
			s.note(name, callKey(ctx), in)
			return run(ctx, in)
		}
	}
	return a
}

func callKey(ctx node.Context) string {
	return fmt.Sprintf("%s@%d", node.IdempotencyKey(ctx), ctx.Info().Attempt)
}

// instead gives what the test says that an action gives.
func (s *stage) instead(ctx node.Context, name string, in map[string]any) (any, error) {
	key, results := callKey(ctx), s.test.Actions[name]
	s.note(name, key, in)
	s.mu.Lock()
	at, ok := s.scripts[key]
	if !ok {
		at = s.used[name]
		s.used[name]++
		s.scripts[key] = at
	}
	s.mu.Unlock()
	result := results[min(at, len(results)-1)]
	return node.Step(ctx, name, func(node.Context) (json.RawMessage, error) {
		s.mu.Lock()
		s.effects[name]++
		s.mu.Unlock()
		switch {
		case result.Error != "" && result.Transient:
			return nil, errors.New(result.Error)
		case result.Error != "":
			return nil, node.Terminal(errors.New(result.Error))
		}
		return json.Marshal(result.Value)
	})
}

// note notes a call of an action, once.
func (s *stage) note(name, key string, in map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == "" || !slices.ContainsFunc(s.calls, func(c Call) bool { return c.key == key }) {
		s.calls = append(s.calls, Call{Action: name, With: maps.Clone(in), key: key, turn: s.turn})
	}
}

// reset forgets what has happened.
func (s *stage) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn, s.calls, s.missing = 0, nil, nil
	s.scripts, s.used, s.effects = make(map[string]int), make(map[string]int), make(map[string]int)
}

// took is how often each action took effect.
func (s *stage) took() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.effects)
}

func (s *stage) begins() time.Time {
	if s.test.Now.IsZero() {
		return began
	}
	return s.test.Now
}

// due is when a line is said: the same always.
func (s *stage) due(n int) time.Time {
	at := s.begins()
	for _, l := range s.lines[:n] {
		if at = at.Add(l.After); l.Silence {
			at = at.Add(s.dialogue.Settings().Silence)
		}
	}
	return at
}

// answer is what is said to a question: that of the gate is the next line.
func (s *stage) answer(q fermata.Interrupt) any {
	path, visit := node.CutTask(q.Task)
	if path != "gate" || visit > len(s.lines) {
		return fermatatest.Rest
	}
	s.mu.Lock()
	s.turn = visit
	s.mu.Unlock()
	l := s.lines[visit-1]
	m := dialogue.Message{Text: l.User, Commands: l.Press}
	switch {
	case l.Event != nil:
		m = dialogue.Message{Event: l.Event.Name, Data: l.Event.Data}
	case l.Silence && q.Deadline == 0:
		return fermatatest.Rest // nothing comes of it
	case l.Silence:
		return fermatatest.NoAnswer
	case l.Agent != "" || l.Done:
		m = dialogue.Message{Text: l.Agent, From: "agent", Done: l.Done}
	}
	m.Language = l.Language
	return fermatatest.Signed{Answer: m, At: s.due(visit)}
}

// model is one that answers with the commands that the test writes beside the line that was said last.
func (s *stage) model() model.Model {
	return scripted.New(scripted.Script{Func: func(*model.Request) (scripted.Reply, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		l := s.lines[s.turn-1]
		if !l.HasCommands && !slices.Contains(s.missing, l) {
			s.missing = append(s.missing, l)
		}
		commands := slices.Clone(l.Commands)
		if commands == nil {
			commands = []dialogue.Command{}
		}
		data, err := json.Marshal(map[string]any{"commands": commands})
		return scripted.Reply{Text: string(data)}, err
	}})
}
