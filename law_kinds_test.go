package fermata_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// documented are the errors that users look for with errors.Is, of the packages that a run uses.
var documented = map[string]error{
	"fermata.ErrConflict": fermata.ErrConflict, "fermata.ErrNotFound": fermata.ErrNotFound, "fermata.ErrExpired": fermata.ErrExpired,
	"fermata.ErrDiverged": fermata.ErrDiverged, "fermata.ErrAnswered": fermata.ErrAnswered, "fermata.ErrInvalid": fermata.ErrInvalid,
	"fermata.ErrForbidden": fermata.ErrForbidden, "fermata.ErrClaimed": fermata.ErrClaimed, "fermata.ErrLimit": fermata.ErrLimit,
	"fermata.ErrPlanChanged": fermata.ErrPlanChanged, "fermata.ErrCancelled": fermata.ErrCancelled, "fermata.ErrStuck": fermata.ErrStuck,
	"fermata.ErrStopped": fermata.ErrStopped, "fermata.ErrTimeout": fermata.ErrTimeout, "fermata.ErrInvalidRoute": fermata.ErrInvalidRoute,
	"fermata.ErrMergeConflict": fermata.ErrMergeConflict, "fermata.ErrClosed": fermata.ErrClosed, "fermata.ErrDriven": fermata.ErrDriven,
	"fermata.ErrMustWait": fermata.ErrMustWait,
	"journal.ErrCorrupt":  journal.ErrCorrupt, "journal.ErrNewer": journal.ErrNewer, "journal.ErrClosed": journal.ErrClosed,
	"journal.ErrNoSpace": journal.ErrNoSpace, "journal.ErrReadOnly": journal.ErrReadOnly,
	"node.ErrTaskOver": node.ErrTaskOver, "node.ErrOutcomeUnknown": node.ErrOutcomeUnknown, "node.ErrWithdrawn": node.ErrWithdrawn,
	"node.ErrNotStorable": node.ErrNotStorable, "node.ErrNoService": node.ErrNoService, "node.ErrTerminal": node.ErrTerminal,
	"node.ErrOutput":     node.ErrOutput,
	"model.ErrTruncated": model.ErrTruncated, "model.ErrRefused": model.ErrRefused, "model.ErrRateLimited": model.ErrRateLimited,
	"model.ErrUnavailable": model.ErrUnavailable, "model.ErrTooLong": model.ErrTooLong, "model.ErrInvalid": model.ErrInvalid,
	"model.ErrMalformed": model.ErrMalformed, "model.ErrNoModel": model.ErrNoModel, "model.ErrBudget": model.ErrBudget,
	"fermata.ErrGoexit": fermata.ErrGoexit, "fermata.ErrBlocked": fermata.ErrBlocked, "fermata.ErrInside": fermata.ErrInside,
	"fermata.ErrIdle": fermata.ErrIdle, "fermata.ErrSlow": fermata.ErrSlow, "fermata.ErrSkip": fermata.ErrSkip,
	"fermata.ErrRefused": fermata.ErrRefused, "fermata.ErrNoMessage": fermata.ErrNoMessage, "node.ErrNoMessage": node.ErrNoMessage,
	"journal.ErrConflict": journal.ErrConflict, "journal.ErrNotFound": journal.ErrNotFound, "journal.ErrRefused": journal.ErrRefused, "journal.ErrQuery": journal.ErrQuery,
	"journal.ErrTooLarge": journal.ErrTooLarge, "journal.ErrSealed": journal.ErrSealed, "plan.ErrMergeConflict": plan.ErrMergeConflict,
	"node.ErrPlanChanged": node.ErrPlanChanged, "node.ErrDiverged": node.ErrDiverged, "node.ErrSharedKey": node.ErrSharedKey,
	"node.ErrExpired": node.ErrExpired, "node.ErrLimit": node.ErrLimit,
	"a model's own kind": model.Kind("overheated"),
}

// TestF8_AllDocumentedErrorsAreKept reads the packages of an engine for errors that users may look for: all are in the table.
func TestF8_AllDocumentedErrorsAreKept(t *testing.T) {
	found := 0
	for pkg, dir := range map[string]string{"fermata": ".", "journal": "journal", "model": "model", "node": "node", "plan": "plan"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range parsed.Decls {
				gen, _ := decl.(*ast.GenDecl)
				if gen == nil || gen.Tok != token.VAR && gen.Tok != token.CONST {
					continue
				}
				for _, spec := range gen.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names { //nolint:forcetypeassert // of such a declaration
						full := pkg + "." + name.Name
						if !strings.HasPrefix(name.Name, "Err") || full == "node.ErrSuspended" { // which is no failure
							continue
						}
						if found++; documented[full] == nil {
							t.Errorf("%s is not kept: errors.Is would not find it after a restart", full)
						}
					}
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d errors were found", found)
	}
}

// blocksRuns reports whether a run that meets an error is blocked, and has no failure (law J11).
func blocksRuns(kind error) bool {
	return errors.Is(kind, fermata.ErrDiverged) || errors.Is(kind, fermata.ErrPlanChanged)
}

// kindred is an error that says by its methods what it is.
type kindred struct{ kind error }

func (kindred) Error() string          { return "said by a method" }
func (k kindred) Is(target error) bool { return target == k.kind }

// wrappings are ways in which an error comes with others.
var wrappings = map[string]func(error) error{
	"as it is": func(err error) error { return err },
	"wrapped":  func(err error) error { return fmt.Errorf("a: %w", fmt.Errorf("b: %w", err)) },
	"joined":   func(err error) error { return errors.Join(errors.New("first"), fmt.Errorf("second: %w", err)) },
	"two of them": func(err error) error {
		return fmt.Errorf("%w and %w", node.ErrWithdrawn, errors.Join(model.ErrBudget, err))
	},
	"by Is": func(err error) error {
		if kind, own := err.(model.Kind); own { //nolint:errorlint // of any text
			return &model.Error{Kind: kind, Message: "by Is", RetryAfter: time.Minute}
		}
		return kindred{err}
	},
	"terminal": node.Terminal,
}

// found is what errors.Is and the text say of an error.
func found(err error) (all []string) {
	for name, kind := range documented {
		if errors.Is(err, kind) {
			all = append(all, name)
		}
	}
	if err != nil {
		all = append(all, err.Error())
	}
	slices.Sort(all)
	return all
}

// Every documented error that errors.Is finds in the process that saw a run fail, and no other, is found by one that only
// reads of it; so it is with the text.
func TestF8_KindsOutliveTheProcess(t *testing.T) {
	for kindName, kind := range documented {
		if blocksRuns(kind) {
			continue
		}
		for wrapName, wrapping := range wrappings {
			failed := wrapping(kind)
			for place, g := range placesOf(failed) {
				name := kindName + "/" + wrapName + "/" + place
				store := memory.New()
				rt := newRuntime(t, fermata.Options{Store: store})
				run := start(t, rt, g, state{})
				live := unsuccessful(t, run)
				other := newRuntime(t, fermata.Options{Store: store})
				p, err := other.Result(t.Context(), run.ID(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(found(live.Err), found(p.Err)); diff != "" {
					t.Errorf("%s: another process finds another error (-live +recorded):\n%s", name, diff)
				}
				if !errors.Is(live.Err, kind) {
					t.Errorf("%s: errors.Is does not find it in: %v", name, live.Err)
				}
			}
		}
	}
}

// unsuccessful waits for a run that fails, or that expires because its error says so.
func unsuccessful(t *testing.T, run *graph.Run[state]) graph.Result[state] {
	t.Helper()
	res := wait(t, run)
	if res.Status != fermata.Failed && res.Status != fermata.Expired {
		t.Fatalf("the run is %s (%v)", res.Status, res.Err)
	}
	return res
}

// placesOf are graphs that fail with an error, each in another place.
func placesOf(failed error) map[string]*graph.Graph[state] {
	fails := func(node.Context, state) (state, error) { return state{}, failed }
	inner := single(fails)
	return map[string]*graph.Graph[state]{
		"node": single(fails),
		"step": single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "x", func(node.Context) (int, error) { return 0, failed })
			return s, fmt.Errorf("around it: %w", err)
		}),
		"subgraph": graph.New[state]("outer").Sub("sub", inner).Edge(graph.Start, "sub").MustCompile(),
		"cause": graph.New[state]("caught").Node("a", fails).
			Node("rescue", func(ctx node.Context, s state) (state, error) { return s, fmt.Errorf("again: %w", ctx.Cause()) }).
			Edge(graph.Start, "a").OnError("a", "rescue").MustCompile(),
	}
}

// A step gives on its first pass the error that it gives on a replay, with the kinds, and without what no replay knows.
func TestF8_AStepFailsOnEveryPassAlike(t *testing.T) {
	private := errors.New("of the author's own")
	for kindName, kind := range documented {
		var passes [][]string
		g := single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "x", func(node.Context) (int, error) {
				return 0, fmt.Errorf("%w: %w", private, errors.Join(kind))
			})
			passes = append(passes, append(found(err), fmt.Sprint("private: ", errors.Is(err, private))))
			if _, err := node.Interrupt[int](ctx, "go on?"); err != nil {
				return s, err
			}
			return s, nil
		})
		rt, _ := inMemory(t)
		run := start(t, rt, g, state{})
		answer(t, rt, question(t, run).ID, 1)
		ends(t, run, fermata.Completed)
		if len(passes) != 2 || !reflect.DeepEqual(passes[0], passes[1]) || strings.Join(passes[0], " ") == "" {
			t.Errorf("%s: the passes find:\n%q", kindName, passes)
		}
		if last := passes[0][len(passes[0])-1]; last != "private: false" {
			t.Errorf("%s: the first pass sees more than a replay can: %s", kindName, last)
		}
	}
}

// typed are documented errors with fields, which errors.As finds live and after a restart alike.
func TestF8_FieldsOutliveTheProcess(t *testing.T) {
	for _, failed := range []error{
		&model.Error{Kind: model.ErrRateLimited, Message: "slow down", RetryAfter: 3 * time.Second},
		&node.LimitError{Limit: "turns", Max: "3"},
		&node.OutputError{Output: "{", Problems: []schema.Problem{{Path: "/n", Message: "expected a number"}}, Repairs: 2},
		&node.RetryAfterError{After: time.Second, Err: errors.New("later")},
		&fermata.LimitError{Limit: "time", Max: "1s"},
		&fermata.InvalidRouteError{Node: "a", Target: "b", Declared: []string{"c"}},
		&fermata.DuplicateError{Key: "customer-7", Run: "run_1"},
		&plan.MergeConflictError{Node: "j", Field: "n", Branches: []int{0, 1}, Reason: "no rule"},
		&schema.Error{Problems: []schema.Problem{{Path: "/n", Message: "expected a number"}}},
		&node.PanicError{Value: "boom"},
	} {
		store := memory.New()
		rt := newRuntime(t, fermata.Options{Store: store})
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			return s, fmt.Errorf("x: %w", failed)
		}), state{})
		live := ends(t, run, fermata.Failed)
		p, err := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), run.ID(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"live": live.Err, "recorded": p.Err} {
			target := reflect.New(reflect.TypeOf(failed))
			if !errors.As(err, target.Interface()) {
				t.Errorf("%T is not found (%s) in: %v", failed, name, err)
				continue
			}
			want := failed
			if after, ok := failed.(*node.RetryAfterError); ok { //nolint:errorlint // of the table
				if got := target.Elem().Interface().(*node.RetryAfterError).After; got != after.After { //nolint:forcetypeassert // as found
					t.Errorf("%s: after %s, want %s", name, got, after.After)
				}
				continue
			}
			if diff := cmp.Diff(want, target.Elem().Interface()); diff != "" {
				t.Errorf("%T (%s) (-want +got):\n%s", failed, name, diff)
			}
		}
	}
}

// What a journal that was written before kinds were recorded says of an error is found as it was.
func TestF8_OldCodesAreKinds(t *testing.T) {
	for code, kind := range map[string]error{
		"expired": fermata.ErrExpired, "timeout": fermata.ErrTimeout, "invalid_route": fermata.ErrInvalidRoute,
		"merge_conflict": fermata.ErrMergeConflict, "outcome_unknown": node.ErrOutcomeUnknown,
		"not_storable": node.ErrNotStorable, "terminal": node.ErrTerminal, "limit": fermata.ErrLimit,
	} {
		store := memory.New()
		rt := newRuntime(t, fermata.Options{Store: store})
		run := start(t, rt, single(func(_ node.Context, s state) (state, error) { return s, fmt.Errorf("x: %w", kind) }), state{})
		unsuccessful(t, run)
		all := entries(t, store, run.ID())
		if body := string(all[len(all)-1].Body); !strings.Contains(body, `"code":"`+code+`"`) || strings.Contains(body, `"kinds"`) {
			t.Errorf("%s: the journal says %s", code, body)
		}
		p, err := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), run.ID(), nil)
		if err != nil || !errors.Is(p.Err, kind) {
			t.Errorf("%s: found %v, %v", code, p.Err, err)
		}
	}
}

// TestF8_ANodeMayReturnItsCause checks that the Cause of a task that no failure has led to fails nothing.
func TestF8_ANodeMayReturnItsCause(t *testing.T) {
	g := graph.New[state]("cause").
		Node("a", func(ctx node.Context, s state) (state, error) { s.N++; return s, ctx.Cause() }).
		Node("b", func(_ node.Context, s state) (state, error) { return s, errors.New("broken") }).
		Node("c", func(ctx node.Context, s state) (state, error) { return s, ctx.Cause() }).
		Edge(graph.Start, "a").Edge("a", "b").OnError("b", "c").MustCompile()
	rt, _ := inMemory(t)
	res := ends(t, start(t, rt, g, state{}), fermata.Failed)
	if res.Err == nil || !strings.Contains(res.Err.Error(), "broken") || !strings.Contains(res.Err.Error(), "c#1") {
		t.Errorf("the error is %v, want that of c, which returns why it was reached", res.Err)
	}
}
