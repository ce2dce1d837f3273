package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// recorded is a toolchain that says what the real one has said, and counts what it is asked.
type recorded struct {
	said  map[string]string
	files fstest.MapFS

	mu    sync.Mutex
	count map[string]int
}

// record reads testdata/shop.txtar. A file there has as many lines as it says, and nothing in them.
func record(t *testing.T) *recorded {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "shop.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{said: make(map[string]string), files: make(fstest.MapFS), count: make(map[string]int)}
	for _, f := range archive.Files {
		if f.Name != "files" {
			r.said[f.Name] = string(f.Data)
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			var name string
			var lines int
			if _, err := fmt.Sscan(line, &name, &lines); err != nil {
				t.Fatal(err)
			}
			r.write(name, strings.Repeat("\n", lines))
		}
	}
	r.write("/src/shop/go.mod", "module example.org/shop\n")
	r.write("/src/prices/go.mod", "module example.org/prices\n")
	return r
}

func (r *recorded) write(name, text string) {
	r.files[inside(name)] = &fstest.MapFile{Data: []byte(text), ModTime: fermatatest.Epoch}
}

func inside(name string) string { return strings.TrimPrefix(filepath.ToSlash(name), "/") }

func (r *recorded) ReadFile(name string) ([]byte, error)  { return r.files.ReadFile(inside(name)) }
func (r *recorded) Stat(name string) (fs.FileInfo, error) { return r.files.Stat(inside(name)) }

func (r *recorded) Go(_ context.Context, _ string, args ...string) (string, error) {
	command := args[0]
	if command == "mod" {
		command += " " + args[1]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[command]++
	said, ok := r.said[command]
	if !ok {
		return "", fmt.Errorf("go %s: it says nothing", command)
	}
	return said, nil
}

func (r *recorded) counts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.count)
}

// play starts the program and returns what it writes. No time passes in it.
func play(t *testing.T, tools Toolchain, code int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := program{out: &out, err: &out, tools: tools, now: func() time.Time { return fermatatest.Epoch }}
	if got := p.run(t.Context(), args); got != code {
		t.Errorf("modules %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, out.String())
	}
	return out.String()
}

// TestTable pins what people see, and what programs read.
func TestTable(t *testing.T) {
	r := record(t)
	golden(t, "table.golden", play(t, r, exitDone, "-no-cache"))
	golden(t, "first.golden", play(t, r, exitDone, "-no-cache", "-top", "2"))
	golden(t, "report.golden.json", play(t, r, exitDone, "-no-cache", "-top", "2", "-json"))
}

// TestDrawing pins the dataflow.
func TestDrawing(t *testing.T) {
	r := record(t)
	golden(t, "drawing.golden.txt", play(t, r, exitDone, "-draw", "text"))
	golden(t, "drawing.golden.mmd", play(t, r, exitDone, "-draw", "mermaid"))
	if len(r.count) > 0 {
		t.Errorf("to draw, it asked for %v", r.count)
	}
}

// TestWrongUse pins what is said of flags and folders that are not right.
func TestWrongUse(t *testing.T) {
	var b strings.Builder
	try := func(tools Toolchain, code int, args ...string) {
		fmt.Fprintf(&b, "$ modules %s\n%s\n", strings.Join(args, " "), play(t, tools, code, args...))
	}
	r := record(t)
	try(r, exitUsage, "-top", "-1")
	try(r, exitUsage, "-top", "many")
	try(r, exitUsage, "-draw", "svg")
	try(r, exitUsage, "-store", "x", "-no-cache")
	try(r, exitUsage, "-C", "nowhere")
	try(r, exitUsage, "../shop")
	try(r, exitUsage, "-colour")
	try(r, exitDone, "-h")
	delete(r.said, "list")
	try(r, exitFailed, "-no-cache")
	golden(t, "wrong-use.golden", b.String())
}

// TestAStoreThatIsNone says what to do about it.
func TestAStoreThatIsNone(t *testing.T) {
	store := filepath.Join(t.TempDir(), "modules.db")
	if err := os.WriteFile(store, []byte("This is no database, and it is long enough to be one."), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := play(t, record(t), exitFailed, "-store", store); !strings.Contains(said, "it is a cache, and can be deleted") {
		t.Errorf("it says %q", said)
	}
}

// TestD13_ASecondRun takes from the cache what it can: what depends on its inputs alone, as long as these are equal.
func TestD13_ASecondRun(t *testing.T) {
	store := filepath.Join(t.TempDir(), "folder", "modules.db")
	r := record(t)
	last := func() string {
		text := strings.TrimSpace(play(t, r, exitDone, "-store", store))
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	lines := []string{last(), last()}
	r.write("/src/shop/cart/cart.go", "package cart\n")
	lines = append(lines, last())
	r.write("/src/shop/go.sum", "github.com/spf13/cobra v1.10.2\n")
	lines = append(lines, last())
	r.write("/src/prices/go.mod", "module example.org/prices\n\ngo 1.27\n")
	lines = append(lines, last(), last())
	want := []string{
		"  0s; from the cache: nothing",
		"  0s; from the cache: requirements, count/lines 8 of 8",
		"  0s; from the cache: requirements, count/lines 7 of 8", // the module itself is counted again
		"  0s; from the cache: count/lines 8 of 8",               // other requirements
		"  0s; from the cache: count/lines 8 of 8",               // of a module in a folder
		"  0s; from the cache: requirements, count/lines 8 of 8",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := r.counts()["mod graph"]; got != 3 {
		t.Errorf("go mod graph was called %d times, want 3", got)
	}
}

// input is for flows that are run many times: the ranking settles soon.
func input(t *testing.T, flow *dataflow.Graph) func() any {
	return func() any {
		in, err := flow.Input(dataflow.Values{"dir": "/src/shop", "top": 3, "tolerance": 0.05})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
}

// TestJ5_ACrashAnywhere stops the engine before and after all that it stores: the report is the same always, and no go
// command is called again whose answer was recorded. With FERMATA_EXPLORE it does so everywhere, else at every third place.
func TestJ5_ACrashAnywhere(t *testing.T) {
	flow, err := newFlow()
	if err != nil {
		t.Fatal(err)
	}
	n := 3
	if os.Getenv("FERMATA_EXPLORE") != "" {
		n = 1
	}
	r := record(t)
	report := fermatatest.Crash(
		t, flow.Plan(), input(t, flow), fermatatest.Effects(r.counts), fermatatest.Every(n),
		fermatatest.WithOptions(fermata.Options{Services: []any{r}}),
	)
	if report.Result.Status != fermata.Completed {
		t.Errorf("without a crash: %s, %v", report.Result.Status, report.Result.Err)
	}
	t.Logf("%d appends, %d crashes", len(report.Appends), report.Crashes)
}

// TestD11_AnyOrder lets nodes that run side by side end in different orders: the report is the same always.
func TestD11_AnyOrder(t *testing.T) {
	flow, err := newFlow()
	if err != nil {
		t.Fatal(err)
	}
	fermatatest.Schedules(t, flow.Plan(), input(t, flow), fermatatest.Orders(10),
		fermatatest.WithOptions(fermata.Options{Services: []any{record(t)}}))
}

// TestARankingThatDoesNotSettle is given up, and says so.
func TestARankingThatDoesNotSettle(t *testing.T) {
	flow, err := newFlow()
	if err != nil {
		t.Fatal(err)
	}
	res, err := flow.Run(t.Context(), dataflow.Values{"dir": "/src/shop", "top": 3, "rounds": 4}, record(t))
	if err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, res.Err, err)
	}
	report, err := dataflow.Get[Report](res.Outputs, "report")
	if err != nil || report.Settled || report.Round != 4 {
		t.Errorf("settled %t after %d rounds, %v", report.Settled, report.Round, err)
	}
	if text := table(report); !strings.Contains(text, "not settled after 4 rounds") {
		t.Errorf("nothing says that it has not settled:\n%s", text)
	}
}

// TestNoModule is about folders without go.mod, and machines without Go.
func TestNoModule(t *testing.T) {
	if said := play(t, installed{}, exitFailed, "-no-cache", "-C", t.TempDir()); goInstalled() && !strings.Contains(said, "there is no go.mod in ") {
		t.Errorf("it says %q", said)
	}
	t.Setenv("PATH", t.TempDir())
	want := "modules: the go command was not found: install Go, or put it on the PATH\n"
	if said := play(t, installed{}, exitFailed, "-no-cache"); said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
}

func goInstalled() bool {
	_, err := exec.LookPath("go")
	return err == nil
}

// TestHere looks at this repository, as it is.
func TestHere(t *testing.T) {
	if !goInstalled() {
		t.Skip("the go command is not on the PATH")
	}
	store := filepath.Join(t.TempDir(), "modules.db")
	first, second := look(t, store), look(t, store)
	if first.Module != "github.com/fermata-go/fermata" || first.Own.Packages == 0 || first.Own.Lines == 0 {
		t.Errorf("it looked at %s, with %+v", first.Module, first.Own)
	}
	if diff := cmp.Diff(first.Report, second.Report); diff != "" {
		t.Errorf("the second report differs (-first +second):\n%s", diff)
	}
	for _, h := range second.Run.Cache {
		if h.Tasks == 0 || h.Hits != h.Tasks {
			t.Errorf("%s: %d of %d came from the cache", h.Node, h.Hits, h.Tasks)
		}
	}
	invariants(t, &first.Report)
}

func look(t *testing.T, store string) (d document) {
	t.Helper()
	decode(t, play(t, installed{}, exitDone, "-store", store, "-top", "0", "-json"), &d)
	return d
}

// invariants hold for every report of all modules.
func invariants(t *testing.T, r *Report) {
	t.Helper()
	if !r.Settled || len(r.Ranked) != r.Built {
		t.Errorf("settled %t, with %d of %d modules", r.Settled, len(r.Ranked), r.Built)
	}
	sum, size, direct := 0.0, Size{}, make(map[string]bool)
	for i, m := range r.Ranked {
		sum += m.Weight
		size.Packages, size.Lines = size.Packages+m.Packages, size.Lines+m.Lines
		if m.Importers > 0 {
			direct[m.Path] = true
		}
		if m.Weight <= 0 || i > 0 && m.Weight > r.Ranked[i-1].Weight {
			t.Errorf("%s has the weight %v behind %v", m.Path, m.Weight, r.Ranked[max(i-1, 0)].Weight)
		}
		if m.Packages == 0 || m.Importers == 0 && len(m.Through) == 0 {
			t.Errorf("%s is in the build, and nothing leads to it: %+v", m.Path, m)
		}
	}
	if sum < 0.999 || sum > 1.001 || size != r.Others {
		t.Errorf("the modules weigh %v in all and have %+v of %+v", sum, size, r.Others)
	}
	if len(r.Drops) != len(direct) {
		t.Errorf("%d direct dependencies may go, of %d", len(r.Drops), len(direct))
	}
	for _, d := range r.Drops {
		if !direct[d.Module] || d.Lines > r.Others.Lines || d.Stays && len(d.With) > 0 && d.Packages == 0 {
			t.Errorf("what goes with %s: %+v", d.Module, d)
		}
	}
	if all := r.Built + len(r.Tests) + len(r.Unused); all != r.Required {
		t.Errorf("%d modules are built, %d tested with and %d neither: %d in all, and go.mod requires %d",
			r.Built, len(r.Tests), len(r.Unused), all, r.Required)
	}
}
