package expression

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
)

// reason is why one of our own functions or guards cannot calculate.
type reason struct{ error }

func (r *reason) Unwrap() error { return r.error }

// failed says which expression could not be calculated, where in it, and why.
func (e *Expression) failed(err error, s *Scope) error {
	if path, ok := errors.AsType[*definition.PathError](err); ok {
		return fmt.Errorf("expression %s: %w", document.Quote(e.text), path)
	}
	at, why := e.explained(err, s)
	return fmt.Errorf("expression %s: %s%w", document.Quote(e.text), partAt(e.root, at), why)
}

// explained is why an expression cannot be calculated, and at which character. Where the language failed and none of our
// functions, the expression is calculated again with guards: its own message is written for Go programmers, and no API.
func (e *Expression) explained(err error, s *Scope) (at int, why error) {
	if fe, own := errors.AsType[*file.Error](err); own {
		at = fe.From
	}
	if own, ok := errors.AsType[*reason](err); ok {
		return at, own.error
	}
	again, fault := assemble(e.root, e.source, e.mode, true)
	if fault == nil {
		s.begin()
		roomy := vm.VM{MemoryBudget: 2 * maxListed}
		_, found := roomy.Run(again.program, s)
		own, ok := errors.AsType[*reason](found)
		fe, placed := errors.AsType[*file.Error](found)
		path, isPath := errors.AsType[*definition.PathError](found)
		switch {
		case found == nil: // with room for more it can be calculated
			return at, errListed
		case isPath:
			return at, path
		case ok && placed:
			return fe.From, own.error
		}
	}
	return at, fmt.Errorf(uncalculated+"%w", err)
}

// uncalculated begins the message of what no guard explains. TestGuards knows no such expression; the language's words, as they are,
// would then be better than nothing.
const uncalculated = "it cannot be calculated: "

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
