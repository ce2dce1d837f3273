package recipetest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/recipe"
)

// Run runs the tests of all recipes under the paths (see [Find]), each as a subtest called by its file and its name. A
// recipe that is not valid, and paths without any test, fail t.
func Run(t *testing.T, opts Options, paths ...string) {
	t.Helper()
	files, err := Find(paths...)
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			report, err := Check(t.Context(), file, opts)
			if problems, ok := errors.AsType[*definition.Error](err); ok {
				t.Fatalf("the recipe is not valid:\n%v", problems)
			}
			if err != nil {
				t.Fatal(err)
			}
			tests += len(report.Results)
			for i := range report.Results {
				r := &report.Results[i]
				t.Run(r.Test.Name, func(t *testing.T) { r.tell(t) })
			}
		})
	}
	if tests == 0 {
		t.Errorf("there is no test of a recipe in %q", paths)
	}
}

// tell fails t with what the test has shown.
func (r *Result) tell(t *testing.T) {
	t.Helper()
	for _, f := range r.Failures {
		t.Error(f.String())
	}
	for _, v := range r.Broken {
		t.Error(v.String())
	}
	if !r.OK() && r.Trace != nil {
		t.Log("the run:\n" + story(r.Trace))
	}
}

// story is a run in a few words: a line for each step.
func story(t *recipe.Trace) string {
	var b strings.Builder
	for i := range t.Steps {
		st := &t.Steps[i]
		fmt.Fprintf(&b, "  %s", st.ID)
		for _, text := range []string{st.Action, st.Observation, st.Error} {
			if text != "" {
				fmt.Fprintf(&b, "  %s", strings.ReplaceAll(strings.TrimSpace(text), "\n", " "))
			}
		}
		if out := string(st.Outputs); out != "" && out != "{}" {
			fmt.Fprintf(&b, "  %s", out)
		}
		if st.Route != "" {
			fmt.Fprintf(&b, "  → %s", st.Route)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
