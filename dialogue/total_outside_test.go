package dialogue_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// effect is something that an action has done outside.
type effect struct {
	flow, step, action string
	in                 map[string]any
	key                string
}

// outside is what is outside of the conversations: actions that give what is said of them, or fail.
type outside struct {
	seed uint64

	mu      sync.Mutex
	effects []effect // each once: what comes again with its idempotency key has no effect
	times   int      // how often they were made
}

// random is chance that depends on the conversation and on what it is asked for alone.
func (w *outside) random(about string) *rand.Rand {
	h := fnv.New64()
	_, _ = h.Write([]byte(about))
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

// did notes what an action does.
func (w *outside) did(ctx node.Context, action string, in map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.times++
	key := node.IdempotencyKey(ctx)
	if slices.ContainsFunc(w.effects, func(e effect) bool { return e.key == key }) {
		return
	}
	e := effect{action: action, in: in, key: key}
	flow, step, _ := strings.Cut(ctx.Info().Task(), "/")
	e.flow, _ = node.CutTask(flow)
	e.step, _ = node.CutTask(step)
	w.effects = append(w.effects, e)
}

// made are the effects, one to a line.
func (w *outside) made() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.effects {
		all = append(all, fmt.Sprint(e.flow, "/", e.step, " ", e.action, " ", e.in, " ", e.key))
	}
	return all
}

var errOnPurpose = errors.New("fails on purpose")

// action is one that does what do gives, after a step that is noted.
func (w *outside) action(name string, do func(r *rand.Rand, attempt int) (any, error)) dialogue.Action {
	return dialogue.Action{Name: name, Run: func(ctx node.Context, in map[string]any) (any, error) {
		return node.Step(ctx, name, func(ctx node.Context) (any, error) {
			w.did(ctx, name, in)
			attempt := ctx.Info().Attempt
			return do(w.random(fmt.Sprint(node.IdempotencyKey(ctx), attempt)), attempt)
		})
	}}
}

// parsed is a schema.
func parsed(text string) *schema.Schema {
	s, err := schema.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return s
}

// options are those of dialogues that are drawn.
func (w *outside) options() dialogue.Options {
	pick := func(r *rand.Rand, all ...any) any { return all[r.IntN(len(all))] }
	typed := w.action("typed", func(r *rand.Rand, _ int) (any, error) {
		gives := map[string]any{
			"sum": pick(r, 0, -1, 2.5, 7, 1000), "whole": pick(r, 0, 7, 50), "word": pick(r, "", "Bob", "a long long text"), "good": r.IntN(2) == 0,
			"list": pick(r, []any{}, []any{"a"}, []any{"a", "b", "c"}), "size": pick(r, "small", "large"), "day": pick(r, "2026-11-25", "soon"),
		}
		if r.IntN(2) == 0 {
			gives["maybe"] = "15:30"
		}
		return gives, nil
	})
	typed.In = parsed(`{"type":"object","required":["number"],"properties":{"number":{"type":"number"},"word":{"type":"string"}}}`)
	typed.Out = parsed(`{"type":"object","additionalProperties":false,"required":["sum","whole","word","good","list","size","day"],"properties":{
		"sum":{"type":"number"},"whole":{"type":"integer"},"word":{"type":"string"},"good":{"type":"boolean"},"list":{"type":"array","items":{"type":"string"}},
		"size":{"enum":["small","large"]},"day":{"type":"string"},"maybe":{"type":"string"}}}`)
	return dialogue.Options{
		ActionsFrom: func(string, any) (dialogue.Action, error) {
			return w.action("own", func(*rand.Rand, int) (any, error) { return "given", nil }), nil
		},
		Actions: []dialogue.Action{
			typed,
			w.action("look", func(r *rand.Rand, _ int) (any, error) {
				return map[string]any{"any": pick(r, 0, "x", nil, []any{}, map[string]any{"a": 1}, false)}, nil
			}),
			w.action("pay", func(*rand.Rand, int) (any, error) { return nil, nil }),
			w.action("flaky", func(r *rand.Rand, attempt int) (any, error) {
				switch r.IntN(4) {
				case 0:
					return nil, node.Terminal(errOnPurpose)
				case 1:
					return nil, errOnPurpose
				}
				return attempt, nil
			}),
		},
	}
}

// user is somebody who talks to a dialogue that was drawn, sensibly most of the time.
type user struct {
	g      *dialogueDraw
	random *rand.Rand
	words  bool // says what is meant in words, and not in commands
}

func (u *user) often(percent int) bool { return u.random.IntN(100) < percent }

func anyOf[T any](u *user, list []T) T { return list[u.random.IntN(len(list))] }

// says is what the user says next.
func (u *user) says(i int, last dialogue.Reply) dialogue.Message {
	m := dialogue.Message{ID: fmt.Sprint("m", i), Text: fmt.Sprint("message ", i)}
	if last.Handoff {
		m.From, m.Done = "agent", true
		return m
	}
	if u.g.wait && u.often(8) {
		return dialogue.Message{Silence: true}
	}
	m.Commands = []dialogue.Command{u.sensible(last)}
	if u.often(25) {
		m.Commands = nil
		for range 1 + u.random.IntN(3) {
			m.Commands = append(m.Commands, u.any())
		}
	}
	if u.words && u.often(80) {
		var said []string
		for _, c := range m.Commands {
			said = append(said, u.spoken(c))
		}
		m.Text, m.Commands = strings.Join(said, anyOf(u, []string{" ", " and ", ", "})), nil
	}
	return m
}

// sensible answers what was asked.
func (u *user) sensible(last dialogue.Reply) dialogue.Command {
	p := last.Pending
	switch {
	case p == nil || u.often(5):
		return dialogue.Command{Type: dialogue.StartFlow, Flow: u.flow()}
	case p.Slot == "flow_name":
		return dialogue.Command{Type: dialogue.StartFlow, Flow: u.flow()}
	case p.IsCollect():
		return dialogue.Command{Type: dialogue.SetSlot, Slot: p.Slot, Value: anyOf(u, slotSorts[p.Slot].values)}
	case p.IsConfirm() && u.often(70):
		return dialogue.Command{Type: dialogue.Affirm}
	case p.IsConfirm() && u.often(40):
		return dialogue.Command{Type: dialogue.Deny}
	case p.IsConfirm():
		return dialogue.Command{Type: dialogue.Deny, SlotToChange: u.slot()}
	}
	return dialogue.Command{Type: dialogue.Affirm}
}

func (u *user) flow() string { return u.g.flows[u.random.IntN(len(u.g.flows))].name }

func (u *user) slot() string {
	f := anyOf(u, u.g.flows)
	names := slices.Clone(sharedNames)
	for name := range f.slots {
		names = append(names, name)
	}
	slices.Sort(names)
	return anyOf(u, append(names, "total", "nothing"))
}

// any is some command.
func (u *user) any() dialogue.Command {
	c := dialogue.Command{Type: anyOf(u, []dialogue.CommandType{
		dialogue.StartFlow, dialogue.SetSlot, dialogue.SetSlot, dialogue.CorrectSlot, dialogue.CorrectSlot, dialogue.ClearSlot, dialogue.Affirm,
		dialogue.Deny, dialogue.Clarify, dialogue.Chitchat, dialogue.Handoff, dialogue.Repeat, dialogue.Skip, dialogue.CancelFlow, "unheard_of",
	})}
	switch c.Type {
	case dialogue.Handoff:
		if !u.often(20) {
			c.Type = dialogue.Repeat
		}
	case dialogue.StartFlow, dialogue.CancelFlow:
		c.Flow = anyOf(u, []string{u.flow(), u.flow(), "nothing", ""})
	case dialogue.SetSlot, dialogue.CorrectSlot:
		c.Slot = u.slot()
		c.Value = anyOf(u, slices.Concat(slotSorts[c.Slot].values, slotSorts[c.Slot].said, []any{nil, "x"}))
		c.Confidence = anyOf(u, []float64{0, 0, 0, 1, 0.1})
	case dialogue.ClearSlot:
		c.Slot = u.slot()
	case dialogue.Deny:
		c.SlotToChange = anyOf(u, []string{"", u.slot()})
	case dialogue.Clarify:
		c.Options = []string{u.flow(), u.flow(), "nothing"}
	case dialogue.Chitchat:
		c.Text = anyOf(u, []string{"", "Ha."})
	}
	return c
}

// spoken is a command in words, as far as there are any.
func (u *user) spoken(c dialogue.Command) string {
	switch c.Type {
	case dialogue.StartFlow:
		return "do " + c.Flow
	case dialogue.SetSlot:
		return fmt.Sprint(anyOf(u, slices.Concat(slotSorts[c.Slot].values, slotSorts[c.Slot].said, []any{"x"})))
	case dialogue.CorrectSlot:
		return fmt.Sprintf("actually %s is %v", c.Slot, c.Value)
	case dialogue.Affirm:
		return "yes"
	case dialogue.Deny:
		return "no"
	case dialogue.ClearSlot:
		return "forget the " + c.Slot
	case dialogue.CancelFlow:
		return "never mind"
	case dialogue.Skip:
		return "skip"
	case dialogue.Repeat:
		return "what did you say"
	case dialogue.Handoff:
		return "a human please"
	}
	return anyOf(u, []string{"tell me a joke", "", "\xff\x00", "{{ x }}", "what", "👍"})
}
