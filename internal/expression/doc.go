// Package expression is the language in which definitions calculate. It has conditions, values, texts with expressions
// in them, and paths. It is pure: no clock, no randomness, and bounded work (law J1).
//
// [Compile] and [CompileTemplate] take a text, and a [Scope] is what it is evaluated over, the blackboard or an agent's
// arguments. A missing name is a *definition.PathError, never an empty value:
//
//	e, fault := expression.Compile("amount > 100 and risk == 'high'")
//	yes, err := e.Holds(expression.NewScope(board, nil))
//
// Before anything runs, [Expression.Check] finds what can fail for a reason that the definition shows. It is told the [Place]:
// the [Names] that are known there, each with the [Type] of its values ([TypeOfSchema]). A [Path] leads to a value
// ([Path.In]) and to a type ([Path.On]). [Expression.Narrowed] is what is known once a condition holds, or does not; [Names.Join]
// is what is known where two ways meet. Which ways there are is for the caller to know.
//
// Values are those of the blackboard: what document.Decode gives. [Dynamic] brings others into that form.
//
// The package never reads a file and reports nothing itself: a [Fault] is at a character of the text, and the caller knows
// where the text stands.
package expression
