package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/node"
)

// gallery are the recipes of examples/recipes that are killed: those that ask for no more than a choice or a text.
var gallery = []string{
	"approval", "content-moderation", "contract-redline", "data-quality-gate", "escalation", "expense-report", "fan-out-and-join",
	"four-eyes-payment", "incident-response", "invoice-matching", "mcp-lookup", "release-checklist",
	"retry-and-fallback", "self-correcting-loop", "stock-reorder", "support-triage", "survey-digest",
}

// visit is an errand through a recipe of the gallery with its default inputs, whose programs tell of themselves and take
// a while. Of several options people choose the first or the last.
func visit(t *testing.T, name string, last bool) *errand {
	t.Helper()
	d := newDesk(t)
	from := filepath.Join("..", "..", "examples", "recipes")
	if err := os.CopyFS(d.path("recipes"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(d.path(filepath.Join("recipes", name, "*.sh")))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range programs {
		d.instrument(file)
	}
	return &errand{
		desk: d, id: "r", span: 100 * time.Millisecond, dice: dice(t),
		start:  []string{"run", filepath.Join("recipes", name), "--id", "r", "--json", "--no-input"},
		answer: func(q question) string { return q.answer(last) },
	}
}

// instrument lets a program leave a line in the file effects, as effect.sh does, before it does what it does.
func (d *desk) instrument(file string) {
	d.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(first, "#!/bin/sh") {
		d.t.Fatalf("%s begins with %q: expected #!/bin/sh", file, first)
	}
	tell := fmt.Sprintf("exec 9>%q\nsleep 0.003\nprintf '%%s %%s\\n' \"$FERMATA_IDEMPOTENCY_KEY\" %s >>%q\nsleep 0.003\n",
		d.path("alive"), filepath.Base(file), d.path("effects"))
	if err := os.WriteFile(file, []byte(first+"\n"+tell+rest), 0o755); err != nil {
		d.t.Fatal(err)
	}
}

// answer is what somebody says who takes the first option, or the last, and is fine with anything else.
func (q *question) answer(last bool) string {
	if n := len(q.Options); n > 0 {
		if last {
			return q.Options[n-1]
		}
		return q.Options[0]
	}
	switch {
	case q.Kind != "review":
		return "fine"
	case last && strings.Contains(string(q.Form), `"reject"`):
		return "reject"
	}
	return "approve"
}

// TestJ5_KilledGallery kills the processes that bring the gallery's recipes to their ends: each on one kind of store, and
// with FERMATA_EXPLORE each on all, with either answer. It ends as it does when nobody kills.
func TestJ5_KilledGallery(t *testing.T) {
	program(t, "fermata")
	kinds := []string{"sqlite", "postgres", "redis"}
	for i, name := range gallery {
		for j, kind := range kinds {
			for _, last := range []bool{false, true} {
				if !exploring() && (i%len(kinds) != j || last != (i/len(kinds)%2 == 1)) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%t", name, kind, last), func(t *testing.T) {
					t.Parallel()
					killVisitors(t, name, kind, last, thorough(4, 20))
				})
			}
		}
	}
}

func killVisitors(t *testing.T, name, kind string, last bool, most int) {
	servers := map[string]func() (string, func(), error){"postgres": newPostgres, "redis": newRedis}
	begin := func() *errand {
		e := visit(t, name, last)
		if server := servers[kind]; server != nil {
			e.on(server)
		}
		return e
	}
	clean := begin()
	want := clean.finish()
	wantStory, wantEffects := sorted(story(clean.inspect(want))), clean.effects("r")
	throw, began, deaths, lives := dice(t), time.Now(), 0, 0
	for deaths < most && lives < 20*most {
		e := begin()
		e.dice, e.most = rand.New(rand.NewPCG(throw.Uint64(), 0)), most-deaths
		got := e.finish()
		deaths, lives = deaths+e.deaths, lives+e.lives
		list := e.inspect(got)
		effects := e.effects("r")
		if unknown(list) { // a program that must not run twice was cut off: the run says so and takes another way
			for key, inputs := range effects {
				if n := count(map[string]map[string]int{key: inputs}); n > 1+e.deaths {
					t.Errorf("effect %s happened %d times, with %d deaths", key, n, e.deaths)
				}
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the result differs (-without a death +with %d):\n%s", e.deaths, diff)
		}
		if diff := cmp.Diff(wantStory, sorted(story(list))); diff != "" {
			t.Errorf("the run went another way (-without a death +with %d):\n%s", e.deaths, diff)
		}
		compareEffects(t, wantEffects, effects, e.deaths*programsAtOnce(name))
	}
	t.Logf("%s, %d effects, %d processes, of which %d were killed, %v", want.Status, count(wantEffects), lives, deaths, time.Since(began).Round(time.Millisecond))
}

// programsAtOnce is how many programs of a recipe may be running when its process dies: each of them may run again (law J5).
func programsAtOnce(recipe string) int {
	if recipe == "release-checklist" {
		return 2 // the limit of its for_each
	}
	return 1
}

// unknown reports whether a call was cut off whose outcome nobody knows.
func unknown(list []fact) bool {
	return slices.ContainsFunc(list, func(f fact) bool {
		text, err := json.Marshal(f.Data)
		return err == nil && strings.Contains(string(text), node.ErrOutcomeUnknown.Error())
	})
}

// sorted is a story whose branches may have come in any order.
func sorted(story string) []string {
	return slices.Sorted(strings.Lines(story))
}
