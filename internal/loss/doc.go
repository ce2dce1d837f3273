// Package loss finds the parts of a JSON value that a type loses when it reads and writes it.
//
// A type that no longer has a field drops it without an error, and a reader then sees a zero. A reader of an older
// program's value compares both texts here and refuses the type:
//
//	lost, err := loss.Of(stored, encodedAgain)
//
// Only a value that turns into zero, or into another number, counts; so does null where a type makes a value of it, and a list
// that gets another length. A type may write a value in another form (a time in UTC, a map for a struct), null as an empty list
// or object, and may have fields that the value did not have.
package loss
