package release_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/recipe"
)

// TestPlan pins the plan and its drawings. A change of them is a change of what users see and of running releases
// (law J8).
func TestPlan(t *testing.T) {
	r, err := recipe.Load(".", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "plan.golden.json", indented(t, r.Plan()))
	golden(t, "drawing.golden.txt", r.Plan().Text())
	golden(t, "drawing.golden.mmd", r.Plan().Mermaid())
}

// TestReadmeShowsTheDrawing keeps the picture in README.md true.
func TestReadmeShowsTheDrawing(t *testing.T) {
	const begin, end = "```mermaid\n", "```\n"
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("README.md has no drawing: expected a block ```mermaid")
	}
	r, err := recipe.Load(".", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := r.Plan().Mermaid()
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("README.md does not show the plan as it is; go test -update writes it there. Expected:\n%s", want)
	}
	if err := os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
