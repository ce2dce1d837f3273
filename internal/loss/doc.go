// Package loss tells which parts of a JSON value are lost when the value is read as a type and written again.
//
// A type that no longer has a field drops it without an error, and a reader then sees a zero. Whoever reads a value that
// an older program wrote compares both texts here and refuses the type:
//
//	lost, err := loss.Of(stored, encodedAgain)
//
// Only a value that turns into zero, or into another number, counts; so does null where a type makes a value of it, and a list
// that gets another length. A type may write a value in another form (a time in UTC, a map for a struct), null as an empty list
// or object, and may have fields that the value did not have.
package loss
