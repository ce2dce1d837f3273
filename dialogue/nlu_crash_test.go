package dialogue_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// bankTalk is a conversation with the bank, and what is understood of each message.
var bankTalk = []struct {
	says     string
	commands string
}{
	{"send money", `{"commands":[{"type":"start_flow","flow_name":"transfer"}]}`},
	{"Ada", `{"commands":[{"type":"set_slot","slot_name":"payee","slot_value":"Ada"}]}`},
	{"50", `{"commands":[{"type":"set_slot","slot_name":"amount","slot_value":50}]}`},
	{"yes", `{"commands":[{"type":"affirm"}]}`},
}

// TestJ5_AMessageIsUnderstoodOnceWhereverAProcessDies kills the process at each append of a conversation, before and after
// it, and sends the message again to another one. A message is understood once, by a program's own NLU and by a model;
// once more only where the process died before what was understood could be stored.
func TestJ5_AMessageIsUnderstoodOnceWhereverAProcessDies(t *testing.T) {
	for name, made := range map[string]func(asked func(text string)) (dialogue.NLU, []any){
		"a program's": func(asked func(text string)) (dialogue.NLU, []any) {
			return nlu(func(_ context.Context, turn *dialogue.Turn) []dialogue.Command {
				asked(turn.Text)
				switch turn.Text {
				case "send money":
					return []dialogue.Command{{Type: dialogue.StartFlow, Flow: "transfer"}}
				case "Ada":
					return []dialogue.Command{{Type: dialogue.SetSlot, Slot: "payee", Value: "Ada"}}
				case "50":
					return []dialogue.Command{{Type: dialogue.SetSlot, Slot: "amount", Value: 50}}
				}
				return []dialogue.Command{{Type: dialogue.Affirm}}
			}), nil
		},
		"a model": func(asked func(text string)) (dialogue.NLU, []any) {
			m := bankModel(asked)
			return dialogue.NewModelNLU(dialogue.ModelOptions{}), []any{m}
		},
	} {
		t.Run(name, func(t *testing.T) {
			more, deaths := 0, 0
			for n, survived := int64(1), false; !survived; n++ {
				for _, after := range []bool{false, true} {
					asked := make(map[string]int)
					d, services := made(func(text string) { asked[text]++ })
					died := understoodWhile(t, bankWith(t, d), services, n, after)
					if survived = !died; died {
						deaths++
					}
					extra := -len(bankTalk)
					for text, times := range asked {
						if extra += times; times > 2 {
							t.Errorf("append %d, after it %v: %q was understood %d times", n, after, text, times)
						}
					}
					if extra > 0 {
						more++
					}
					if extra < 0 || extra > 1 || extra == 1 && (after || !died) {
						t.Errorf("append %d, after it %v: understood: %v", n, after, asked)
					}
				}
			}
			t.Logf("%d deaths, of which %d made a message be understood once more", deaths, more)
			if more > len(bankTalk) || deaths < 2*len(bankTalk) {
				t.Errorf("%d of %d deaths made a message be understood once more; expected at most one for each of %d", more, deaths, len(bankTalk))
			}
		})
	}
}

// bankModel is a model that understands the conversation with the bank.
func bankModel(asked func(text string)) *scripted.Model {
	return scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
		text := r.Messages[len(r.Messages)-1].Text()
		text = text[strings.LastIndex(text, "<user>")+len("<user>") : strings.LastIndex(text, "</user>")]
		asked(text)
		for _, line := range bankTalk {
			if line.says == text {
				return scripted.Reply{Text: line.commands}, nil
			}
		}
		return scripted.Reply{}, fmt.Errorf("nobody said %q", text)
	}})
}

// understoodWhile holds the conversation; the process dies at its nth append.
func understoodWhile(t *testing.T, d *dialogue.Dialogue, services []any, n int64, after bool) (died bool) {
	t.Helper()
	store := kept{memory.New()}
	dying := &mortal{Store: store, after: after}
	dying.left.Store(n)
	rt, err := fermata.New(fermata.Options{Store: dying, Services: services})
	if err != nil {
		t.Fatal(err)
	}
	c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	next := func() {
		died = true
		_ = rt.Close()
		if rt, err = fermata.New(fermata.Options{Store: store, Services: services}); err != nil {
			t.Fatal(err)
		}
		c = dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	}
	defer func() { _ = rt.Close() }()
	with := map[string]any{"balance": 100}
	if _, _, err := c.Open(t.Context(), "c", with); err != nil {
		next()
		if _, _, err := c.Open(t.Context(), "c", with); err != nil {
			t.Fatal(err)
		}
	}
	var last dialogue.Reply
	for i, line := range bankTalk {
		m := dialogue.Message{ID: fmt.Sprint(i), Text: line.says}
		if last, err = c.Send(t.Context(), "c", m); err != nil {
			next()
			last = send(t, c, "c", m)
		}
	}
	if got := strings.Join(last.Texts(), " "); got != "Sent. Reference R1. Is there anything else?" {
		t.Errorf("append %d, after it %v: the end is %q", n, after, got)
	}
	return died
}

// TestJ5_PhrasesUnderstandWhereverAProcessDies kills the process at each append of a conversation whose model never
// understands: phrases do, and the conversation comes to its end.
func TestJ5_PhrasesUnderstandWhereverAProcessDies(t *testing.T) {
	asked := 0 // one conversation has one turn at a time
	understands := bankModel(func(string) {})
	for name, m := range map[string]any{
		"an error": scripted.New(scripted.Script{Func: func(*model.Request) (scripted.Reply, error) {
			return scripted.Reply{Err: &model.Error{Kind: model.ErrUnavailable}}, nil
		}}),
		"no commands": scripted.New(scripted.Script{Func: func(*model.Request) (scripted.Reply, error) { return scripted.Reply{Text: "Sure."}, nil }}),
		"too slow":    model.Func(stalled),
		"too slow every other time": model.Func(func(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
			if asked++; asked%2 == 1 {
				return stalled(ctx, r)
			}
			return understands.Generate(ctx, r)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			d := bankWith(t, dialogue.NewModelNLU(dialogue.ModelOptions{Timeout: 10 * time.Millisecond}))
			deaths := 0
			for n, survived := int64(1), false; !survived; n++ {
				for _, after := range []bool{false, true} {
					died := understoodWhile(t, d, []any{m}, n, after)
					if survived = !died; died {
						deaths++
					}
				}
			}
			if deaths < 2*len(bankTalk) {
				t.Errorf("%d deaths; expected at least %d", deaths, 2*len(bankTalk))
			}
		})
	}
}
