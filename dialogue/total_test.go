package dialogue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// notInTheDialogue is what operators may be told of a dialogue that loads: what users and actions do, and bounds that
// data runs into. Everything else would show in the file.
var notInTheDialogue = map[string]*regexp.Regexp{
	"a command for what there is not":   regexp.MustCompile(`^(a value for ".*" was dropped|no flow ".*" was begun|the slot ".*" was not cleared|nothing handles the command)`),
	"an action failed":                  regexp.MustCompile(`fails on purpose`),
	"a value that a slot cannot hold":   regexp.MustCompile(`cannot hold what step`),
	"a loop that data does not end":     regexp.MustCompile(`the flows made 1000 steps`),
	"flows that call each other":        regexp.MustCompile(`and no more can begin`),
	"a number that data divides by":     regexp.MustCompile(`^slot ".*": .*(divi|finite)`),
	"a text or number beyond all bound": regexp.MustCompile(`gets longer than|it is no finite number`),
}

// turnHeld is a message, and what came of it.
type turnHeld struct {
	message dialogue.Message
	before  dialogue.State // as it was when the message came
	asked   dialogue.Reply
	reply   dialogue.Reply
	effects []effect
}

// process is a program that holds one conversation.
type process struct {
	rt    *fermata.Runtime
	talks *dialogue.Conversations
	seen  *dialogue.State
}

func newProcess(store journal.Store, d *dialogue.Dialogue) (*process, error) {
	p := &process{}
	look := func(_ node.Context, _ dialogue.Command, s *dialogue.State) (dialogue.Delta, error) {
		p.seen = new(dialogue.State)
		data, err := json.Marshal(s)
		if err == nil {
			dec := json.NewDecoder(strings.NewReader(string(data)))
			dec.UseNumber()
			err = dec.Decode(p.seen)
		}
		return dialogue.Delta{}, err
	}
	var err error
	p.rt, err = fermata.New(fermata.Options{Store: store, Services: []any{&dialogue.Services{Handlers: map[dialogue.CommandType]dialogue.Handler{"look": look}}}})
	if err == nil {
		p.talks = dialogue.NewConversations(p.rt, d, dialogue.ConversationOptions{})
	}
	return p, err
}

// holdTalk holds a conversation in one process, and gives the turns.
func holdTalk(ctx context.Context, store journal.Store, d *dialogue.Dialogue, w *outside, n int, says func(i int, last dialogue.Reply) dialogue.Message) (turns []turnHeld, err error) {
	p, err := newProcess(store, d)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.rt.Close()) }()
	last, _, err := p.talks.Open(ctx, "c", map[string]any{"balance": balance})
	for i := range n {
		if err != nil || last.Closed {
			return turns, err
		}
		time.Sleep(time.Second)
		x := turnHeld{message: says(i, last), asked: last}
		if x.message.Silence {
			time.Sleep(700 * time.Second)
			turns = append(turns, x)
			info, err := p.rt.Info(ctx, "c")
			if err != nil || info.Status != string(fermata.Paused) {
				return turns, err // it is closed
			}
			continue
		}
		before := len(w.effects)
		p.seen = nil
		if len(x.message.Commands) > 0 {
			x.message.Commands = append([]dialogue.Command{{Type: "look"}}, x.message.Commands...)
		}
		if last, err = p.talks.Send(ctx, "c", x.message); err != nil {
			return append(turns, x), fmt.Errorf("message %d, %+v: %w", i, x.message, err)
		}
		if p.seen != nil {
			x.before = *p.seen
		}
		x.reply, x.effects = last, slices.Clone(w.effects[before:])
		turns = append(turns, x)
	}
	return turns, err
}

// again holds a conversation once more, message by message; the process dies where crash says, and another one goes on
// with the dialogue that is kept.
func again(ctx context.Context, store journal.Store, d *dialogue.Dialogue, w *outside, turns []turnHeld, crash func(i int) (appends int64, after bool)) error {
	p, err := newProcess(store, d)
	if err != nil {
		return err
	}
	defer func() { _ = p.rt.Close() }()
	if _, _, err := p.talks.Open(ctx, "c", map[string]any{"balance": balance}); err != nil {
		return err
	}
	for i, x := range turns {
		time.Sleep(time.Second)
		if x.message.Silence {
			time.Sleep(700 * time.Second)
			continue
		}
		if appends, after := crash(i); appends > 0 {
			if err := p.rt.Close(); err != nil {
				return err
			}
			dying := &mortal{Store: store, after: after}
			dying.left.Store(appends)
			q, err := newProcess(dying, d)
			if err != nil {
				return err
			}
			_, _ = q.talks.Send(ctx, "c", x.message)
			_ = q.rt.Close()
			if d, err = dialogue.Restore(d.Source(), w.options()); err != nil {
				return err
			}
			if p, err = newProcess(store, d); err != nil {
				return err
			}
		}
		r, err := p.talks.Send(ctx, "c", x.message)
		if err != nil {
			return fmt.Errorf("message %d, %+v: %w", i, x.message, err)
		}
		if diff := gocmp.Diff(x.reply.Texts(), r.Texts()); diff != "" {
			return fmt.Errorf("message %d, %+v: the reply: %s", i, x.message, diff)
		}
	}
	return nil
}

// heardAll is all that was said in a conversation, and told to operators.
func heardAll(ctx context.Context, store journal.Store, d *dialogue.Dialogue) (said, told []string, err error) {
	p, err := newProcess(store, d)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = p.rt.Close() }()
	for e, err := range p.rt.Events(ctx, "c", 0, false) {
		if err != nil {
			return said, told, err
		}
		switch e.Type() {
		case node.EventMessage:
			var s dialogue.Said
			data, err := e.Data()
			if err == nil {
				err = json.Unmarshal(data, &s)
			}
			if err != nil {
				return said, told, err
			}
			said = append(said, fmt.Sprintf("%d %s %s %s%s: %s", s.Turn, s.By, s.Flow, s.Type, s.Pattern, s.Prompt))
		case node.EventDiagnostic:
			var m struct{ Message string }
			data, err := e.Data()
			if err == nil {
				err = json.Unmarshal(data, &m)
			}
			if err != nil {
				return said, told, err
			}
			told = append(told, m.Message)
		}
	}
	return said, told, nil
}

// bubble runs a function at a time of its own, in which nothing takes long.
func bubble(t *testing.T, do func(ctx context.Context) error) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { err = do(context.Background()) })
	return err
}

// exploreTalks draws as many dialogues as FERMATA_EXPLORE says, from FERMATA_SEED on.
func exploreTalks(t *testing.T, usual string, check func(t *rapid.T)) {
	t.Helper()
	for name, value := range map[string]string{
		"rapid.checks": cmp.Or(os.Getenv("FERMATA_EXPLORE"), usual), "rapid.seed": cmp.Or(os.Getenv("FERMATA_SEED"), flag.Lookup("rapid.seed").Value.String()),
	} {
		before := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() {
			if err := flag.Set(name, before); err != nil {
				t.Error(err)
			}
		})
	}
	rapid.Check(t, check)
}

// checkTurn is what holds of every turn.
func checkTurn(g *dialogueDraw, x turnHeld) error {
	if len(x.reply.Said) == 0 && !x.message.Silence && !x.asked.Handoff && !x.reply.Handoff && !g.silent {
		return fmt.Errorf("%+v has no answer", x.message)
	}
	if x.reply.Busy {
		return fmt.Errorf("after %+v it waits for nobody", x.message)
	}
	for name, v := range x.before.Slots {
		if err := goodValue(name, g.shared[name], v); err != nil {
			return err
		}
	}
	for _, f := range x.before.Stack {
		i := slices.IndexFunc(g.flows, func(o *drawnFlow) bool { return o.name == f.Flow })
		for name, v := range f.Slots {
			if err := goodValue(name, g.flows[i].slots[name], v); err != nil {
				return err
			}
		}
	}
	return nil
}

var forms = map[string]*regexp.Regexp{
	"day": regexp.MustCompile(`^\d{4}-\d\d-\d\d$`), "hour": regexp.MustCompile(`^\d\d:\d\d$`), "moment": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$`),
	"size": regexp.MustCompile(`^(small|large)$`), "word": regexp.MustCompile(""), "who": regexp.MustCompile(""),
}

// goodValue says why a slot cannot hold what it holds.
func goodValue(name string, s *drawnSlot, v any) error {
	if s == nil || v == nil && s.optional {
		return nil
	}
	fits := false
	switch v := v.(type) {
	case string:
		fits = forms[name] != nil && forms[name].MatchString(v)
	case json.Number:
		fits = s.sort == numbers && (name != "count" && name != "limit" || float(v) == float64(int(float(v))))
	case bool:
		fits = s.sort == truths
	case []any:
		fits = s.sort == lists && !slices.ContainsFunc(v, func(e any) bool {
			text, ok := e.(string)
			return !ok || name == "sizes" && !forms["size"].MatchString(text)
		})
	case map[string]any:
		_, ok := v["a"].(json.Number)
		fits = s.sort == objects && ok
	}
	if !fits || s.doc["validate"] != nil && s.check.good != nil && !s.check.good(v) {
		return fmt.Errorf("the slot %s (%v) holds %#v", name, s.doc, v)
	}
	return nil
}

// talkTally counts what was drawn and what came of it.
type talkTally struct {
	drawn, loaded, turns, effects, crashes int
	used, told                             map[string]int
}

func (c *talkTally) log(t *testing.T) {
	t.Logf("%d dialogues drawn, %d loaded; %d turns, %d effects, %d crashes", c.drawn, c.loaded, c.turns, c.effects, c.crashes)
	for _, k := range slices.Sorted(maps.Keys(c.used)) {
		t.Logf("%5.1f%% of what loaded has %s", 100*float64(c.used[k])/float64(c.loaded), k)
	}
	for _, k := range slices.Sorted(maps.Keys(c.told)) {
		t.Logf("%6d times: %s", c.told[k], k)
	}
}

// talked draws dialogues, and holds a conversation with each that loads.
func talked(t *testing.T, right bool, usual string) *talkTally {
	t.Helper()
	c := &talkTally{used: make(map[string]int), told: make(map[string]int)}
	dir := t.TempDir()
	exploreTalks(t, usual, func(rt *rapid.T) {
		g := drawDialogue(rt, right)
		seed, n := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 25).Draw(rt, "messages")
		c.drawn++
		w := &outside{seed: seed}
		text := g.text()
		d, err := dialogue.Parse([]byte(text), "drawn.yaml", w.options())
		if _, wrong := errors.AsType[*definition.Error](err); err != nil && (right || !wrong) {
			rt.Fatalf("%v\n%s", err, text)
		}
		if err != nil {
			return
		}
		c.loaded++
		for k := range g.used {
			c.used[k]++
		}
		if turns, err := c.hold(t, dir, d, g, w, n); err != nil {
			var b strings.Builder
			for _, x := range turns {
				fmt.Fprintf(&b, "> %q %+v\n", x.message.Text, x.message.Commands)
				for _, s := range x.reply.Texts() {
					fmt.Fprintf(&b, "  %s\n", s)
				}
			}
			rt.Fatalf("%v\n%s\n%s", err, text, b.String())
		}
	})
	c.log(t)
	return c
}

// hold holds a conversation, and then the same on another store and with crashes.
func (c *talkTally) hold(t *testing.T, dir string, d *dialogue.Dialogue, g *dialogueDraw, w *outside, n int) (turns []turnHeld, err error) {
	var said []string
	err = bubble(t, func(ctx context.Context) (err error) {
		store := kept{memory.New()}
		u := &user{g: g, random: rand.New(rand.NewPCG(w.seed, 1)), words: w.seed%3 == 0}
		if turns, err = holdTalk(ctx, store, d, w, n, u.says); err != nil {
			return err
		}
		var told []string
		if said, told, err = heardAll(ctx, store, d); err != nil {
			return err
		}
		return c.judge(d, g, turns, told)
	})
	if err != nil {
		return turns, err
	}
	for name, other := range map[string]func() (journal.Store, error){
		"with crashes": func() (journal.Store, error) { return kept{memory.New()}, nil },
		"on sqlite": func() (journal.Store, error) {
			return sqlite.OpenWith(filepath.Join(dir, fmt.Sprint(c.loaded, ".db")), sqlite.Options{Sync: sqlite.Normal})
		},
	} {
		crash := func(int) (int64, bool) { return 0, false }
		if name == "with crashes" {
			random := rand.New(rand.NewPCG(w.seed, 2))
			crash = func(int) (int64, bool) {
				if random.IntN(4) > 0 {
					return 0, false
				}
				c.crashes++
				return 1 + random.Int64N(20), random.IntN(2) == 0
			}
		}
		if err := bubble(t, func(ctx context.Context) (err error) {
			store, err := other()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			return sameAgain(ctx, kept{store}, g, w, turns, said, crash)
		}); err != nil {
			return turns, fmt.Errorf("%s: %w", name, err)
		}
	}
	return turns, nil
}

// sameAgain holds a conversation once more, and compares what comes of it.
func sameAgain(ctx context.Context, store journal.Store, g *dialogueDraw, w *outside, turns []turnHeld, said []string, crash func(int) (int64, bool)) error {
	v := &outside{seed: w.seed}
	d, err := dialogue.Parse([]byte(g.text()), "drawn.yaml", v.options())
	if err != nil {
		return err
	}
	if err := again(ctx, store, d, v, turns, crash); err != nil {
		return err
	}
	saidAgain, _, err := heardAll(ctx, store, d)
	if err != nil {
		return err
	}
	if diff := gocmp.Diff(said, saidAgain); diff != "" {
		return fmt.Errorf("what is said: %s", diff)
	}
	if diff := gocmp.Diff(w.made(), v.made()); diff != "" {
		return fmt.Errorf("what is done: %s", diff)
	}
	return nil
}

// judge looks at what has come of a conversation.
func (c *talkTally) judge(d *dialogue.Dialogue, g *dialogueDraw, turns []turnHeld, told []string) error {
	c.turns += len(turns)
	for _, m := range told {
		why := ""
		for k, rule := range notInTheDialogue {
			if rule.MatchString(m) {
				why = k
			}
		}
		if c.told[why]++; why == "" {
			return fmt.Errorf("operators are told: %s", m)
		}
	}
	watch := guard(d)
	for _, x := range turns {
		if err := watch.turn(x); err != nil {
			return err
		}
		c.effects += len(x.effects)
		if err := checkTurn(g, x); err != nil {
			return err
		}
	}
	return nil
}

// TestDialoguesThatLoadConverse draws dialogues with mistakes, many of which are refused. No conversation of one that
// loads fails for a reason that the file shows.
func TestDialoguesThatLoadConverse(t *testing.T) {
	c := talked(t, false, "40")
	if c.loaded == 0 || c.loaded == c.drawn {
		t.Errorf("%d of %d dialogues loaded: expected some, and not all", c.loaded, c.drawn)
	}
}

// TestDialoguesThatAreRightLoad draws dialogues that are right by construction: none is refused.
func TestDialoguesThatAreRightLoad(t *testing.T) {
	exploreTalks(t, "200", func(rt *rapid.T) {
		text := drawDialogue(rt, true).text()
		if _, err := dialogue.Parse([]byte(text), "drawn.yaml", new(outside).options()); err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
	})
}

// TestDialoguesThatAreRightConverse holds a conversation with some of them.
func TestDialoguesThatAreRightConverse(t *testing.T) { talked(t, true, "15") }
