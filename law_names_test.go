package fermata_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Four eyes are two people, however one of them writes their name; and who is refused is not told whose answer it was.
func TestH6_OnePersonInManyForms(t *testing.T) { onStores(t, manyForms) }

func manyForms(t *testing.T, store journal.Store) {
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, signatures(), state{}, fermata.StartedBy("Jos\u00e9"))
	q := questions(t, run)
	no := refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	for _, name := range []string{"Jos\u00e9", "Jose\u0301", "Jos\u200b\u00e9", "JOS\u00c9", "\uff2aos\u00e9", "Jos\u00e9\ufe0f", "\u200b", "\u3164"} {
		err := rt.Answer(t.Context(), q[0], true, fermata.AsPerson(name))
		refused(t, err, no)
		if strings.Contains(err.Error(), "Jos") {
			t.Errorf("the error names who may not answer: %v", err)
		}
		if fermata.SamePerson(name, "José") {
			refused(t, rt.Claim(t.Context(), q[0], name, ""), no)
			refused(t, rt.Reassign(t.Context(), q[0], fermata.Assignment{Person: name}, fermata.AsPerson("Ada")), no)
		}
	}
	answer(t, rt, q[0], true, fermata.AsPerson(fermata.Person{ID: "u-17", Name: "José"}))
	for _, id := range []string{"u-17", "U\u200b-17"} { // who they are counts, not what they are called
		refused(t, rt.Answer(t.Context(), q[1], true, fermata.AsPerson(fermata.Person{ID: id, Name: "Ada"})), no)
	}
	answer(t, rt, q[1], true, fermata.AsPerson(fermata.Person{ID: "u-18", Name: "José"}))
	ends(t, run, fermata.Completed)
	if got := interruptNow(t, rt, q[0]); got.AnsweredBy != "u-17" || got.AnsweredByName != "José" {
		t.Errorf("answered by %q, who is called %q", got.AnsweredBy, got.AnsweredByName)
	}
}

// Names that would act on a terminal are refused where they come in, and nothing is recorded.
func TestH9_NamesThatActAreRefused(t *testing.T) {
	rt, store := inMemory(t)
	g := single(review(node.Assignee("Ada")))
	invalid := refusal{code: fermata.CodeInvalid}
	for _, bad := range []string{"a\x1b[2J", "a\x1b]0;t\x07", "a\nb", "a\u202eb", "a\u2066b", "a\u009b", "a\x7f", "a\xff"} {
		for _, opt := range []fermata.StartOption{fermata.WithID(bad), fermata.StartedBy(bad), fermata.WithLabels(map[string]string{bad: ""})} {
			_, err := g.Start(t.Context(), rt, state{}, opt)
			refused(t, err, invalid)
			if strings.Contains(err.Error(), bad) {
				t.Errorf("the error acts: %q", err)
			}
		}
	}
	run := start(t, rt, g, state{})
	q, before := question(t, run), lines(t, store, run.ID())
	for _, bad := range []string{"a\x1b[31mRED", "a\u202eb", "a\nb", "a\xff"} {
		_, err := fermata.New(fermata.Options{Name: bad})
		refused(t, err, invalid)
		refused(t, rt.Cancel(t.Context(), run.ID(), "", bad), invalid)
		_, err = g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: bad})
		refused(t, err, invalid)
		_, err = rt.NewToken(t.Context(), q.ID, fermata.AsPerson(bad))
		refused(t, err, invalid)
		failed := single(review(node.Within(time.Hour), node.OrEscalate(bad, time.Hour)))
		if err := ends(t, start(t, rt, failed, state{}), fermata.Failed).Err; !strings.Contains(err.Error(), "control character") && !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("a role to escalate to: %v", err)
		}
	}
	for _, bad := range []string{"Ada\x1b[2J", "Ada\u202e", "A\nda"} {
		for _, opts := range [][]fermata.AnswerOption{
			{fermata.AsPerson(bad)}, {fermata.AsPerson("Ada"), fermata.AsRole("x", bad)}, {fermata.AsPerson(fermata.Person{ID: "Ada", Name: bad})},
		} {
			refused(t, rt.Answer(t.Context(), q.ID, decision{}, opts...), invalid)
			refused(t, rt.AnswerAll(t.Context(), map[string]any{q.ID: decision{}}, opts...), invalid)
			refused(t, rt.Claim(t.Context(), q.ID, "Ada", "", opts...), invalid)
			refused(t, rt.Release(t.Context(), q.ID, "Ada", opts...), invalid)
			refused(t, rt.Reassign(t.Context(), q.ID, fermata.Assignment{Person: "Bob"}, opts...), invalid)
		}
		refused(t, rt.Reassign(t.Context(), q.ID, fermata.Assignment{Person: bad}, fermata.AsPerson("Ada")), invalid)
		refused(t, rt.Escalate(t.Context(), q.ID, fermata.Assignment{Role: bad}, fermata.AsPerson("Ada")), invalid)
	}
	if after := lines(t, store, run.ID()); len(after) != len(before) {
		t.Errorf("what was refused is in the journal: %q", after)
	}
}
