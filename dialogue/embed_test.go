package dialogue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// parcels is a dialogue whose triggers have few of the words that users have.
func parcels(t testing.TB) *dialogue.Dialogue { t.Helper(); return parcelsNaming(t, "") }

// parcelsNaming is parcels with the name of an embedder.
func parcelsNaming(t testing.TB, embedder string) *dialogue.Dialogue {
	t.Helper()
	say := func(text string) []dialogue.Step {
		return []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: text}}
	}
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "parcels", Settings: dialogue.Settings{Embedder: embedder},
		Flows: []dialogue.Flow{
			{Name: "broken", Description: "Report damage", Trigger: []string{"my parcel is broken", "the parcel arrived damaged", "it was broken on arrival"}, Steps: say("Broken, then.")},
			{Name: "late", Description: "Find a parcel", Trigger: []string{"where is my parcel", "my parcel is late", "track my delivery"}, Steps: say("Late, then.")},
			{Name: "pin", Description: "Change the PIN", Trigger: []string{"change my code", "set a new code"}, Slots: []dialogue.Slot{{Name: "code", Type: dialogue.Integer, Private: true}}, Steps: []dialogue.Step{
				{ID: "ask", Type: dialogue.CollectStep, Slot: "code", Message: "Which?"}, {ID: "done", Type: dialogue.InformStep, Message: "Changed."},
			}},
		},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// meaning is an embedder that knows what words mean the same.
func meaning() *scripted.Embedder {
	return scripted.NewEmbedder("parcel package shipment carton", "broken damaged smashed shattered crushed", "late delayed overdue missing", "where whereabouts", "code pin secret")
}

// TestMessagesAreRankedByTheirMeaning says messages in words that no trigger has.
func TestMessagesAreRankedByTheirMeaning(t *testing.T) {
	for _, tt := range []struct{ said, with, without string }{
		{"shipment is crushed", "Broken, then.", "did not understand"},
		{"my carton shattered", "Broken, then.", ""},
		{"carton overdue", "Late, then.", "did not understand"},
		{"my parcel is broken", "Broken, then.", "Broken, then."},
		{"who won the football match", "did not understand", "did not understand"},
		{"do not report my carton shattered", "", ""}, // the contrary: at most a question
	} {
		found := func(name string) (dialogue.Embedder, error) {
			if name != "known" {
				return nil, errors.New("no such embedder")
			}
			return meaning(), nil
		}
		for _, way := range []struct {
			name, names string
			services    *dialogue.Services
		}{
			{"with", "", &dialogue.Services{Embedder: meaning(), EmbedTimeout: time.Hour}},
			{"with", "known", &dialogue.Services{Embedders: found, EmbedTimeout: time.Hour}},
			{"without", "unknown", &dialogue.Services{Embedders: found, EmbedTimeout: time.Hour}},
			{"without", "known", &dialogue.Services{}},
			{"without", "", &dialogue.Services{Embedders: found}},
		} {
			name, services := way.name, way.services
			c := talksWith(t, parcelsNaming(t, way.names), services)
			open(t, c, "c", nil)
			said := strings.Join(send(t, c, "c", dialogue.Message{Text: tt.said}).Texts(), " ")
			want := tt.with
			if name == "without" {
				want = tt.without
			}
			if !strings.Contains(said, want) {
				t.Errorf("%s an embedder, %q is answered %q, want %q in it", name, tt.said, said, want)
			}
			if strings.HasPrefix(tt.said, "do not") && strings.Contains(said, "then.") {
				t.Errorf("%s an embedder, %q begins a flow", name, tt.said)
			}
		}
	}
}

// embedder is a function that makes vectors.
type embedder func(ctx context.Context, texts []string) ([][]float32, error)

func (f embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return f(ctx, texts)
}

// TestAnEmbedderThatFailsChangesNothing has embedders that are of no use: words alone rank the messages, and an operator is told.
func TestAnEmbedderThatFailsChangesNothing(t *testing.T) {
	for name, e := range map[string]embedder{
		"fails":   func(context.Context, []string) ([][]float32, error) { return nil, errors.New("no vectors today") },
		"panics":  func(context.Context, []string) ([][]float32, error) { panic("at the embedder's") },
		"slow":    func(ctx context.Context, _ []string) ([][]float32, error) { <-ctx.Done(); return nil, ctx.Err() },
		"none":    func(context.Context, []string) ([][]float32, error) { return nil, nil },
		"too few": func(context.Context, []string) ([][]float32, error) { return [][]float32{{1}}, nil },
		"one for all": func(_ context.Context, texts []string) ([][]float32, error) {
			out := make([][]float32, len(texts))
			for i := range out {
				out[i] = []float32{1, 1}
			}
			return out, nil
		},
		"no direction": func(_ context.Context, texts []string) ([][]float32, error) {
			out := make([][]float32, len(texts))
			for i := range out {
				out[i] = []float32{0, 0}
			}
			return out, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, said := range []string{"something of the parcel seems broken", "shipment is crushed", "who won the match"} {
					var told [2]string
					for i, services := range []*dialogue.Services{{}, {Embedder: e}} {
						rt, err := fermata.New(fermata.Options{Services: []any{services}})
						if err != nil {
							t.Fatal(err)
						}
						c := dialogue.NewConversations(rt, parcels(t), dialogue.ConversationOptions{})
						open(t, c, "c", nil)
						told[i] = strings.Join(send(t, c, "c", dialogue.Message{Text: said}).Texts(), " ")
						if i == 1 {
							warned := false
							for e, err := range rt.Events(t.Context(), "c", 0, false) {
								warned = warned || err == nil && e.Type() == node.EventDiagnostic
							}
							if !warned && said != "who won the match" {
								t.Errorf("%q: nobody is told", said)
							}
						}
						if err := rt.Close(); err != nil {
							t.Error(err)
						}
					}
					if told[0] != told[1] {
						t.Errorf("%q is answered %q with it and %q without", said, told[1], told[0])
					}
				}
			})
		})
	}
}

// TestAnEmbedderSeesNothingPrivate answers a question for a private slot with words that nothing explains.
func TestAnEmbedderSeesNothingPrivate(t *testing.T) {
	e := meaning()
	c := talksWith(t, parcels(t), &dialogue.Services{Embedder: e, EmbedTimeout: time.Hour})
	open(t, c, "c", nil)
	for _, said := range []string{"carton overdue", "change my code", "my carton " + canary + " shattered", canary, "and my carton shattered"} {
		send(t, c, "c", dialogue.Message{Text: said})
	}
	if all := strings.Join(e.Texts(), "\n"); strings.Contains(all, canary) || !strings.Contains(all, "carton overdue") {
		t.Errorf("the embedder saw %s", all)
	}
}

// TestN10_AnEmbedderThatChangesItsMindChangesNoReplay kills the process at each append. Its embedder never says the same twice; what
// it said and was stored counts, and it is asked again only where the process died before that.
func TestN10_AnEmbedderThatChangesItsMindChangesNoReplay(t *testing.T) {
	const says = "shipment is crushed"
	deaths := 0
	for n, survived := int64(1), false; !survived; n++ {
		for _, after := range []bool{false, true} {
			var mu sync.Mutex
			asked, fair := 0, meaning()
			fickle := embedder(func(ctx context.Context, texts []string) ([][]float32, error) {
				mu.Lock()
				defer mu.Unlock()
				if len(texts) == 1 && texts[0] == says {
					if asked++; asked > 1 {
						texts = []string{"where is my parcel"}
					}
				}
				return fair.Embed(ctx, texts)
			})
			services := []any{&dialogue.Services{Embedder: fickle, EmbedTimeout: time.Hour}}
			store := kept{memory.New()}
			dying := &mortal{Store: store, after: after}
			dying.left.Store(n)
			reply, died := saidOnce(t, store, dying, services, says)
			survived = !died
			if died {
				deaths++
			}
			recorded := stepsOf(t, store, services, "embed")
			if len(recorded) != 1 || asked > 2 || asked == 2 && (after || !died) {
				t.Fatalf("append %d, after it %v: asked %d times, recorded %q", n, after, asked, recorded)
			}
			want := "Late, then."
			if strings.Contains(recorded[0], `"flow":"broken"`) && strings.Index(recorded[0], "broken") < strings.Index(recorded[0]+"late", "late") {
				want = "Broken, then."
			}
			if !strings.Contains(reply, want) {
				t.Errorf("append %d, after it %v: recorded %s, and answered %q", n, after, recorded[0], reply)
			}
		}
	}
	if deaths < 4 {
		t.Errorf("%d deaths", deaths)
	}
}

// saidOnce says one message to a process that may die, and to the next one.
func saidOnce(t *testing.T, store, dying journal.Store, services []any, says string) (reply string, died bool) {
	t.Helper()
	for _, s := range []journal.Store{dying, store} {
		rt, err := fermata.New(fermata.Options{Store: s, Services: services})
		if err != nil {
			t.Fatal(err)
		}
		c := dialogue.NewConversations(rt, parcels(t), dialogue.ConversationOptions{})
		_, _, err = c.Open(t.Context(), "c", nil)
		var r dialogue.Reply
		if err == nil {
			r, err = c.Send(t.Context(), "c", dialogue.Message{ID: "m", Text: says})
		}
		_ = rt.Close()
		if err == nil {
			return strings.Join(r.Texts(), " "), died
		}
		died = true
	}
	t.Fatal("nobody answers")
	return "", died
}

// stepsOf are the recorded values of the steps of that key.
func stepsOf(t *testing.T, store journal.Store, services []any, key string) (all []string) {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: store, Services: services})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rt.Close() }()
	for m, err := range rt.History(t.Context(), "c") {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind == journal.StepFinished && strings.Contains(fmt.Sprint(m.Entry), key) {
			all = append(all, string(m.Entry.Value)+string(m.Entry.Body))
		}
	}
	return all
}
