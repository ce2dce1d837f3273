package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer reports code of nodes that goes wrong when the node runs again. Its flag "advice" adds findings that need a
// crash or a failure at the wrong moment; it is off by default, because drivers such as go vet fail with any finding.
//
// Its flag "packages" changes nothing here: it keeps cached results apart. The go command of Go 1.26 looks at an import of what it
// vets for facts alone, and takes it for a package without findings when it is asked for that one later.
//
// The category of a diagnostic is its rule, such as "effect"; that of advice begins with "advice-".
var Analyzer = newAnalyzer()

// The rules: categories of diagnostics.
const (
	ruleEffect    = "effect"    // something outside is changed, and nothing records it
	ruleTime      = "time"      // a clock that is not the run's, or a pause that does not last
	ruleRandom    = "random"    // a value that nobody draws twice
	ruleOrder     = "map-order" // an order that differs each time
	ruleGoroutine = "goroutine" // recorded calls that no replay can tell apart
	ruleGlobal    = "global"    // memory that no journal holds
	ruleSelect    = "select"    // a choice that differs each time
	ruleLost      = "lost"      // a variable that only the first pass sets
	ruleIgnore    = "ignore"    // a comment that gives no reason
)

// advicePrefix begins the categories of advice.
const advicePrefix = "advice-"

func newAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "fermata",
		Doc: "find code of Fermata nodes that goes wrong when the node runs again\n\n" +
			"A node's function runs again from its first line after each wait (law N1) and after a crash. This reports effects " +
			"that happen again then, and clocks, random numbers and orders that lead the code another way than its journal.",
		URL:       "https://pkg.go.dev/" + module + "/vet",
		FactTypes: []analysis.Fact{new(summary)},
	}
	advice := a.Flags.Bool("advice", false, "report also what goes wrong only after a crash or a failure")
	a.Flags.String("packages", "", "which packages are asked for: results are cached by flags, and each set of packages has its own")
	a.Run = func(pass *analysis.Pass) (any, error) {
		if concerns(pass) {
			newChecker(pass, *advice).run()
		}
		return nil, nil //nolint:nilnil // an analyzer without a result
	}
	return a
}

// concerns reports whether a package is the user's own: of the module that is worked on, and not Fermata's own room for
// recorded calls.
func concerns(pass *analysis.Pass) bool {
	m := pass.Module
	return m != nil && m.Path != "" && m.Path != "std" && m.Version == "" && pass.Pkg.Path() != nodePath
}

// checker looks at one package.
type checker struct {
	pass   *analysis.Pass
	advice bool

	functions map[*ssa.Function]*function
	order     []*ssa.Function // of the source, literals behind the functions that hold them
	ignored   *ignored
	reported  map[token.Pos]bool // one finding for a place: the first is the gravest
}

func newChecker(pass *analysis.Pass, advice bool) *checker {
	return &checker{
		pass: pass, advice: advice, functions: map[*ssa.Function]*function{},
		ignored: readIgnored(pass), reported: map[token.Pos]bool{},
	}
}

func (c *checker) run() {
	c.build()
	for _, fn := range c.order {
		f := c.function(fn)
		if obj, ok := fn.Object().(*types.Func); ok && !f.sum.empty() {
			c.pass.ExportObjectFact(obj, &f.sum)
		}
	}
	nodes := c.nodes()
	for _, fn := range c.order {
		f := c.functions[fn]
		if f.records() {
			c.effects(f)
			c.values(f)
			c.lost(f)
			c.goroutines(f)
		}
		if f.records() || nodes[fn] {
			c.pauses(f)
			c.maps(f)
			c.globals(f)
		}
	}
	c.ignored.complain(c)
}

// build makes the SSA form of the package.
func (c *checker) build() {
	prog := ssa.NewProgram(c.pass.Fset, 0)
	for _, p := range c.pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(c.pass.Pkg, c.pass.Files, c.pass.TypesInfo, false)
	pkg.Build()
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		c.order = append(c.order, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	for decl := range declarations(c.pass) {
		if fn := prog.FuncValue(decl); fn != nil {
			add(fn)
		}
	}
	if init := pkg.Func("init"); init != nil { // literals in variables of the package
		add(init)
	}
}

// finding is what is reported.
type finding struct {
	pos    token.Pos
	rule   string
	advice bool
	text   string
	fixes  []analysis.SuggestedFix
}

func (c *checker) report(f finding) {
	if f.advice && !c.advice || !f.pos.IsValid() || c.reported[f.pos] || c.ignored.at(c.pass.Fset, f.pos) {
		return
	}
	c.reported[f.pos] = true
	if f.advice {
		f.rule = advicePrefix + f.rule
	}
	c.pass.Report(analysis.Diagnostic{Pos: f.pos, Category: f.rule, Message: f.text, SuggestedFixes: f.fixes})
}

// line names a line in messages: "line 12".
func (c *checker) line(pos token.Pos) string {
	return fmt.Sprintf("line %d", c.pass.Fset.Position(pos).Line)
}

// place names a line of another function: "desk.go:12".
func (c *checker) place(pos token.Pos) string {
	p := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename[strings.LastIndexAny(p.Filename, `/\`)+1:], p.Line)
}
