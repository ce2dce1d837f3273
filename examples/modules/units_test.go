package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestParsePackages(t *testing.T) {
	l, err := parsePackages(record(t).said["list"])
	if err != nil {
		t.Fatal(err)
	}
	var own []Package
	for _, p := range l.Packages {
		if p.Own {
			own = append(own, p)
		}
	}
	const module = "example.org/shop"
	same(t, "packages of its own", own, []Package{
		{
			Path: module, Module: module, Own: true, Dir: "/src/shop", Files: []string{"shop.go"},
			Imports: []string{"example.org/prices", "example.org/shop/cart", "github.com/fsnotify/fsnotify"},
		},
		{
			Path: module + "/cart", Module: module, Own: true, Dir: "/src/shop/cart", Files: []string{"cart.go"},
			Imports: []string{"github.com/spf13/pflag"}, TestImports: []string{"github.com/google/go-cmp/cmp"},
		},
		{
			Path: module + "/cmd/shop", Module: module, Own: true, Dir: "/src/shop/cmd/shop", Files: []string{"main.go"},
			Imports: []string{"example.org/shop", "github.com/spf13/cobra"},
		},
	})
	same(t, "a replaced module", l.Origins["example.org/prices"], Origin{Version: "v0.0.0", Replaced: "../prices"})
	if len(l.Origins) != 8 || l.Origins["github.com/google/uuid"].Sum == "" {
		t.Errorf("modules: %+v", l.Origins)
	}
	if _, err := parsePackages("{"); err == nil || !strings.Contains(err.Error(), "the output of go list") {
		t.Errorf("of a listing that ends too early: %v", err)
	}
}

func TestParseRequirements(t *testing.T) {
	asks, err := parseRequirements("a b@v1\na go@1.26\n\nb@v1 c@v2\ngo@1.26 toolchain@go1.26\n")
	same(t, "requirements", asks, []Ask{{By: "a", Module: "b", Version: "v1"}, {By: "b", At: "v1", Module: "c", Version: "v2"}})
	if err != nil {
		t.Error(err)
	}
	want := `line 2 of what go mod graph says: expected two modules, found "b@v1"`
	if _, err := parseRequirements("a b@v1\nb@v1\n"); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// small are the packages of a module o: o/x imports a and b, o/y imports b and, in a test, e. a imports c, b imports c/2
// and d, which imports c/2, too. c/3 is imported by e alone.
func small() []Package {
	p := func(path string, imports ...string) Package {
		module, _, _ := strings.Cut(path, "/")
		return Package{Path: path, Module: module, Own: module == "o", Imports: imports}
	}
	all := []Package{
		p("a", "c"), p("b", "c/2", "d"), p("c"), p("c/2"), p("c/3"), p("d", "c/2"), p("e", "c/3", "f"), p("f"),
		p("o/x", "a", "b"), p("o/y", "b"),
	}
	all[len(all)-1].TestImports = []string{"e"}
	return all
}

func TestGroup(t *testing.T) {
	in := counted{Packages: small(), Origins: map[string]Origin{"a": {Version: "v1.0.0"}}}
	for i, p := range in.Packages { // a package a source, of 1, 2, 4, … lines
		in.Sources = append(in.Sources, Source{Module: p.Module, Parts: []Folder{{Package: p.Path}}})
		in.Counts = append(in.Counts, []int{1 << i})
	}
	got := group(in)
	same(t, "modules", got.Modules, []Module{
		{Path: "a", Version: "v1.0.0", Packages: 1, Lines: 1, Importers: 1},
		{Path: "b", Packages: 1, Lines: 2, Importers: 2},
		{Path: "c", Packages: 2, Lines: 4 + 8}, // c/3 is for tests
		{Path: "d", Packages: 1, Lines: 32},
		{Path: "e", Packages: 1, Lines: 64, Tests: true},
		{Path: "f", Packages: 1, Lines: 128, Tests: true},
		{Path: "o", Packages: 2, Lines: 256 + 512, Own: true},
	})
	if got.Sizes["c/3"] != 16 {
		t.Errorf("lines: %v", got.Sizes)
	}
}

func TestWeigh(t *testing.T) {
	same(t, "links", weigh(small()), Links{
		Modules: []string{"o", "a", "b", "c", "d"},
		Out:     [][]Link{{{1, 1}, {2, 2}}, {{3, 1}}, {{3, 1}, {4, 1}}, nil, {{3, 1}}},
	})
	same(t, "links of nothing", weigh(nil), Links{Modules: []string{""}, Out: [][]Link{nil}})
}

// TestRank goes to the weights that do not change any more. They are held against what they are by their definition.
func TestRank(t *testing.T) {
	in := weights{Links: weigh(small())}
	for before := math.Inf(1); ; {
		to := rank(in)
		if to.Change > before*onward+1e-12 {
			t.Fatalf("the weights changed by %v, and then by %v", before, to.Change)
		}
		if in.Weights, before = to.Weights, to.Change; before < 1e-12 {
			break
		}
	}
	w := in.Weights
	for i, want := range []float64{
		(1 - onward) + onward*w[3], // it begins anew, and all from c, where nothing leads on
		onward * w[0] / 3,
		onward * w[0] * 2 / 3,
		onward * (w[1] + w[2]/2 + w[4]),
		onward * w[2] / 2,
	} {
		if math.Abs(w[i]-want) > 1e-9 {
			t.Errorf("module %s has the weight %v, want %v", in.Links.Modules[i], w[i], want)
		}
	}
}

func TestMeasureAndGate(t *testing.T) {
	in := standing{
		Links: Links{Modules: []string{"o", "a", "b", "c"}}, Weights: []float64{0.1, 0.2, 0.4, 0.2},
		Change: 0.5, Top: 2, Tolerance: 1, Order: []int{2, 1}, Round: 7,
	}
	same(t, "the same order, little change", measure(in), measured{Order: []int{2, 1}, Round: 8, Settled: true})
	in.Tolerance = 0.5
	same(t, "too much change", measure(in), measured{Order: []int{2, 1}, Round: 8})
	in.Tolerance, in.Top = 1, 0
	same(t, "more of them", measure(in), measured{Order: []int{2, 1, 3}, Round: 8})
	for in, want := range map[progress]next{
		{Settled: false, Round: 1, Rounds: 9}: again,
		{Settled: true, Round: 1, Rounds: 9}:  done,
		{Settled: false, Round: 9, Rounds: 9}: done,
	} {
		if got := gate(in); got != want {
			t.Errorf("%+v: %q, want %q", in, got, want)
		}
	}
}

func TestTrace(t *testing.T) {
	same(t, "through", trace(small()), map[string][]string{"c": {"a", "b"}, "d": {"b"}})
}

func TestDrop(t *testing.T) {
	packages := small()
	packages[0].Imports = append(packages[0].Imports, "g") // a imports g, which o/y imports, too
	packages = append(packages, Package{Path: "g", Module: "g"})
	packages[9].Imports = append(packages[9].Imports, "g")
	sizes := map[string]int{"a": 1, "b": 2, "c": 4, "c/2": 8, "d": 16, "g": 32}
	unused := []Unused{
		{Module: "h", Indirect: true, By: []string{"i"}},
		{Module: "i", Indirect: true, By: []string{"b", "d"}},
		{Module: "j", Indirect: true, By: []string{"a", "b"}},
		{Module: "k", Indirect: true},
		{Module: "l", By: []string{"b"}},
	}
	same(t, "what goes", drop(dropping{packages, sizes, unused}), []Drop{
		{Module: "b", Packages: 3, Lines: 2 + 8 + 16, With: []string{"d"}, Idle: []string{"h", "i"}},
		{Module: "a", Packages: 2, Lines: 1 + 4},
		{Module: "g", Stays: true},
	})
}

func TestUnused(t *testing.T) {
	var in requiring
	for _, path := range []string{"a", "b", "c"} {
		in.File.Require = append(in.File.Require, Requirement{Path: path, Version: "v1", Indirect: path == "b"})
	}
	in.Origins = map[string]Origin{"a": {}}
	in.Asks = []Ask{
		{By: "o", Module: "b"},
		{By: "a", At: "v1", Module: "b"},
		{By: "c", At: "v1", Module: "b"},
		{By: "a", At: "v0", Module: "c"}, // of a version that was not chosen
	}
	same(t, "unused", findUnused(in), []Unused{
		{Module: "b", Version: "v1", Indirect: true, By: []string{"a", "c"}}, {Module: "c", Version: "v1"},
	})
}

// TestDigest changes with all that the requirement graph depends on.
func TestDigest(t *testing.T) {
	r, m := record(t), found{Root: "/src/shop"}
	decode(t, r.said["mod edit"], &m.File)
	seen := make(map[string]string)
	look := func(after string, env environment) {
		sum, err := digest(r, &m, env)
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := seen[sum]; ok {
			t.Errorf("after %s it is the same as after %s", after, before)
		}
		seen[sum] = after
	}
	env := environment{GOVERSION: "go1.26.8"}
	look("nothing", env)
	for _, name := range []string{"shop/go.mod", "shop/go.sum", "shop/vendor/modules.txt", "prices/go.mod"} {
		r.write("/src/"+name, "changed\n")
		look(name, env)
	}
	env.GOFLAGS = "-mod=mod"
	look("another flag", env)
	env.GOVERSION = "go1.27"
	look("another Go", env)
}

func TestStamp(t *testing.T) {
	r := record(t)
	parts := []Folder{{Dir: "/src/shop", Files: []string{"shop.go"}}}
	before, err := stamp(r, parts)
	if err != nil {
		t.Fatal(err)
	}
	r.write("/src/shop/shop.go", "package shop\n")
	if after, err := stamp(r, parts); err != nil || after == before {
		t.Errorf("a file has changed: %q and %q, %v", before, after, err)
	}
	parts[0].Files = append(parts[0].Files, "gone.go")
	if _, err := stamp(r, parts); err == nil {
		t.Error("a file is gone")
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		number(7): "7", number(1234): "1,234", number(1234567): "1,234,567",
		count(1, "line"): "1 line", count(2000, "line"): "2,000 lines",
		version("v1.2.3"): "v1.2.3", version("v0.0.0-20240722160745-212f7b056ed0"): "v0.0.0-20240722",
		version("v1.2.4-0.20240722160745-212f7b056ed0"): "v1.2.4-20240722", version("v1.0.0-rc.1"): "v1.0.0-rc.1",
		shorten("a.org/b", 3): "a.org/b", shorten("a.org/bbb/ccc/ddd/eee", 16): "a.org/…/ddd/eee",
		shorten("a.org/bbb/ccc", 3): "a.org/bbb/ccc",
		bar(1):                      "██████████", bar(0.5): "█████", bar(0.04): "▍", bar(0): "▏",
		names([]string{"github.com/a/b", "c.org/d", "e"}, 2): "a/b, c.org/d and 1 more",
		reason(fmt.Errorf("exit 1"), ""):                     "exit 1",
		reason(nil, "go: downloading x\n\ngo: a\n\tb\n"):     "go: a\n  b",
		filepath.ToSlash(inside("/src/shop")):                "src/shop",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
