package expression

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/parser/operator"
)

// variableMark is how other formats write a name within an expression, and how agents here write a variable of the environment.
var variableMark = regexp.MustCompile(`\$\{\s*([\w.]*)[^}]*\}?`)

// spelled are words and signs of other languages, and how they are written here.
var spelled = map[string]string{
	"=": "; == compares", "is": "; == compares", "===": "; == compares", "<>": "; != compares", "&": "; write and", "|": "; write or",
}

// parse reads the text. A text that is no expression is explained from its own tokens: of the parser's error only the
// position is used, because its words are not an API.
func parse(text string) (ast.Node, *Fault) {
	tree, err := parser.ParseWithConfig(text, newConfig())
	if err != nil {
		at, length := positionOf(err), len([]rune(text))
		// The end of a text is at its last character: behind a space it is at none of its tokens.
		_, again := parser.ParseWithConfig(text+" ", newConfig())
		fault := misread(text, min(at, length), again != nil && positionOf(again) >= length)
		if m := variableMark.FindStringSubmatch(text); m != nil {
			fault.Message = fmt.Sprintf("%q is no expression; a name is written as it is: %s", m[0], cmp.Or(m[1], "amount"))
		}
		return nil, fault
	}
	counted := make(map[ast.Node]int)
	switch size := unfolded(tree.Node, counted); {
	case len(counted) > maxParts:
		return nil, &Fault{Message: fmt.Sprintf("the expression has %d parts; at most %d are read", len(counted), maxParts)}
	case size > maxUnfolded:
		return nil, &Fault{Message: fmt.Sprintf("comparisons in comparisons have more than %d parts", maxUnfolded)}
	}
	return tree.Node, nil
}

func positionOf(err error) int {
	if fe, ok := errors.AsType[*file.Error](err); ok {
		return fe.From
	}
	return 0
}

// misread explains why the parser stopped at a character, or at the end: from the token that is there and those before it.
func misread(text string, at int, atEnd bool) *Fault {
	before, here, unread := tokensTo(text, at)
	if unread >= 0 {
		return unreadable([]rune(text), unread, at)
	}
	if atEnd && here.Kind != lexer.EOF {
		before, here = append(before, here), lexer.Token{Kind: lexer.EOF}
	}
	last := lexer.Token{}
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	if last.Kind == lexer.Number && !isNumber(last.Value) {
		return &Fault{Offset: last.From, Message: last.Value + " is too large, or no number"}
	}
	if n := len(before); n > 1 && !atEnd && (before[n-2].Value == "." || before[n-2].Value == "?.") && last.Kind != lexer.Identifier {
		return &Fault{Offset: last.From, Message: fmt.Sprintf("expected the name of a member after the dot, found %s", last.Value)}
	}
	if i := openBracket(before); here.Kind == lexer.EOF && i >= 0 && endsValue(last) {
		open := before[i]
		return &Fault{Offset: open.From, Message: fmt.Sprintf("the %s that begins here is not closed; expected %s", open.Value, closers[open.Value])}
	}
	return &Fault{Offset: at, Message: misplaced(before, last, here)}
}

// closers has the bracket that closes each one.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// openBracket is the index of the innermost bracket that is still open after the tokens; -1 for none.
func openBracket(before []lexer.Token) int {
	depth := 0
	for i, t := range slices.Backward(before) {
		switch {
		case t.Is(lexer.Bracket, ")", "]", "}"):
			depth++
		case !t.Is(lexer.Bracket, "(", "[", "{"):
		case depth == 0:
			return i
		default:
			depth--
		}
	}
	return -1
}

// misplaced says why a token cannot stand after those before it.
func misplaced(before []lexer.Token, last, here lexer.Token) string {
	switch {
	case here.Kind == lexer.EOF:
		return "the expression ends in the middle"
	case here.Is(lexer.Bracket, "{") && last.Is(lexer.Bracket, "{"):
		return "braces are for texts; here the expression stands alone, as in review == 'approve'"
	case here.Is(lexer.Bracket, ")"):
		if name := callAround(before); signatures[name].loops && !last.Is(lexer.Bracket, ")") {
			return fmt.Sprintf("%s takes %s; an argument is missing", name, signatures[name])
		}
	case here.Is(lexer.Operator, ";"):
		return `";" does not belong here; a let or several steps in a loop stand in braces: map(list, {let x = #; x + 1})`
	case here.Is(lexer.Operator, ":"):
		return `":" does not belong here; in map, filter and the like an object has braces of its own: map(list, {{name: #}})`
	case here.Kind == lexer.Operator && here.Value != "|" && operator.Binary[here.Value].Precedence > 0 && endsValue(last) &&
		slices.ContainsFunc(before, func(t lexer.Token) bool { return t.Is(lexer.Operator, "??") }):
		return fmt.Sprintf("?? and %s need parentheses around one of them: (a ?? b) %s c", here.Value, here.Value)
	case here.Kind == lexer.Operator && unicode.IsLetter(rune(here.Value[0])):
		return fmt.Sprintf("%q does not belong here; it is a word of the language, and a name that is called so is written $env[%q]", here.Value, here.Value)
	}
	return fmt.Sprintf("%q does not belong here%s", here.Value, cmp.Or(spelled[here.Value], spelled[last.Value+here.Value]))
}

// endsValue reports whether a value can end with the token.
func endsValue(t lexer.Token) bool {
	return t.Kind == lexer.Identifier || t.Kind == lexer.Number || t.Kind == lexer.String || t.Is(lexer.Bracket, ")", "]", "}")
}

// callAround is the function whose parenthesis is open after the tokens; "" for none.
func callAround(before []lexer.Token) string {
	i := openBracket(before)
	if i < 1 || before[i].Value != "(" || before[i-1].Kind != lexer.Identifier {
		return ""
	}
	return before[i-1].Value
}

// tokensTo are the tokens before a character and the one at it. Unread is where the first part starts that is no token; -1
// where all are.
func tokensTo(text string, at int) (before []lexer.Token, here lexer.Token, unread int) {
	l := lexer.New()
	l.Reset(file.NewSource(text))
	for {
		t, err := l.Next()
		switch {
		case err != nil:
			end := 0
			if len(before) > 0 {
				end = before[len(before)-1].To
			}
			return before, here, end
		case t.Kind == lexer.EOF || t.To > at && t.From >= at:
			return before, t, -1
		}
		before = append(before, t)
	}
}

// unreadable explains a part of the text that is no token: it starts after the token before it and ends where the lexer stopped.
func unreadable(text []rune, from, at int) *Fault {
	for from < at && unicode.IsSpace(text[from]) {
		from++
	}
	at = min(at, len(text))
	part := string(text[from:min(at+1, len(text))])
	start, rest := from, strings.TrimLeft(part, "bB")
	switch {
	case strings.HasPrefix(part, "/*"):
		return &Fault{Offset: start, Message: "the comment that begins here is not closed; it ends with */"}
	case rest != "" && strings.ContainsRune("'\"`", rune(rest[0])):
		if at >= len(text) || text[at] == '\n' {
			return &Fault{Offset: start, Message: fmt.Sprintf("the text that begins here is not closed; expected another %c", rest[0])}
		}
		return &Fault{Offset: at, Message: `a backslash in a text begins an escape, as in \n, \', \\ or \u00e9; this is none`}
	case part != "" && unicode.IsDigit(rune(part[0])):
		return &Fault{Offset: start, Message: fmt.Sprintf("%s is no number; a name begins with a letter", part)}
	case at < len(text):
		return &Fault{Offset: at, Message: fmt.Sprintf("the character %q does not belong here", text[at])}
	}
	return &Fault{Offset: at, Message: "the expression ends in the middle"}
}

// isNumber reports whether what the lexer takes for a number is one.
func isNumber(text string) bool {
	text = strings.ReplaceAll(text, "_", "")
	for _, base := range []int{10, 0} {
		if _, err := strconv.ParseInt(text, base, 64); err == nil {
			return true
		}
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.ContainsAny(text, ".eE")
}
