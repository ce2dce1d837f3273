package expression

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/lawtest"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/fermata-go/fermata/internal/nearest"
)

// language is the type as the compiler of expressions knows it.
func (t *Type) language() types.Type {
	if t.Open {
		return types.Any
	}
	switch t.Kinds {
	case TextKind:
		return types.String
	case BoolKind:
		return types.Bool
	case WholeKind:
		return types.Int
	case NumberKind, fractionKind:
		return types.Float64
	case ListKind:
		return types.Array(types.Any)
	case ObjectKind:
		return types.Map{types.Extra: types.Any}
	}
	return types.Any
}

// languageTakes is what the language's own checker says of a text over names of known types: it is the oracle of these tests,
// and nothing else reads its words.
func languageTakes(t *testing.T, text string, known Names) (bool, string) {
	t.Helper()
	tree, err := parser.ParseWithConfig(text, newConfig())
	if err != nil {
		return false, err.Error()
	}
	w := rewriter{done: make(map[rewritten]ast.Node)}
	root := w.rewrite(tree.Node, strict)
	if w.err != nil {
		return false, w.err.Message
	}
	c := newConfig()
	c.WithEnv(nil)
	c.Strict = false
	if _, err := new(checker.Checker).Check(&parser.Tree{Node: root, Source: file.NewSource(text)}, c); err != nil {
		return false, "rewritten: " + err.Error()
	}
	env := types.Map{}
	for _, use := range w.names {
		env[use.name] = types.Any
		if u := known.typ(use.name); !u.Missing {
			env[use.name] = u.language()
		}
	}
	c = newConfig()
	c.WithEnv(env)
	tree, _ = parser.ParseWithConfig(text, newConfig())
	if _, err := new(checker.Checker).Check(tree, c); err != nil {
		return false, err.Error()
	}
	return true, ""
}

// schemaNames are the names of the tests' schema.
func schemaNames(t *testing.T) Names {
	t.Helper()
	known := NoNames()
	for name, p := range TypeOfSchema(boardOf(t, narrowSchema)).Fields {
		known.Set(name, p)
	}
	return known
}

// stricter is what our check says of expressions that the language takes, and why it does: each of them can fail in a run, or
// never does what it seems to.
var stricter = []struct{ says, why string }{
	{"may be null", "the language knows no null in the place of another value"},
	{"null", "nor that it has no members, order or sum"},
	{"may be missing", "nor that a member need not be there"},
	{"may have", "nor how many elements there are"},
	{"may hold no", "nor which members a calculated name leads to"},
	{"holds no", "nor which members an object has"},
	{"has no element", "nor that objects and numbers have no elements"},
	{"is never", "nor which values an enum lists"},
	{"never equal", "nor that values of two kinds never are"},
	{"fails in every run", "it calculates nothing before the run"},
	{"nothing that comes before", "it takes any name"},
	{"nothing can be divided", "it knows no values"},
	{"makes no number", "nor these"},
	{"the order is", "nor these"},
	{"an element", "it knows one kind for all elements of a list"},
	{"a name", "and no kinds of names"},
	{"puts numbers or texts in order", "nor that an order takes one kind"},
	{"takes", "it takes what may be of one of several kinds"},
	{"does not go with", "there, too"},
	{"expected the number of an element", "there, too"},
	{"expected the name of a member", "there, too"},
	{"elements or members", "there, too"},
	{"needs a value to begin with", "it knows no lengths"},
	{"b'…' is no text", "it has bytes"},
	{"found null", "it takes any name for an object"},
	{"is known in", "it does not look at the bounds of a slice of what it does not know"},
	{"there is no #", "there, too"},
	{"let ", "there, too"},
	{"whatever the element is", "there, too"},
}

// laxer reports whether our check may take what the language's refuses: 2.0 and 6 / 3 in the place of a whole number, and an element of a
// text or number that is itself an element of a list that the expression makes. What is calculated takes them.
func laxer(text, why string) bool {
	for _, says := range []string{"can only be selected using an integer (got float64)", "cannot take float64 elements", "non-integer slice index float64"} {
		if strings.Contains(why, says) {
			return true
		}
	}
	elements := strings.Contains(text, "split") || strings.Contains(text, "#")
	return elements && (strings.Contains(why, "does not support indexing") || strings.Contains(why, "type string["))
}

// compare checks a text with our check and with the language's, and returns the problems that ours found.
func compare(t *testing.T, text string, known Names) (e *Expression, faults []Fault) {
	t.Helper()
	takes, why := languageTakes(t, text, known)
	e, fault := Compile(text)
	if fault != nil {
		faults = []Fault{*fault}
	} else {
		_, faults = e.Check(Place{Names: known, Hints: new(nearest.Hints)})
	}
	for _, f := range faults {
		if f.Offset < 0 || f.Offset > len([]rune(text)) || strings.TrimSpace(f.Message) == "" {
			t.Errorf("%q: the problem is at no character of the text: %+v", text, f)
		}
		if strings.HasPrefix(f.Message, unexplained) {
			t.Errorf("%q: our check has nothing to say: %s", text, f.Message)
		}
		named := func(s struct{ says, why string }) bool { return strings.Contains(f.Message, s.says) }
		if takes && !slices.ContainsFunc(stricter, named) {
			t.Errorf("%q: the language takes it, and for no reason that is named ours does not: %s", text, f.Message)
		}
	}
	if !takes && len(faults) == 0 && !laxer(text, why) {
		t.Errorf("%q: taken, and the language says: %s", text, why)
	}
	return e, faults
}

// TestCheckedAsTheLanguageDoes draws expressions, and texts that almost are, with FERMATA_EXPLORE so many and from FERMATA_SEED on.
// Our check finds at least what the language's checker finds, at a character of the text, and for each reason to find more there
// is a name.
func TestCheckedAsTheLanguageDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(lawtest.FromEnvironment(t, "FERMATA_SEED", 1), 11))
	known, taken, refused := schemaNames(t), 0, 0
	for range lawtest.FromEnvironment(t, "FERMATA_EXPLORE", 4000) {
		d := drawer{Rand: r, known: known, open: r.IntN(4) == 0}
		text := d.filled("nitblox"[r.IntN(7)], r.IntN(7))
		for range r.IntN(3) {
			text = d.broken(text)
		}
		names := known
		if r.IntN(3) == 0 {
			names = AnyNames()
		}
		if _, faults := compare(t, text, names); len(faults) > 0 {
			refused++
		} else {
			taken++
		}
	}
	t.Logf("%d expressions were taken, %d refused", taken, refused)
	if taken < 100 || refused < 100 {
		t.Errorf("%d expressions were taken and %d refused: expected more of both", taken, refused)
	}
}

// pieces are what broken puts into expressions.
var pieces = []string{
	"nil", "'a'", "1", "2.0", "true", "[]", "{}", "#", "#acc", "#index", "#x", "(", ")", "[", "]", "{", "}", ",", ";", ":", "?", "?.", ".", "..", "+", "-",
	"not ", " in ", " and ", "??", "=", "==", "$env", "let x = 1; ", "let len = 1; ", "let x = nil; x", "len", "max(", "map(", "0x", "9e999", "99999999999999999999", "'", "\"", "`", "/*", "@", "\\",
}

// broken is a text with a piece put in, or a part taken out.
func (d drawer) broken(text string) string {
	i := d.IntN(len(text) + 1)
	if d.IntN(3) == 0 {
		return text[:i] + text[min(len(text), i+1+d.IntN(4)):]
	}
	return text[:i] + pieces[d.IntN(len(pieces))] + text[i:]
}

func FuzzChecked(f *testing.F) {
	for _, s := range append(pieces, "n + text", "map(list, #x)", "let x = 1; x", "filter(list, # > 1 ?? 2)", "{a: {{}}}", "sort(list, 'up')", "1 < n < text") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 || !utf8.ValidString(text) || strings.TrimSpace(text) == "" {
			return
		}
		compare(t, text, schemaNames(t))
		compare(t, text, AnyNames())
	})
}

// TestGuards checks that an expression with guards is the same expression: where one gives a value the other gives that value,
// and where one fails the other says why in our words.
func TestGuards(t *testing.T) {
	r := rand.New(rand.NewPCG(lawtest.FromEnvironment(t, "FERMATA_SEED", 1), 13))
	known, right, wrong := schemaNames(t), 0, 0
	for range lawtest.FromEnvironment(t, "FERMATA_EXPLORE", 4000) {
		d := drawer{Rand: r, known: known, open: true}
		text := d.filled("nitblox"[r.IntN(7)], r.IntN(7))
		e, fault := Compile(text)
		if fault != nil {
			continue
		}
		guarded, fault := assemble(e.root, e.source, e.mode, true)
		if fault != nil {
			t.Fatalf("%s: with guards: %s", text, fault.Message)
		}
		bb := randomBoard(t, r)
		got, err := e.Result(NewScope(bb, nil))
		same, failed := guarded.Result(NewScope(bb, nil))
		switch {
		case err == nil && failed != nil && strings.Contains(failed.Error(), "takes a list, found an object"):
			right++ // the language goes over the members of an object as long as nothing reads one
		case (err == nil) != (failed == nil), err == nil && !reflect.DeepEqual(got, same):
			t.Errorf("%s\nwithout guards: %v, %v\nwith: %v, %v\nover %v", text, got, err, same, failed, bb)
		case err != nil && strings.Contains(err.Error(), uncalculated):
			t.Errorf("%s: no guard explains it: %v", text, err)
		case err != nil:
			wrong++
		default:
			right++
		}
	}
	t.Logf("%d expressions gave a value, %d failed", right, wrong)
	if right < 100 || wrong < 100 {
		t.Errorf("%d expressions gave a value and %d failed: expected more of both", right, wrong)
	}
}
