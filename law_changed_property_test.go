package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	grown "github.com/fermata-go/fermata/state"
)

// drawnField is a field of a state whose type is drawn.
type drawnField struct {
	name      string
	kind      reflect.Type
	omitempty bool
}

type innerPrice struct{ Cents int }

var fieldKinds = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[[]int](),
	reflect.TypeFor[map[string]int](), reflect.TypeFor[*int](), reflect.TypeFor[innerPrice](), reflect.TypeFor[struct{ Total int }](), reflect.TypeFor[any](),
	reflect.TypeFor[any](), reflect.TypeFor[spokenReceipt](), reflect.TypeFor[grown.List[int]](), reflect.TypeFor[grown.Map[string, int]](),
}

var fieldNames = []string{"amount", "amounts", "total", "tip", "note", "items", "limit"}

func drawField(t *rapid.T, taken []drawnField) drawnField {
	free := slices.DeleteFunc(slices.Clone(fieldNames), func(name string) bool {
		return slices.ContainsFunc(taken, func(f drawnField) bool { return f.name == name })
	})
	return drawnField{
		name: rapid.SampledFrom(free).Draw(t, "name"), kind: rapid.SampledFrom(fieldKinds).Draw(t, "kind"), omitempty: rapid.Bool().Draw(t, "omitempty"),
	}
}

// drawFields draws a state, and what its author makes of it: fields that are kept, renamed, removed, of another type, and new; and
// the new names of those that are renamed.
func drawFields(t *rapid.T) (old, now []drawnField, renames map[string]string) {
	renames = make(map[string]string)
	for range rapid.IntRange(1, 4).Draw(t, "fields") {
		old = append(old, drawField(t, old))
	}
	for _, f := range old {
		was := f.name
		switch rapid.SampledFrom([]string{"keep", "keep", "rename", "remove", "retype"}).Draw(t, "change") {
		case "keep":
			now = append(now, f)
		case "rename":
			f.name = drawField(t, append(slices.Clone(old), now...)[:min(len(old)+len(now), 6)]).name
			if !slices.ContainsFunc(now, func(other drawnField) bool { return other.name == f.name }) {
				now = append(now, f)
				renames[was] = f.name
			}
		case "retype":
			f.kind = rapid.SampledFrom(fieldKinds).Draw(t, "kind")
			now = append(now, f)
		}
	}
	if len(now) == 0 || rapid.Bool().Draw(t, "more") && len(now) < 5 {
		now = append(now, drawField(t, append(slices.Clone(now), old...)[:min(len(old)+len(now), 6)]))
	}
	slices.SortStableFunc(now, func(a, b drawnField) int { return strings.Compare(a.name, b.name) })
	now = slices.CompactFunc(now, func(a, b drawnField) bool { return a.name == b.name })
	maps.DeleteFunc(renames, func(was, _ string) bool { // there is another one of that name
		return slices.ContainsFunc(now, func(f drawnField) bool { return f.name == was })
	})
	return old, now, renames
}

func structOf(fields []drawnField) reflect.Type {
	all := make([]reflect.StructField, len(fields))
	for i, f := range fields {
		tag := f.name
		if f.omitempty {
			tag += ",omitempty"
		}
		all[i] = reflect.StructField{Name: strings.ToUpper(f.name[:1]) + f.name[1:], Type: f.kind, Tag: reflect.StructTag(fmt.Sprintf(`json:"%s"`, tag))}
	}
	return reflect.StructOf(all)
}

// drawValue draws the JSON of a value of a field.
func drawValue(t *rapid.T, f drawnField) string {
	n := rapid.SampledFrom([]string{"0", "7", "120"}).Draw(t, "number")
	texts := map[reflect.Kind][]string{
		reflect.Int: {n}, reflect.Float64: {n, "1.5"}, reflect.String: {`""`, `"x"`, `"7"`}, reflect.Bool: {"true", "false"},
		reflect.Slice: {"[]", "[" + n + "]", "[1,2]", "null"}, reflect.Map: {"{}", `{"a":` + n + `}`}, reflect.Pointer: {"null", n},
		reflect.Struct: {"{}", `{"Cents":` + n + `}`}, reflect.Interface: {"null", n, `{"Cents":` + n + `}`, "[1]"},
	}
	switch f.kind { // these have the JSON of lists and maps
	case reflect.TypeFor[grown.List[int]]():
		return rapid.SampledFrom(texts[reflect.Slice]).Draw(t, "value of "+f.name)
	case reflect.TypeFor[grown.Map[string, int]]():
		return rapid.SampledFrom(texts[reflect.Map]).Draw(t, "value of "+f.name)
	}
	if f.kind == reflect.TypeFor[spokenReceipt]() {
		return `{"Amount":` + n + `}`
	}
	if f.kind.Kind() == reflect.Struct && f.kind != reflect.TypeFor[innerPrice]() {
		return `{"Total":` + n + `}`
	}
	return rapid.SampledFrom(texts[f.kind.Kind()]).Draw(t, "value of "+f.name)
}

// drawnQuestion is a question whose answer is read into one type.
type drawnQuestion struct {
	name string
	own  bool // with a schema of the author's
	ask  func(ctx node.Context) (read []byte, err error)
}

func questionFor[T any](name string, own bool) drawnQuestion {
	return drawnQuestion{name, own, func(ctx node.Context) ([]byte, error) {
		opts := []node.AskOption{node.ID("ok")}
		if own {
			opts = append(opts, node.ResponseSchema([]byte(`{"type":"object"}`)))
		}
		got, err := node.Interrupt[T](ctx, nil, opts...)
		if err != nil {
			return nil, err
		}
		return json.Marshal(got)
	}}
}

// spokenReceipt reads its JSON itself, so that its schema says nothing of it.
type spokenReceipt struct{ amount int }

func (r spokenReceipt) MarshalJSON() ([]byte, error) { return json.Marshal(receipt{r.amount}) }

func (r *spokenReceipt) UnmarshalJSON(data []byte) error {
	var read receipt
	err := json.Unmarshal(data, &read)
	r.amount = read.Amount
	return err
}

var drawnQuestions = []drawnQuestion{
	questionFor[receipt]("receipt", true), questionFor[receiptTotal]("total", true), questionFor[receiptMore]("more", true), questionFor[receiptText]("text", true), questionFor[any]("any", true),
	questionFor[map[string]int]("map", true), questionFor[spokenReceipt]("spoken", true), questionFor[receipt]("receipt", false), questionFor[receiptTotal]("total", false),
	questionFor[any]("any", false), questionFor[spokenReceipt]("spoken", false),
}

// drawAnswer draws an answer that the type of a question can read. One to a question with a schema of the author's may have more in
// it than the type keeps.
func drawAnswer(t *rapid.T, a drawnQuestion) json.RawMessage {
	n := rapid.SampledFrom([]string{"0", "120"}).Draw(t, "answer")
	name := "Amount"
	switch {
	case a.name == "total":
		name = "Total"
	case a.name == "text":
		n = `"` + n + `"`
	}
	more := ""
	if a.own && rapid.Bool().Draw(t, "tip") {
		more = `,"Tip":7`
	}
	return json.RawMessage(`{"` + name + `":` + n + more + `}`)
}

// drawnPlan is a plan of a state and a question that are drawn.
type drawnPlan struct {
	fields   []drawnField
	question drawnQuestion
	renamed  map[string]string
	broken   atomic.Bool // the node fails behind its question
	read     []byte      // the answer, as the node has read it
}

func (d *drawnPlan) plan(t *rapid.T) *plan.Plan {
	codec, err := value.OfStruct(structOf(d.fields))
	if err != nil {
		t.Fatal(err)
	}
	def := plan.Definition{
		Name: "drawn", Kind: "graph", State: codec, Entry: []string{"ask"},
		Nodes: []plan.Node{
			{Name: "ask", Kind: plan.Task, Run: func(ctx node.Context, v any) (any, error) {
				read, err := d.question.ask(ctx)
				if err != nil {
					return nil, err
				}
				if d.read = read; d.broken.Load() {
					return nil, errFlaky
				}
				return v, nil
			}},
			{Name: "pay", Kind: plan.Task, Run: func(_ node.Context, v any) (any, error) { return v, nil }},
		},
		Edges: []plan.Edge{{From: "ask", To: "pay", Kind: plan.Plain}},
	}
	if len(d.renamed) > 0 {
		def.Renamed = &plan.Migration{Values: d.renamed}
	}
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// drawPlans draws a plan and what its author makes of it. Of some of the fields that are renamed the new plan says so.
func drawPlans(t *rapid.T) (old, now *drawnPlan) {
	old, now = &drawnPlan{renamed: map[string]string{}}, &drawnPlan{renamed: map[string]string{}}
	var renames map[string]string
	old.fields, now.fields, renames = drawFields(t)
	old.question = rapid.SampledFrom(drawnQuestions).Draw(t, "question")
	now.question = old.question
	if rapid.Bool().Draw(t, "another question") {
		now.question = rapid.SampledFrom(drawnQuestions).Draw(t, "question")
	}
	for _, was := range slices.Sorted(maps.Keys(renames)) {
		if rapid.Bool().Draw(t, "says that "+was+" is renamed") {
			now.renamed[was] = renames[was]
		}
	}
	return old, now
}

// holdsNothing reports whether JSON is a zero value.
func holdsNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		r, ok := new(big.Rat).SetString(v.String())
		return ok && r.Sign() == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, inner := range v {
			if !holdsNothing(inner) {
				return false
			}
		}
		return true
	}
	return false
}

// kept checks that all that one value holds is in another one.
func kept(path string, was, is any) error {
	if holdsNothing(was) {
		return nil
	}
	older, ok := was.(map[string]any)
	if !ok {
		if !cmp.Equal(was, is) {
			return fmt.Errorf("%s was %v and is %v", path, was, is)
		}
		return nil
	}
	newer, _ := is.(map[string]any)
	for name, inner := range older {
		if err := kept(path+"."+name, inner, newer[name]); err != nil {
			return err
		}
	}
	return nil
}

func numbers(t *rapid.T, data []byte) any {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Whatever becomes of a state's type, and of the type that reads an answer, while a run waits or after it has failed: the run
// completes with all that it held, under the names that the plan says, or is refused with the name of a value that it holds,
// before anything is written; then it goes on with the plan as it was. A plan that keeps every field and its question is never
// refused, and the check says the same beforehand.
func TestJ8_NoChangeOfAStateMakesAZero(t *testing.T) {
	seen := make(map[string]int)
	draw := func(r *rapid.T) {
		before, after := drawPlans(r)
		parts := make([]string, len(before.fields))
		for i, f := range before.fields {
			parts[i] = fmt.Sprintf("%q:%s", f.name, drawValue(r, f))
		}
		old, now := before.plan(r), after.plan(r)
		input, err := old.State().Decode([]byte("{" + strings.Join(parts, ",") + "}"))
		if err != nil {
			r.Fatal(err)
		}
		answer := drawAnswer(r, before.question)
		failed := rapid.Bool().Draw(r, "the run has failed")
		store := memory.New()
		id := takenTo(r, store, old, input, answer, &before.broken, failed)
		rt := newRuntimeOf(r, fermata.Options{Store: store})
		defer rt.Close()
		first := entries(t, store, id)
		was := numbers(r, first[0].Value)
		takeUp, check := func(ctx context.Context, id string, p *plan.Plan) (*fermata.Run, error) { return rt.Resume(ctx, id, p) }, fermata.Outlook{Verdict: fermata.HasEnded}
		if failed {
			takeUp = func(ctx context.Context, id string, p *plan.Plan) (*fermata.Run, error) { return rt.Retry(ctx, id, p) }
		} else {
			outlook, err := rt.CanResume(t.Context(), journal.RunFilter{ID: id}, fermata.ResumeCheck{Plans: always(now), Replay: true})
			if err != nil {
				r.Fatal(err)
			}
			check = outlook[0]
		}
		run, err := takeUp(t.Context(), id, now)
		refused := err
		var res fermata.Result
		if err == nil {
			if res, err = run.Wait(t.Context()); err != nil {
				r.Fatal(err)
			}
			if res.Status == fermata.Blocked {
				refused = res.Err
			}
		}
		if !failed && (refused == nil) != check.CanGoOn() {
			r.Errorf("the outlook is %+v, and resuming gives %v", check, refused)
		}
		sameAsker := before.question.name == after.question.name && before.question.own == after.question.own
		shape := after
		switch {
		case refused == nil:
		case res.Status == fermata.Blocked:
			seen["blocked"]++
			var changed *node.RecordedError
			if !errors.Is(refused, fermata.ErrDiverged) && !errors.As(refused, &changed) {
				r.Fatalf("the error is %v", refused)
			}
			if name, _, _ := strings.Cut(pathOf(changed), "."); name != "" && !strings.Contains(string(answer), `"`+name+`"`) {
				r.Errorf("the answer is %s, and the refusal names %q", answer, name)
			}
			if sameAsker {
				r.Errorf("the question has not changed, and is refused: %v", refused)
			}
			return // it is not known which names the run has now
		default:
			seen["refused"]++
			var changed *fermata.PlanChangedError
			if !errors.As(refused, &changed) {
				r.Fatalf("the error is %v", refused)
			}
			name, _, _ := strings.Cut(changed.Value, ".")
			if _, held := was.(map[string]any)[name]; !held && !slices.Contains(slices.Collect(maps.Values(after.renamed)), name) {
				r.Errorf("the run holds %v, and the refusal names %q: %v", was, changed.Value, refused)
			}
			if keepsAll(before.fields, after.fields, after.renamed) {
				r.Errorf("every field is kept, and it is refused: %v", refused)
			}
			if diff := cmp.Diff(len(first), len(entries(t, store, id))); diff != "" {
				r.Errorf("the journal grew:\n%s", diff)
			}
			before.broken.Store(false)
			if run, err = takeUp(t.Context(), id, old); err != nil {
				r.Fatal(err)
			}
			if res, err = run.Wait(t.Context()); err != nil {
				r.Fatal(err)
			}
			shape, sameAsker = before, true
		}
		if res.Status != fermata.Completed {
			r.Fatalf("the run is %s (%v)", res.Status, res.Err)
		}
		seen[fmt.Sprintf("completed, failed %t, same question %t, renamed %t", failed, sameAsker, len(shape.renamed) > 0)]++
		if err := kept("state", renamedTo(was, shape.renamed), numbers(r, res.Output)); err != nil {
			r.Errorf("%v: %+v became %+v", err, before.fields, after.fields)
		}
		if !sameAsker {
			if err := kept("answer", numbers(r, answer), numbers(r, shape.read)); err != nil {
				r.Errorf("%v: the question of %+v became that of %+v", err, before.question, after.question)
			}
		}
	}
	lawtest.CheckUntilSeen(t, draw, seen,
		"blocked", "refused", "completed, failed false, same question true, renamed false", "completed, failed true, same question true, renamed true")
}

// takenTo takes a run to where its answer is there and nobody has read it, or to where it has failed behind that.
func takenTo(r *rapid.T, store journal.Store, p *plan.Plan, input any, answer json.RawMessage, broken *atomic.Bool, failed bool) string {
	rt := newRuntimeOf(r, fermata.Options{Store: store})
	defer rt.Close()
	run, err := rt.Start(context.Background(), p, input)
	if err != nil {
		r.Fatal(err)
	}
	res, err := run.Wait(context.Background())
	if err != nil || res.Status != fermata.Paused {
		r.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	var opts []fermata.AnswerOption
	if broken.Store(failed); !failed {
		opts = append(opts, fermata.Hold())
	}
	if err := rt.Answer(context.Background(), res.Interrupts[0].ID, answer, opts...); err != nil {
		r.Fatal(err)
	}
	if failed {
		if res, err = run.Wait(context.Background()); err != nil || res.Status != fermata.Failed {
			r.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
	}
	return run.ID()
}

// keepsAll reports whether a state has every field of another one, under the names that are said.
func keepsAll(old, now []drawnField, names map[string]string) bool {
	return !slices.ContainsFunc(old, func(was drawnField) bool {
		if to, moved := names[was.name]; moved {
			was.name = to
		}
		return !slices.ContainsFunc(now, func(is drawnField) bool { return is.name == was.name && is.kind == was.kind })
	})
}

func pathOf(e *node.RecordedError) string {
	if e == nil {
		return ""
	}
	return e.Path
}

// renamedTo is a state with other names.
func renamedTo(was any, names map[string]string) any {
	older, ok := was.(map[string]any)
	if !ok {
		return was
	}
	newer := make(map[string]any)
	for name, v := range older {
		if to, moved := names[name]; moved {
			name = to
		}
		newer[name] = v
	}
	return newer
}
