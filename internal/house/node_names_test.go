package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// nodeNames are the exported names of package node: what the code of a node calls, and the types that its author sees.
// What only the engine needs goes into internal/nodehost.
const nodeNames = `
	Context FromContext NewContext Info TaskID CutTask NodeOf Failure
	Func RouteFunc RouteManyFunc CatchFunc End Stop
	Step StepOption AtMostOnce IdempotencyKey Compensate UndoneKey MustNotRepeat Now Sleep Sync Service Heartbeat LastHeartbeat Label Changed
	Ask Asked AskOption Interrupt ID Prompt Options Role Assignee Override FourEyes NotBy RequireToken ShownAs
	RequestSchema ResponseSchema Within OrDefault OrEscalate OrRoute
	LLM Completion CallOption CallID System Streamed
	Reason Reasoning Limits StreamMode StreamOff StreamPatch StreamSnapshot
	Tool NewTool Approval ApprovalRequest KindApproval Verdict Action Approve Edit Deny
	KindOutcome OutcomeDone OutcomeNotDone Asking AskPerson
	Receive ReceiveMessage Message ErrNoMessage
	Emit EventMessage EventStatus EventDiagnostic Stream Chunks TextStream
	Structured Draft NewDraft Data DataFinal DataPatch DataSnapshot DataDropped DataOption DataID DataSchema Snapshots
	Terminal RetryAfter RetryAfterError StepError PanicError DivergedError SharedKeyError Kind RecordedError
	LimitError OutputError Marks
	ErrSuspended ErrTaskOver ErrOutcomeUnknown ErrPlanChanged ErrDiverged ErrSharedKey ErrExpired ErrWithdrawn
	ErrNotStorable ErrLimit ErrNoService ErrOutput ErrTerminal
`

// deprecatedNodeNames stay until the next minor version.
const deprecatedNodeNames = `
	Question Deadline AtDeadline DeadlineFail DeadlineDefault DeadlineRoute DeadlineEscalate CallKind CallText
	KindStep KindOnce KindNow KindSleep KindInterrupt KindEmit KindStream KindModel KindChunks KindReason KindTool
	KindData KindHeartbeat
`

// TestNodeShowsWhatUsersCall compares the names that package node exports with the list above (ADR 072).
func TestNodeShowsWhatUsersCall(t *testing.T) {
	want := make(map[string]bool) // true where deprecated
	for name := range strings.FieldsSeq(nodeNames) {
		want[name] = false
	}
	for name := range strings.FieldsSeq(deprecatedNodeNames) {
		want[name] = true
	}
	found := make(map[string]bool)
	for _, f := range readTree(t).goFiles(false) {
		if f.dir() == "node" {
			exported(f.ast, found)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch deprecated, listed := want[name]; {
		case !listed:
			t.Errorf("node.%s is not listed in internal/house/node_names_test.go: put it into internal/nodehost, or list it where users call it", name)
		case deprecated != found[name]:
			t.Errorf("node.%s: deprecated is %t, and the list says %t", name, found[name], deprecated)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := found[name]; !ok {
			t.Errorf("node.%s is listed in internal/house/node_names_test.go and does not exist", name)
		}
	}
}

// TestNodeHasOneSeam finds types of internal/nodehost in what package node exports. Aliases and NewContext may use them.
func TestNodeHasOneSeam(t *testing.T) {
	for _, f := range readTree(t).goFiles(false) {
		if f.dir() != "node" {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Name.IsExported() && fn.Name.Name != "NewContext" && namesHost(fn.Type) {
				t.Errorf("%s: %s has a type of internal/nodehost in its signature; only NewContext may", f.path, functionName(fn))
			}
		}
	}
}

// namesHost reports whether a type names something of internal/nodehost.
func namesHost(of *ast.FuncType) bool {
	found := false
	ast.Inspect(of, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, _ := s.X.(*ast.Ident)
			found = found || x != nil && x.Name == "nodehost"
		}
		return !found
	})
	return found
}

// exported notes the exported names of a file, methods aside, and whether they are deprecated.
func exported(f *ast.File, into map[string]bool) {
	note := func(id *ast.Ident, docs ...*ast.CommentGroup) {
		if id.IsExported() {
			into[id.Name] = slices.ContainsFunc(docs, func(doc *ast.CommentGroup) bool {
				return strings.Contains(doc.Text(), "\nDeprecated: ")
			})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				note(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					note(s.Name, d.Doc, s.Doc)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						note(id, d.Doc, s.Doc)
					}
				}
			}
		}
	}
}

// A name is found in every kind of declaration.
func TestExportedNamesAreFound(t *testing.T) {
	const source = `package p
// A is old.
//
// Deprecated: use B.
type A = int
type b struct{}
func (b) M() {}
func F() {}
var G, h = 1, 2
// The kinds.
//
// Deprecated: gone.
const (
	K = 1
	L = 2
)
`
	got := make(map[string]bool)
	f, err := parser.ParseFile(token.NewFileSet(), "text.go", source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	exported(f, got)
	want := map[string]bool{"A": true, "F": false, "G": false, "K": true, "L": true}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
