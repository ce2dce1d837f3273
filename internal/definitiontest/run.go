package definitiontest

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata/definition"
)

// Outcome is what a test that a definition holds has shown.
type Outcome struct {
	Name  string
	Wrong []string // what is not as the test says; none where it has passed
	Story string   // what happened, for one that has not; "" for nothing
}

// Run runs the tests that definitions of a kind hold ("recipe"), each as a subtest. It finds the files under the paths
// with find, and gets their outcomes from check. A subtest has the name of its file and its test. An invalid definition
// fails t, and so do paths without any test.
func Run(t *testing.T, kind string, find func(...string) ([]string, error), check func(*testing.T, string) ([]Outcome, error), paths ...string) {
	t.Helper()
	files, err := find(paths...)
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			outcomes, err := check(t, file)
			if problems, ok := errors.AsType[*definition.Error](err); ok {
				t.Fatalf("the %s is not valid:\n%v", kind, problems)
			}
			if err != nil {
				t.Fatal(err)
			}
			tests += len(outcomes)
			for _, o := range outcomes {
				t.Run(o.Name, o.tell)
			}
		})
	}
	if tests == 0 {
		t.Errorf("there is no test of a %s in %q", kind, paths)
	}
}

// tell fails t with what is wrong.
func (o Outcome) tell(t *testing.T) {
	for _, wrong := range o.Wrong {
		t.Error(wrong)
	}
	if len(o.Wrong) > 0 && o.Story != "" {
		t.Log(o.Story)
	}
}

// Words are things as they are said.
func Words[T interface{ String() string }](things []T) []string {
	var all []string
	for _, thing := range things {
		all = append(all, thing.String())
	}
	return all
}

// AllOK reports whether all results are OK.
func AllOK[T any, P interface {
	*T
	OK() bool
}](results []T) bool {
	for i := range results {
		if !P(&results[i]).OK() {
			return false
		}
	}
	return true
}
