package expression

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
)

// failed says which expression could not be calculated, where in it, and why.
func (e *Expression) failed(err error) error {
	fe, ok := errors.AsType[*file.Error](err)
	if !ok {
		return fmt.Errorf("expression %s: %w", document.Quote(e.text), err)
	}
	if _, isPath := errors.AsType[*definition.PathError](fe.Prev); isPath {
		return fmt.Errorf("expression %s: %w", document.Quote(e.text), fe.Prev)
	}
	return fmt.Errorf("expression %s: %s%w", document.Quote(e.text), partAt(e.root, fe.From), plainFailure(fe))
}

// partAt writes the part of an expression at a place, for a message; "" where that is the whole.
func partAt(root ast.Node, offset int) string {
	if n := nodeAt(root, offset); n != root && written(n) != "…" {
		return "in " + written(n) + ": "
	}
	return ""
}

// nodeAt finds the part that calculates something at a place, the whole where there is none.
func nodeAt(n ast.Node, offset int) ast.Node {
	switch n.(type) {
	case *ast.BinaryNode, *ast.UnaryNode, *ast.BuiltinNode, *ast.CallNode, *ast.SliceNode, *ast.ConditionalNode:
		if n.Location().From == offset {
			return n
		}
	}
	for _, part := range children(n) {
		if found := nodeAt(part, offset); found != part || found.Location().From == offset {
			return found
		}
	}
	return n
}

// complaint is what the language says, and what is said here.
type complaint struct {
	pattern *regexp.Regexp
	words   string // with $1, $2 for the types and words found
}

// said is what is said here in the place of a message of the language.
func (c complaint) said(message string) (string, bool) {
	m := c.pattern.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	pairs := []string{}
	for i, found := range m[1:] {
		pairs = append(pairs, fmt.Sprintf("$%d", i+1), goTypeName(found))
	}
	return strings.NewReplacer(pairs...).Replace(c.words), true
}

// complaints are what the language says when it calculates.
var complaints = []complaint{
	{regexp.MustCompile(`integer divide by zero$`), "the divisor is 0, and nothing can be divided by 0"},
	{regexp.MustCompile(`^invalid operation: (?:int|float)(?:64)?\((.+)\)$`), "expected a number, found $1"},
	{regexp.MustCompile(`^invalid operation: (.+) (\+|-|\*|/|%|<|<=|>|>=) (.+)$`), "$2 does not go with $1 and $3"},
	{regexp.MustCompile(`^invalid operation: - (.+)$`), "- takes a number, found $1"},
	{regexp.MustCompile(`^interface conversion: interface \{\} is (.+), not (.+)$`), "expected $2, found $1"},
	{regexp.MustCompile(`^invalid argument for (\w+) \(type (.+)\)$`), "$1 does not go with $2"},
	{regexp.MustCompile(`^reflect: call of reflect\.Value\.Len on (\w+) Value$`), "expected a list, found $1"},
	{regexp.MustCompile(`^reflect: call of reflect\.Value\.Type on zero Value$`), "expected a number, found null"},
	{regexp.MustCompile(`slice index out of bounds$`), "the number of elements to take is less than 0"},
	{regexp.MustCompile(`^cannot (?:get keys from|get values from) (.+)$`), "expected an object, found $1"},
	{regexp.MustCompile(`^cannot transform (.+) to pairs$`), "expected an object, found $1"},
	{regexp.MustCompile(`^cannot (?:take from|take|transform|reverse|uniq|concat|flatten|sort) (.+?)(?: elements| from pairs)?$`), "expected a list, found $1"},
	{regexp.MustCompile(`hash of unhashable type:? (.+)$`), "groups and names are texts, numbers or booleans, found $1"},
	{regexp.MustCompile(`MapIndex: value of type (.+) is not assignable to type string$`), "the names of an object are texts, found $1"},
	{regexp.MustCompile(`^illegal base64 data`), "the text is not base64"},
	{regexp.MustCompile("^error parsing regexp: (.+)$"), "the pattern is no regular expression: $1"},
	{regexp.MustCompile(`^memory budget exceeded$`), fmt.Sprintf("the lists that the expression makes have more than %d elements", maxListed)},
	{regexp.MustCompile(`^sortBy order argument must be a string`), "the order is a text, 'asc' or 'desc'"},
	{regexp.MustCompile(`^unknown order, use asc or desc$`), "the order is neither 'asc' nor 'desc'"},
	{regexp.MustCompile(`^reduce of empty array`), "the list is empty, and there is no value to begin with; write one as the third argument of reduce"},
	{regexp.MustCompile(`^operator "in" not defined on (.+)$`), "in looks for a value in a list or an object, found $1"},
	{regexp.MustCompile(`^cannot slice (.+)$`), "[from:to] takes a list or a text"},
	{regexp.MustCompile(`^invalid pair`), "expected pairs, which are lists of two"},
	{regexp.MustCompile(`negative shift count`), "a shift by less than 0"},
}

// maxListed is how many elements the language lets an expression list.
const maxListed = 1_000_000

// plainFailure says in our words what the language says in those of Go.
func plainFailure(fe *file.Error) error {
	for _, c := range complaints {
		if said, ok := c.said(fe.Message); ok {
			return errors.New(said)
		}
	}
	if fe.Prev != nil && !strings.Contains(fe.Message, "runtime error") && !strings.Contains(fe.Message, "reflect") {
		return fe.Prev // our own functions'
	}
	return fmt.Errorf("it cannot be calculated: %s", fe.Message)
}
