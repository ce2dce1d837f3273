package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kindReaders are the places that decide by the kind of an entry what people or programs see, with the kinds that each leaves out on
// purpose. A kind that a reader neither names nor leaves out was forgotten; one that it does both with is no longer left out.
var kindReaders = []struct {
	files   string   // a pattern of Go files, or of sources in TypeScript, whose kinds are the types of events
	leaves  []string // types of events
	because string
}{
	{
		files:   "cmd/fermata/internal/progress/*.go",
		leaves:  []string{"node.suspended", "node.heartbeat", "text.start", "text.delta", "text.end", "structured-data", "structured-data.invalidated", "label.set", "definition"},
		because: "the call says why a task waits; text and data are results, which are shown at the end, and labels are for lists",
	},
	{
		files: "recipe/trace*.go",
		leaves: []string{
			"run.started", "run.paused", "run.blocked", "run.undoing", "node.heartbeat", "step.started", "timer.set", "text.start", "text.delta", "text.end",
			"diagnostic", "structured-data", "structured-data.invalidated", "message.sent", "label.set", "definition",
		},
		because: "a step is what a node has done; a message is shown in the step that has taken it",
	},
	{
		files: "telemetry/*.go",
		leaves: []string{
			"node.skipped", "node.heartbeat", "text.start", "text.delta", "text.end", "message", "status", "diagnostic",
			"structured-data.invalidated", "label.set", "definition",
		},
		because: "a span has a beginning and an end, and holds nothing that is said",
	},
	{
		files: "fermatatest/transcript.go",
		leaves: []string{
			"run.paused", "run.blocked", "run.held", "run.released", "run.resumed", "run.undoing", "text.start", "text.delta", "structured-data.invalidated", "node.heartbeat", "timer.fired",
			"node.suspended", "message.sent", "definition",
		},
		because: "what differs from one time to the next is left out; what comes of a call is shown where it ends",
	},
	{
		files:   "clients/js/src/state.ts",
		leaves:  []string{"run.undoing", "route.taken", "step.started", "step.finished", "timer.set", "node.heartbeat", "label.set", "definition"},
		because: "a user interface shows tasks, not what they call and where they lead",
	},
	{
		files: "server/listener.go",
		leaves: []string{
			"run.started", "run.paused", "run.blocked", "run.held", "run.released", "run.undoing", "run.finished", "node.started", "node.finished", "node.retrying", "node.failed", "node.skipped",
			"node.cached", "node.heartbeat", "route.taken", "step.started", "step.finished", "timer.set", "timer.fired", "text.start", "text.delta",
			"text.end", "message", "status", "diagnostic", "structured-data", "structured-data.invalidated", "message.sent", "message.awaited",
			"message.replied", "label.set", "definition",
		},
		because: "who may read a run reads all of it but questions that are for others (law H8)",
	},
}

// TestReadersKnowAllKinds checks that no reader has forgotten a kind of entries (law E1).
func TestReadersKnowAllKinds(t *testing.T) {
	consts, all := kindConstants(t)
	w := readTree(t)
	for _, reader := range kindReaders {
		named := make(map[string]bool)
		for _, f := range w.goFiles(false) {
			if ok, _ := filepath.Match(reader.files, filepath.ToSlash(f.path)); ok {
				kindsOf(f.ast, consts, named)
			}
		}
		if strings.HasSuffix(reader.files, ".ts") {
			source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(reader.files)))
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range all {
				named[kind] = strings.Contains(string(source), `"`+kind+`":`)
			}
		}
		for _, kind := range all {
			switch leaves := slices.Contains(reader.leaves, kind); {
			case named[kind] && leaves:
				t.Errorf("%s knows %s: it is not left out any more", reader.files, kind)
			case !named[kind] && !leaves:
				t.Errorf("%s does not know %s: show it, or leave it out here with the others (%s)", reader.files, kind, reader.because)
			}
		}
	}
}

// kindsOf notes the kinds that a file names as journal.X.
func kindsOf(file *ast.File, consts map[string]string, named map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "journal" && consts[sel.Sel.Name] != "" {
				named[consts[sel.Sel.Name]] = true
			}
		}
		return true
	})
}

// kindConstants are the types of events by the constants of their kinds, and all of them.
func kindConstants(t *testing.T) (consts map[string]string, all []string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "journal", "entry.go"))
	if err != nil {
		t.Fatal(err)
	}
	consts = make(map[string]string)
	for _, m := range regexp.MustCompile(`(\w+): +"([a-z.-]+)"`).FindAllStringSubmatch(string(source), -1) {
		consts[m[1]] = m[2]
	}
	for name, kind := range consts {
		if strings.Contains(string(source), name+" ") { // its constant is declared
			all = append(all, kind)
		}
	}
	if slices.Sort(all); len(all) < 30 {
		t.Fatalf("journal/entry.go names %d kinds: %v", len(all), all)
	}
	return consts, all
}
