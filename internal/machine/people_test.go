package machine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// asked is a question of a run, as a list of all that was ever asked has it.
type asked struct {
	id, node string
	notBy    []string
	state    string
	by       string // who answered it
	late     bool   // its deadline has answered it
}

// covers reports whether a name is that of the node at a path, or of one around it, or of the map that it is an item of.
func covers(name, path string) bool {
	var all strings.Builder
	for i, part := range strings.Split(name, "/") {
		if i > 0 {
			all.WriteByte('/')
		}
		all.WriteString(regexp.QuoteMeta(part) + `(#[^/]*)?`)
	}
	return regexp.MustCompile(`^` + all.String() + `(/|$)`).MatchString(path)
}

func coversAny(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return covers(name, path) })
}

// Whoever has answered what, in whatever order nodes ask, several times or in maps and subgraphs, and whatever they are called
// later: who may not answer a question is what a list of all questions and answers says.
func TestH6_PeopleAreThoseOfAllAnswers(t *testing.T) {
	paths := []string{"a", "b", "s/x", "s/y", "m#1.0/x", "m#1.1/x", "s/m#2.0/y"}
	names := append([]string{"s", "m", "s/m"}, paths...)
	rapid.Check(t, func(r *rapid.T) {
		var people machine.People
		var all []asked
		note := func(kind journal.Kind, op string, body any) {
			data, err := json.Marshal(body)
			if err != nil {
				r.Fatal(err)
			}
			if err := people.Note(&journal.Entry{Kind: kind, Op: op, Body: data}); err != nil {
				r.Fatal(err)
			}
		}
		open := func(q asked) bool { return q.state == journal.Open }
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			switch do := rapid.SampledFrom([]string{"ask", "ask", "answer", "answer", "default", "withdraw", "rename"}).Draw(r, "do"); {
			case do == "ask":
				q := asked{id: fmt.Sprint("int_", len(all)), node: rapid.SampledFrom(paths).Draw(r, "node"), state: journal.Open}
				q.notBy = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID).Draw(r, "not by")
				all = append(all, q)
				note(journal.InterruptOpened, q.id, journal.Interrupt{ID: q.id, Task: q.node + "#1", NotByNodes: q.notBy})
			case do == "rename":
				nodes := map[string]string{"a": "b", "b": "a", "s/x": "s/z", "s/z": "s/x"}
				note(journal.RunResumed, "", journal.ResumedBody{Reason: "replan", Nodes: nodes})
				moves := plan.Migration{Nodes: nodes}
				for i := range all {
					all[i].node = moves.Path(all[i].node)
					all[i].notBy = slices.Clone(all[i].notBy)
					for j := range all[i].notBy {
						all[i].notBy[j] = moves.Path(all[i].notBy[j])
					}
				}
			case slices.ContainsFunc(all, open):
				var at []int
				for i := range all {
					if open(all[i]) {
						at = append(at, i)
					}
				}
				q := &all[rapid.SampledFrom(at).Draw(r, "question")]
				if q.state = journal.Answered; do == "withdraw" {
					q.state = journal.Withdrawn
				}
				if q.late = do == "default"; do == "answer" {
					q.by = rapid.SampledFrom([]string{"", "Ada", "Bob"}).Draw(r, "by")
				}
				note(journal.InterruptResolved, q.id, journal.ResolvedBody{State: q.state, By: q.by, Default: q.late})
			}
			for _, q := range all {
				if open(q) {
					keptApart(r, &people, q, all)
				}
			}
		}
	})
}

// keptApart compares who may not answer an open question with what a list of all says.
func keptApart(r *rapid.T, people *machine.People, q asked, all []asked) {
	nodes, signed := make(map[string]bool), make(map[string]bool)
	for _, name := range q.notBy {
		nodes[name] = true
	}
	for _, other := range all {
		if coversAny(other.notBy, q.node) {
			nodes[other.node] = true
		}
		if other.state == journal.Answered && !other.late && (coversAny(q.notBy, other.node) || coversAny(other.notBy, q.node)) {
			signed[other.node+" by "+other.by] = true
		}
	}
	got := make(map[string]bool)
	for _, s := range people.Against(q.id) {
		got[s.Node+" by "+s.By] = true
	}
	if diff := cmp.Diff(signed, got); diff != "" {
		r.Fatalf("answers against %+v of %+v (-want +got):\n%s", q, all, diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(nodes)), slices.Compact(slices.Sorted(slices.Values(people.NotBy(q.id))))); diff != "" {
		r.Fatalf("nodes against %+v of %+v (-want +got):\n%s", q, all, diff)
	}
}
