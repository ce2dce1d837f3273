package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
	"github.com/fermata-go/fermata/schema"
)

// recipesFolder is where the gallery is.
var recipesFolder = filepath.Join("..", "..", "examples", "recipes")

// gallery are the recipes of examples/recipes: its folders.
func gallery(t *testing.T) []string {
	t.Helper()
	files, err := recipetest.Find(recipesFolder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "recipe.") { // others are parts of recipes
			names = append(names, filepath.Base(filepath.Dir(file)))
		}
	}
	return names
}

// besides is what a recipe wants to be begun with besides its name: it says so itself.
var besides = map[string][]string{
	"agent-to-human": {"--agents", filepath.Join("recipes", "agent-to-human", "agents.yaml"), "--input", "user_query=How do tides work?"},
}

// visit is an errand through a recipe of the gallery with its default inputs, whose programs tell of themselves and take
// a while. Of several options people choose the first or the last, and the one beside it when they are asked again.
func visit(t *testing.T, name string, last bool) *errand {
	t.Helper()
	d := newDesk(t)
	if err := os.CopyFS(d.path("recipes"), os.DirFS(recipesFolder)); err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(d.path(filepath.Join("recipes", name, "*.sh")))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range programs {
		d.instrument(file)
	}
	if name == "mcp-lookup" {
		d.compiled(filepath.Join("recipes", name, "recipe.yaml"))
	}
	return &errand{
		desk: d, id: "r", span: 100 * time.Millisecond, dice: dice(t),
		start:  append([]string{"run", filepath.Join("recipes", name), "--id", "r", "--json", "--no-input"}, besides[name]...),
		answer: func(q question) string { return q.answer(t, last) },
	}
}

// compiled lets a recipe start its server as a program that is compiled already: go run would do the same, more slowly.
func (d *desk) compiled(recipe string) {
	d.t.Helper()
	const command = "[go, run, ./server]"
	text, err := os.ReadFile(d.path(recipe))
	if err != nil || strings.Count(string(text), command) != 1 {
		d.t.Fatalf("%s: expected one command %s (%v)", recipe, command, err)
	}
	server := fmt.Sprintf("[%q]", program(d.t, "server"))
	if err := os.WriteFile(d.path(recipe), []byte(strings.ReplaceAll(string(text), command, server)), 0o600); err != nil {
		d.t.Fatal(err)
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

// answer is what somebody says who takes the first option, or the last, approves or rejects, and fills in a form with as
// little as it takes, or with all of it.
func (q *question) answer(t *testing.T, last bool) string {
	t.Helper()
	if n := len(q.Options); n > 0 {
		again := visitOf(q.Task) - 1
		if last {
			return q.Options[n-1-again%n]
		}
		return q.Options[again%n]
	}
	switch {
	case q.Kind != "review":
		return q.fill(t, last)
	case last && strings.Contains(string(q.Form), `"reject"`):
		return "reject"
	}
	return "approve"
}

// visitOf is which visit of its node a task is, from 1.
func visitOf(task string) int {
	n, err := strconv.Atoi(task[strings.LastIndexByte(task, '#')+1:])
	if err != nil {
		return 1
	}
	return n
}

// fill makes an answer that the question's form takes.
func (q *question) fill(t *testing.T, all bool) string {
	t.Helper()
	form, err := schema.Parse(q.Form)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(q.Form, &fields); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(sample(fields, all))
	if err == nil {
		err = form.Check(text)
	}
	if err != nil {
		t.Fatalf("%s takes no %s: %v\nGive its form examples.", q.Task, text, err)
	}
	return string(text)
}

// sample is a value for a form, or for a part of it: an example, the smallest or the first where all is false, otherwise
// the last.
func sample(form map[string]any, all bool) any {
	for _, key := range []string{"examples", "enum"} {
		if list, _ := form[key].([]any); len(list) > 0 {
			if all {
				return list[len(list)-1]
			}
			return list[0]
		}
	}
	least := func(key string) int { n, _ := form[key].(float64); return int(n) }
	switch form["type"] {
	case "object":
		return sampleObject(form, all)
	case "array":
		items, _ := form["items"].(map[string]any)
		list, n := []any{}, least("minItems")
		if all {
			n = max(n, 1)
		}
		for len(list) < n {
			list = append(list, sample(items, all))
		}
		return list
	case "integer", "number":
		return least("minimum")
	case "boolean":
		return all
	}
	return strings.Repeat("fine", 1+least("minLength")/len("fine"))
}

func sampleObject(form map[string]any, all bool) map[string]any {
	object := make(map[string]any)
	required, _ := form["required"].([]any)
	properties, _ := form["properties"].(map[string]any)
	for name, part := range properties {
		if part, ok := part.(map[string]any); ok && (all || slices.Contains(required, any(name))) {
			object[name] = sample(part, all)
		}
	}
	return object
}

// TestJ5_KilledGallery kills the processes that bring the gallery's recipes to their ends: each on one kind of store, and
// with FERMATA_EXPLORE each on all, with either answer. It ends as it does when nobody kills.
func TestJ5_KilledGallery(t *testing.T) {
	program(t, "fermata")
	program(t, "server")
	kinds := storeKinds()
	for i, name := range gallery(t) {
		for j, kind := range kinds {
			for _, last := range []bool{false, true} {
				if !exploring() && (i%len(kinds) != j || last != (i/len(kinds)%2 == 1)) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%t", name, kind, last), func(t *testing.T) {
					t.Parallel()
					killVisitors(t, name, kind, last, thorough(2, 20))
				})
			}
		}
	}
}

func killVisitors(t *testing.T, name, kind string, last bool, most int) {
	begin := func() *errand {
		e := visit(t, name, last)
		e.on(kind)
		return e
	}
	clean := begin()
	want := clean.finish()
	if want.Status != "completed" {
		t.Fatalf("without a death: %s, %+v", want.Status, want.Error)
	}
	wantStory, wantEffects := sorted(story(clean.inspect(want))), clean.effects("r")
	atOnce := programsAtOnce(t, name, wantEffects)
	throw, began, deaths, lives := dice(t), time.Now(), 0, 0
	for deaths < most && lives < 20*most {
		e := begin()
		e.dice, e.most, e.span = rand.New(rand.NewPCG(throw.Uint64(), 0)), most-deaths, clean.longest
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
		compareEffects(t, wantEffects, effects, e.deaths*atOnce)
	}
	t.Logf("%s, %d effects, %d processes, of which %d were killed, %v", want.Status, count(wantEffects), lives, deaths, time.Since(began).Round(time.Millisecond))
}

// programsAtOnce is how many programs of a recipe may be running when its process dies: each of them may run again (law
// J5). Of those that have run, it is as many as a for_each works on at once; where branches run side by side, all of them.
func programsAtOnce(t *testing.T, name string, effects map[string]map[string]int) int {
	t.Helper()
	p := planOf(t, name)
	forks := slices.ContainsFunc(p.Flat(), func(n plan.Flat) bool { return len(n.Next) > 1 })
	most, all, seen := 1, 0, make(map[string]bool)
	for key := range effects {
		at, ok := p.Index(placeOf(taskOf(key)))
		if !ok {
			t.Fatalf("an effect of %s, which the plan does not have", key)
		}
		n := &p.Flat()[at]
		if seen[n.Path] {
			continue
		}
		seen[n.Path] = true
		width := 1
		for i := n.Parent; i >= 0; i = p.Flat()[i].Parent {
			if m := p.Flat()[i].Map; m != nil {
				width *= max(m.Limit, 1)
			}
		}
		most, all = max(most, width), all+width
	}
	if forks {
		return max(most, all)
	}
	return most
}

// taskOf is the task that a key belongs to. What follows a task is a call: it has a colon, and a node's name has none.
func taskOf(key string) string {
	call := strings.IndexByte(key, ':')
	return key[:max(strings.LastIndexByte(key[:max(call, 0)], '/'), 0)]
}

func planOf(t *testing.T, name string) *plan.Plan {
	t.Helper()
	var servers mcp.Pool // which nobody connects to
	opts := recipe.Options{Servers: &servers, Stores: storeKinds()}
	folder := filepath.Join(recipesFolder, name)
	if agents := filepath.Join(folder, "agents.yaml"); besides[name] != nil {
		opts.Agents = agents
	}
	for _, file := range []string{"recipe.yaml", "recipe.json"} {
		r, err := recipe.Load(filepath.Join(folder, file), opts)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return r.Plan()
	}
	t.Fatalf("%s holds no recipe", folder)
	return nil
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
