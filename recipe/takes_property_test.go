package recipe_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/recipe"
)

// drawnRecipe is a recipe that writes a name before a run waits, and reads one behind it: at once, or where branches have met. The
// name is written on every way, or on one of them.
type drawnRecipe struct {
	name     string // that is written
	read     string // how it is read: "must", "default" (??), "optional" (a path that ends in ?)
	sometime bool   // the name is written only for large amounts
	by       string // the branch that writes it: "before", "left", "right"
	at       string // where it is read: "left", "meet"
	parallel bool
	renamed  string // the old name, as renamed
	gone     bool   // the old name is needed no more
}

func (d drawnRecipe) text() string {
	mode := "sequential"
	if d.parallel {
		mode = "parallel"
	}
	say := func(id string) string {
		if d.at != id {
			return fmt.Sprintf("  say_%s: {kind: expr, set: {done_%s: \"1\"}}\n", id, id)
		}
		read, bind := d.name, ""
		switch d.read {
		case "default":
			read = d.name + " ?? 99"
		case "optional":
			read, bind = "given ?? 99", ""
		}
		return fmt.Sprintf("  say_%s: {kind: expr, set: {said: \"%s\"}%s}\n", id, read, bind)
	}
	node := func(id string) string {
		bind := ""
		if d.at == id && d.read == "optional" {
			bind = fmt.Sprintf(", inputs_map: {given: %s?}", d.name)
		}
		return fmt.Sprintf("    - {type: agent, id: say_%s, agent_ref: say_%s%s}\n", id, id, bind)
	}
	writes := func(id string) string {
		what := `mark_` + id + `: "1"`
		if d.by == id {
			what = d.name + `: "amount * 2"`
		}
		return fmt.Sprintf("  write_%s: {kind: expr, set: {%s}}\n", id, what)
	}
	t := "metadata: {name: drawn}\npolicy: {execution_mode: " + mode + "}\ninterface: {inputs: {amount: {type: integer}}, outputs: {said: {}}}\nagents:\n" +
		"  begin: {kind: expr, set: {begun: \"1\"}}\n" + writes("before") + writes("left") + writes("right") + say("left") + say("meet") +
		"topology:\n  entry_point: begin\n  nodes:\n" +
		"    - {type: agent, id: begin, agent_ref: begin}\n    - {type: agent, id: write_before, agent_ref: write_before}\n" +
		"    - {type: agent, id: write_left, agent_ref: write_left}\n    - {type: agent, id: write_right, agent_ref: write_right}\n" +
		"    - {type: human, id: ask, prompt: \"Go on?\"}\n" + node("left") + node("meet") + "  edges:\n"
	if d.sometime {
		t += "    - {source: begin, target: write_before, when: amount > 100}\n    - {source: begin, target: fork, when: amount <= 100}\n"
		t = strings.Replace(t, "  nodes:\n", "  nodes:\n    - {type: agent, id: fork, agent_ref: begin}\n", 1)
		t += "    - {source: write_before, target: fork}\n"
	} else {
		t = strings.Replace(t, "  nodes:\n", "  nodes:\n    - {type: agent, id: fork, agent_ref: begin}\n", 1)
		t += "    - {source: begin, target: write_before}\n    - {source: write_before, target: fork}\n"
	}
	if d.parallel {
		t += "    - {source: fork, target: write_left}\n    - {source: fork, target: write_right}\n    - {source: write_left, target: ask}\n" +
			"    - {source: ask, target: say_left}\n    - {source: say_left, target: say_meet}\n    - {source: write_right, target: say_meet}\n"
	} else {
		t += "    - {source: fork, target: write_left}\n    - {source: write_left, target: write_right}\n    - {source: write_right, target: ask}\n" +
			"    - {source: ask, target: say_left}\n    - {source: say_left, target: say_meet}\n"
	}
	if d.renamed != "" {
		now := d.name
		if d.gone {
			now = `""`
		}
		t += "renamed: {values: {" + d.renamed + ": " + now + "}}\n"
	}
	return t
}

// parse is nil for a recipe that reads what may not be there.
func (d drawnRecipe) parse(t *rapid.T) *recipe.Recipe {
	r, err := recipe.Parse([]byte(d.text()), "drawn.yaml", recipe.Options{})
	if err != nil && !strings.Contains(err.Error(), "nothing that comes before") && !strings.Contains(err.Error(), "may be missing") {
		t.Fatal(err)
	}
	return r
}

func drawRecipe(t *rapid.T) drawnRecipe {
	return drawnRecipe{
		name: "tip", read: rapid.SampledFrom([]string{"must", "default", "optional"}).Draw(t, "read"), sometime: rapid.Bool().Draw(t, "sometime"),
		by: rapid.SampledFrom([]string{"before", "before", "before", "left", "right"}).Draw(t, "written by"), at: rapid.SampledFrom([]string{"left", "meet"}).Draw(t, "read at"),
		parallel: rapid.Bool().Draw(t, "parallel"),
	}
}

// Whatever name is written, in sequence or in branches, a recipe that reads it under another name while a run waits is refused with a
// name of the two, or reads what the run holds: never what stands in for it. Where the run never had the value, and in recipes that have
// not changed, what stands in is read.
func TestJ8_NoChangeOfARecipeMakesAZero(t *testing.T) {
	seen := make(map[string]int)
	draw := func(r *rapid.T) {
		before := drawRecipe(r)
		after := before
		change := rapid.SampledFrom([]string{"nothing", "rename", "rename", "rename and say so", "say that it is gone", "read otherwise"}).Draw(r, "change")
		switch change {
		case "rename":
			after.name = "extra"
		case "rename and say so":
			after.name, after.renamed = "extra", "tip"
		case "say that it is gone":
			after.name, after.renamed, after.gone = "extra", "tip", true
		case "read otherwise":
			after.read = rapid.SampledFrom([]string{"must", "default", "optional"}).Draw(r, "read now")
		}
		old, now := before.parse(r), after.parse(r)
		if old == nil || now == nil {
			return
		}
		amount := rapid.SampledFrom([]int{60, 120}).Draw(r, "amount")
		store := memory.New()
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			r.Fatal(err)
		}
		defer rt.Close()
		input, err := old.Input(map[string]any{"amount": amount})
		if err != nil {
			r.Fatal(err)
		}
		run, err := rt.Start(t.Context(), old.Plan(), input)
		if err != nil {
			r.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || res.Status != fermata.Paused {
			r.Fatalf("the run is %s (%v), error %v\n%s", res.Status, res.Err, err, before.text())
		}
		if err := rt.Answer(t.Context(), res.Interrupts[0].ID, "yes", fermata.Hold()); err != nil {
			r.Fatal(err)
		}
		// What is read: in a branch only what was written before or in it.
		written := !before.sometime || amount > 100 || before.by != "before"
		meets := before.at == "left" && before.parallel && before.by == "right"
		want := `{"said":` + fmt.Sprint(amount*2) + `}`
		if !written || meets {
			want = `{"said":99}`
		}
		run, err = rt.Resume(t.Context(), run.ID(), now.Plan())
		if err == nil && after.gone {
			want = `{"said":99}`
		}
		if err != nil {
			seen["refused "+change]++
			var changed *fermata.PlanChangedError
			if !errors.As(err, &changed) || !slices.Contains([]string{"tip", "extra"}, changed.Value) {
				r.Fatalf("the error is %v, want one that names the value\n%s", err, after.text())
			}
			if change != "rename" && change != "say that it is gone" || change == "rename" && !written || meets {
				r.Errorf("%+v became %+v with %d, and is refused: %v", before, after, amount, err)
			}
			if run, err = rt.Resume(t.Context(), res.Run, old.Plan()); err != nil {
				r.Fatal(err)
			}
		} else {
			seen[fmt.Sprintf("goes on %s, written %t", change, written)]++
		}
		if res, err = run.Wait(t.Context()); err != nil || res.Status != fermata.Completed || string(res.Output) != want {
			r.Fatalf("%+v became %+v with %d: the run is %s with %s (%v), error %v; want %s", before, after, amount, res.Status, res.Output, res.Err, err, want)
		}
	}
	lawtest.CheckUntilSeen(t, draw, seen,
		"refused rename", "goes on say that it is gone, written true", "goes on rename and say so, written true", "goes on rename, written false")
}
