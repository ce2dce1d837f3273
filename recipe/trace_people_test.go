package recipe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

// A trace says of every question who did what about it, when and why: claimed, released, reassigned, escalated by a
// person, sent back; asked anew, and escalated and answered by the deadlines alone (laws H4 and H6).
func TestH6_TraceOfPeople(t *testing.T) {
	text := strings.Replace(letter, "reject: file}}",
		"reject: file}, required_role: clerk, timeout_seconds: 3600, on_timeout: {escalate: boss, timeout_seconds: 60, on_timeout: {answer: approve}}}", 1)
	r, err := recipe.Parse([]byte(text), "letter.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	clock := fermatatest.NewClock(start)
	rt, err := fermata.New(fermata.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	inputs, err := r.Input(map[string]any{"who": "Ada"})
	must(err)
	run, err := rt.Start(ctx, r.Plan(), inputs, fermata.StartedBy("sam"))
	must(err)
	asked := func() journal.Interrupt {
		t.Helper()
		res, err := run.Wait(ctx)
		if err != nil || len(res.Interrupts) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Interrupts[0].Interrupt
	}
	id := asked().ID
	ada := []fermata.AnswerOption{fermata.AsPerson("ada"), fermata.AsRole("clerk")}
	must(rt.Claim(ctx, id, "ada", "clerk"))
	clock.Advance(time.Minute)
	must(rt.Release(ctx, id, "ada", fermata.WithNote("no time")))
	must(rt.Reassign(ctx, id, fermata.Assignment{Person: "bob", Note: "on\nholiday"}, ada...))
	clock.Advance(time.Minute)
	must(rt.Escalate(ctx, id, fermata.Assignment{Role: "chief", Note: "above my limit"}, fermata.AsPerson("bob"), fermata.AsRole("clerk")))
	clock.Advance(time.Minute)
	must(rt.Answer(ctx, id, said{"action": "send_back", "note": "!"}, fermata.AsPerson("cy"), fermata.AsRole("chief"), fermata.WithNote("too \x1b[1mlong")))
	for id == asked().ID {
	}
	clock.Advance(time.Hour)
	for asked().Role != "boss" {
	}
	clock.Advance(time.Minute)
	for res, err := run.Wait(ctx); res.Status != fermata.Completed; res, err = run.Wait(ctx) {
		must(err)
	}

	var got []string
	for _, st := range trace(t, rt, run.ID()).Steps {
		for i := range st.People {
			d := &st.People[i]
			got = append(got, st.ID+" "+d.Timestamp.Sub(start).String()+" "+d.String())
		}
	}
	want := []string{
		"check#1 0s asked to clerk, until 2026-01-31T13:00:00Z",
		"check#1 0s claimed by ada",
		"check#1 1m0s released by ada (no time)",
		"check#1 1m0s reassigned to bob as clerk by ada, until 2026-01-31T13:00:00Z (on holiday)",
		"check#1 2m0s escalated to chief by bob, until 2026-01-31T13:00:00Z (above my limit)",
		`check#1 3m0s answered by cy as chief: {"action":"send_back","note":"!"}` + " (too \x1b[1mlong)",
		"check#2 3m0s asked to clerk, until 2026-01-31T13:03:00Z",
		"check#2 1h3m0s escalated by the deadline to boss, until 2026-01-31T13:04:00Z",
		`check#2 1h4m0s answered by the deadline's default: {"action":"approve"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
