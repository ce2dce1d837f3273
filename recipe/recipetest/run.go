package recipetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/definitiontest"
	"github.com/fermata-go/fermata/recipe"
)

// Run runs the tests of all recipes under the paths (see [Find]), each as a subtest. A subtest has the name of its file
// and its test. An invalid recipe fails t, and so do paths without any test.
func Run(t *testing.T, opts Options, paths ...string) {
	t.Helper()
	if opts.Once == nil {
		opts.Once = func(test recipe.Test, live []string) {
			t.Logf("%s:%d: %q runs once and without crashes: it calls %s itself", test.File, test.Line, test.Name, strings.Join(live, ", "))
		}
	}
	definitiontest.Run(t, "recipe", Find, func(t *testing.T, file string) ([]definitiontest.Outcome, error) {
		report, err := Check(t.Context(), file, opts)
		if err != nil {
			return nil, err
		}
		all := make([]definitiontest.Outcome, len(report.Results))
		for i := range all {
			all[i] = report.Results[i].outcome()
		}
		return all, nil
	}, paths...)
}

func (r *Result) outcome() definitiontest.Outcome {
	o := definitiontest.Outcome{
		Name:  r.Test.Name,
		Wrong: slices.Concat(definitiontest.Words(r.Failures), definitiontest.Words(r.Broken)),
	}
	if r.Trace != nil {
		o.Story = "the run:\n" + story(r.Trace)
	}
	return o
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
