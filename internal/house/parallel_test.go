package house

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ofTheProcess are functions that measure or change what all tests of a process share: a test that runs beside others would
// measure theirs too, or take from them what they stand on. testing itself refuses T.Setenv and T.Chdir in such a test.
var ofTheProcess = map[string]bool{
	"runtime.NumGoroutine": true, "runtime.ReadMemStats": true, "runtime.GOMAXPROCS": true, "runtime.Stack": true,
	"runtime/metrics.Read": true, "runtime/pprof.Lookup": true, "testing.AllocsPerRun": true,
	"runtime/debug.SetGCPercent": true, "runtime/debug.SetMemoryLimit": true, "runtime/debug.SetMaxStack": true,
	"os.Setenv": true, "os.Unsetenv": true, "os.Clearenv": true, "os.Chdir": true,
	"flag.Set": true, "log.SetOutput": true, "log/slog.SetDefault": true,
	"syscall.Getrusage": true, "go.uber.org/goleak.VerifyNone": true, "go.uber.org/goleak.Find": true,
}

// A test that runs beside others neither measures nor changes what belongs to the whole process.
func TestParallelTestsKeepToThemselves(t *testing.T) {
	packages := make(map[string][]*file)
	for _, f := range readTree(t).goFiles(true) {
		packages[f.dir()] = append(packages[f.dir()], f)
	}
	parallel := 0
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		found, n := sharing(packages[dir])
		parallel += n
		for _, what := range found {
			t.Errorf("%s: %s, which belongs to the whole process, beside other tests: count what is the test's own, or take out t.Parallel()", dir, what)
		}
	}
	if parallel < 50 {
		t.Errorf("only %d parallel tests were seen: is t.Parallel() called by another name?", parallel)
	}
}

// sharing lists "TestX uses runtime.NumGoroutine" for each parallel test of a package, and counts those tests. Calls are
// followed by the names of functions through the package's test files.
func sharing(files []*file) (found []string, parallel int) {
	type function struct{ calls, uses []string }
	functions := make(map[string]function) // by name; methods of one name are one function
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				calls, uses := mentions(f, fn.Body)
				known := functions[fn.Name.Name]
				functions[fn.Name.Name] = function{append(known.calls, calls...), append(known.uses, uses...)}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !strings.HasPrefix(name, "Test") {
			continue
		}
		seen, next := map[string]bool{name: true}, []string{name}
		uses := make(map[string]bool)
		for len(next) > 0 {
			fn := functions[next[0]]
			next = next[1:]
			for _, use := range fn.uses {
				uses[use] = true
			}
			for _, call := range fn.calls {
				if _, here := functions[call]; (here || call == "Parallel") && !seen[call] {
					seen[call] = true
					next = append(next, call)
				}
			}
		}
		if name == "TestMain" || !seen["Parallel"] {
			continue
		}
		parallel++
		for _, use := range slices.Sorted(maps.Keys(uses)) {
			found = append(found, name+" uses "+use)
		}
	}
	return found, parallel
}

// mentions are the names in a body that may be functions of the package, and what of the whole process it uses.
func mentions(f *file, body ast.Node) (calls, uses []string) {
	imported := make(map[string]string) // paths by the names that they have in the file
	for _, spec := range f.ast.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = path
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "GOMAXPROCS" && len(n.Args) == 1 {
				if zero, ok := n.Args[0].(*ast.BasicLit); ok && zero.Value == "0" {
					return false // asks, and sets nothing
				}
			}
		case *ast.SelectorExpr:
			calls = append(calls, n.Sel.Name)
			if x, ok := n.X.(*ast.Ident); ok && ofTheProcess[imported[x.Name]+"."+n.Sel.Name] {
				uses = append(uses, imported[x.Name]+"."+n.Sel.Name)
			}
		case *ast.Ident:
			calls = append(calls, n.Name)
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && (text == "/proc/self/fd" || strings.HasPrefix(text, "/proc/self/fd/")) {
				uses = append(uses, text)
			}
		}
		return true
	})
	return calls, uses
}

// The check sees a measurement through a function and through a method, and leaves tests alone that run alone.
func TestParallelTestsAreFollowed(t *testing.T) {
	_, f := parse(t, `package p

import (
	"runtime"
	mem "runtime/debug"
	"testing"
)

func TestAlone(t *testing.T) { _ = runtime.NumGoroutine() }

func TestBeside(t *testing.T) {
	t.Parallel()
	x{}.measure()
}

func TestParts(t *testing.T) { t.Run("a", func(t *testing.T) { beside(t) }) }

func TestClean(t *testing.T) {
	t.Parallel()
	_ = runtime.GOMAXPROCS(0)
}

type x struct{}

func (x) measure() { count() }
func count() int   { return runtime.NumGoroutine() }

func beside(t *testing.T) {
	t.Parallel()
	mem.SetGCPercent(1)
	_ = "/proc/self/fd"
}
`)
	found, parallel := sharing([]*file{{path: "p_test.go", ast: f}})
	want := []string{"TestBeside uses runtime.NumGoroutine", "TestParts uses /proc/self/fd", "TestParts uses runtime/debug.SetGCPercent"}
	if !slices.Equal(found, want) || parallel != 3 {
		t.Errorf("got %q of %d parallel tests, want %q of 3", found, parallel, want)
	}
}
