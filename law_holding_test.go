package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// A question that somebody holds is not taken from them, whoever asks for it and in whatever order.
func TestH7_AStrangerCannotTakeAQuestion(t *testing.T) { onStores(t, strangerTakes) }

func strangerTakes(t *testing.T, store journal.Store) {
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, single(review(node.Assignee("Ada"))), state{})
	q := question(t, run)
	ctx := t.Context()
	if err := rt.Claim(ctx, q.ID, "Ada", ""); err != nil {
		t.Fatal(err)
	}
	before := lines(t, store, run.ID())
	no := refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	refused(t, rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "Eve"}, fermata.AsPerson("Eve")), no)
	refused(t, rt.Reassign(ctx, q.ID, fermata.Assignment{Role: "guests"}, fermata.AsPerson("Eve"), fermata.AsRole("guests")), no)
	refused(t, rt.Escalate(ctx, q.ID, fermata.Assignment{Person: "Eve", Role: "guests"}, fermata.AsPerson("Eve"), fermata.AsRole("guests")), no)
	refused(t, rt.Release(ctx, q.ID, "Eve"), no)
	refused(t, rt.Claim(ctx, q.ID, "Eve", ""), no)
	refused(t, rt.Answer(ctx, q.ID, decision{Approve: true}, fermata.AsPerson("Eve")), no)
	refused(t, rt.AnswerAll(ctx, map[string]any{q.ID: decision{Approve: true}}, fermata.AsPerson("Eve")), no)
	if after := lines(t, store, run.ID()); !slices.Equal(before, after) {
		t.Errorf("what was refused is in the journal: %q", after)
	}
	answer(t, rt, q.ID, decision{Note: "by its holder"}, fermata.AsPerson("Ada"))
	ends(t, run, fermata.Completed)
}

// office is a question and who may do something about it, by a model of its own: the people who were given the right to
// answer by somebody who had it. Eve never is.
type office struct {
	rt    *fermata.Runtime
	id    string
	roles map[string][]string // of people, for good
	named bool                // the question is always for one person: it asks for no role
	log   []string
}

func (o *office) did(format string, args ...any) { o.log = append(o.log, fmt.Sprintf(format, args...)) }

// act does one thing in a person's name and roles. Hand-overs of people with a right go to people with one, or to roles
// that Eve is not in.
func (o *office) act(t *rapid.T, person string) {
	ctx := t.Context()
	as := []fermata.AnswerOption{fermata.AsPerson(rapid.SampledFrom(spellings(person)).Draw(t, "as")), fermata.AsRole(o.roles[person]...), fermata.Hold()}
	to := fermata.Assignment{Person: rapid.SampledFrom([]string{"", "Ada", "Bob", "Cy"}).Draw(t, "to"), Role: rapid.SampledFrom([]string{"", "clerk", "lead"}).Draw(t, "to role")}
	if o.named && to.Person == "" {
		to.Person = "Bob"
	}
	if person == "Eve" {
		to = fermata.Assignment{Person: "Eve", Role: rapid.SampledFrom([]string{"", "guest"}).Draw(t, "for Eve")}
	}
	var err error
	verb := rapid.SampledFrom([]string{"claim", "release", "reassign", "escalate", "answer", "answers"}).Draw(t, "verb")
	switch verb {
	case "claim":
		err = o.rt.Claim(ctx, o.id, "", "", as...)
	case "release":
		err = o.rt.Release(ctx, o.id, "", as...)
	case "reassign":
		err = o.rt.Reassign(ctx, o.id, to, as...)
	case "escalate":
		err = o.rt.Escalate(ctx, o.id, to, as...)
	case "answer":
		if person == "Eve" || rapid.IntRange(0, 9).Draw(t, "answers") == 0 {
			err = o.rt.Answer(ctx, o.id, decision{Note: person}, as...)
		}
	case "answers":
		if person == "Eve" {
			err = o.rt.AnswerAll(ctx, map[string]any{o.id: decision{Note: person}}, as...)
		}
	}
	var door *fermata.Error
	if err != nil && !errors.As(err, &door) {
		t.Fatalf("%s by %s: %v", verb, person, err)
	}
	o.did("%s %s to %+v: %v", person, verb, to, err)
}

// spellings are names of one person, as SamePerson has it.
func spellings(person string) []string { return []string{person, " " + person + " "} }

func heldByAnother(q *journal.Interrupt, person string) bool {
	return q.Assignee != "" && !fermata.SamePerson(q.Assignee, person) || q.State == journal.Claimed && !fermata.SamePerson(q.ClaimedBy, person)
}

// No sequence of verbs of a person without a right, however it is mixed with what others do, ever leads to an answer of
// theirs, to a claim, or to a question that is assigned to them.
func TestH7_NoSequenceOfVerbsMakesARight(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		store := memory.New()
		rt := newRuntime(t, fermata.Options{Store: store})
		var opts []node.AskOption
		named := rapid.Bool().Draw(r, "for one person")
		if !named {
			opts = append(opts, node.Role("clerk"))
		}
		overrides := rapid.Bool().Draw(r, "override")
		if overrides {
			opts = append(opts, node.Override("lead"))
		}
		if named || rapid.Bool().Draw(r, "assigned") {
			opts = append(opts, node.Assignee("Ada"))
		}
		if rapid.Bool().Draw(r, "four eyes") {
			opts = append(opts, node.FourEyes())
		}
		run := start(t, rt, single(review(opts...)), state{}, fermata.StartedBy("Sam"))
		o := &office{rt: rt, id: question(t, run).ID, named: named, roles: map[string][]string{
			"Ada": {"clerk"}, "Bob": {"clerk"}, "Cy": {"lead", "clerk"}, "Sam": {"clerk", "lead"}, "Eve": {"guest"},
		}}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			before := interruptNow(t, rt, o.id)
			person := rapid.SampledFrom([]string{"Ada", "Bob", "Cy", "Sam", "Eve", "Eve"}).Draw(r, "person")
			o.act(r, person)
			q := interruptNow(t, rt, o.id)
			if diff := cmp.Diff(before, q); diff != "" && heldByAnother(&before, person) && !(overrides && slices.Contains(o.roles[person], "lead")) {
				r.Fatalf("%s changed what another person holds:\n%s\nafter\n%q", person, diff, o.log)
			}
			for _, name := range []string{q.AnsweredBy, q.ClaimedBy, q.Assignee} {
				if fermata.SamePerson(name, "Eve") || len(q.NotBy) > 0 && fermata.SamePerson(name, "Sam") {
					r.Fatalf("%s has it: %+v after\n%q", name, q, o.log)
				}
			}
			if q.Role == "guest" {
				r.Fatalf("guests are asked after\n%q", o.log)
			}
		}
	})
}

// A question that requires its resume token is neither answered nor claimed nor handed over without it, or with another
// one. Only the opener has it, and a new one makes it void.
func TestH5_AQuestionCanRequireItsToken(t *testing.T) { onStores(t, requiredToken) }

func requiredToken(t *testing.T, store journal.Store) {
	rt := newRuntime(t, fermata.Options{Store: store})
	g := single(review(node.RequireToken()))
	one, other := question(t, start(t, rt, g, state{})), question(t, start(t, rt, g, state{}))
	ctx, no := t.Context(), refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	for _, token := range []string{"", other.Token, one.TokenHash, one.Token + " ", "x"} {
		with := []fermata.AnswerOption{fermata.AsPerson("Eve"), fermata.WithToken(token)}
		refused(t, rt.Answer(ctx, one.ID, decision{}, with...), no)
		refused(t, rt.AnswerAll(ctx, map[string]any{one.ID: decision{}}, with...), no)
		refused(t, rt.Claim(ctx, one.ID, "Eve", "", with...), no)
		refused(t, rt.Reassign(ctx, one.ID, fermata.Assignment{Person: "Eve"}, with...), no)
	}
	renewed, err := rt.NewToken(ctx, one.ID, fermata.AsPerson("Ada"))
	if err != nil || len(renewed) < 20 || renewed == one.Token {
		t.Fatalf("the new token is %q, error %v", renewed, err)
	}
	refused(t, rt.Answer(ctx, one.ID, decision{}, fermata.WithToken(one.Token)), no)
	hides(t, "the journal", entries(t, store, one.Run), []byte(renewed))
	for e, err := range rt.Events(ctx, one.Run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		hides(t, "an event", &e, []byte(interruptNow(t, rt, one.ID).TokenHash))
	}
	answer(t, rt, one.ID, decision{}, fermata.WithToken(renewed))
	answer(t, rt, other.ID, decision{}, fermata.WithToken(other.Token))
	if _, err := rt.NewToken(ctx, one.ID); err == nil {
		t.Error("an answered question has a new token")
	}
}

// Whoever follows a run from before it asks is not shown the token either; the fork of a run has tokens of its own.
func TestH5_FollowersAndForksHaveNoTokenOfOthers(t *testing.T) {
	rt, _ := inMemory(t)
	hold := make(chan struct{})
	g := graph.New[state]("held").
		Node("hold", func(_ node.Context, s state) (state, error) { <-hold; return s, nil }).
		Node("ask", review(node.RequireToken())).
		Edge(graph.Start, "hold").Edge("hold", "ask").MustCompile()
	run := start(t, rt, g, state{})
	seen := make(chan []fermata.Event)
	go func() {
		var all []fermata.Event
		for e, err := range rt.Events(t.Context(), run.ID(), 0, true) {
			if err != nil {
				break
			}
			all = append(all, e)
		}
		seen <- all
	}()
	close(hold)
	q := question(t, run)
	if _, err := rt.NewToken(t.Context(), q.ID); err != nil {
		t.Fatal(err)
	}
	fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{})
	if err != nil {
		t.Fatal(err)
	}
	copied := question(t, fork)
	refused(t, rt.Answer(t.Context(), copied.ID, decision{}, fermata.WithToken(q.Token)), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	answer(t, rt, copied.ID, decision{}, fermata.WithToken(copied.Token))
	token, err := rt.NewToken(t.Context(), q.ID)
	if err != nil {
		t.Fatal(err)
	}
	answer(t, rt, q.ID, decision{}, fermata.WithToken(token))
	ends(t, run, fermata.Completed)
	for _, e := range <-seen {
		hides(t, "an event that was followed", &e, []byte(q.Token))
		hides(t, "an event that was followed", &e, []byte(q.TokenHash))
	}
}
