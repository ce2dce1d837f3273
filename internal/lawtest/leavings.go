package lawtest

import "runtime"

// NilError is an error whose text cannot be read: Error panics on a nil pointer.
type NilError struct{ text string }

// Error implements error.
func (e *NilError) Error() string { return e.text }

// Leavings are the ways in which a function of a program leaves without returning, by what it does.
var Leavings = map[string]func(){
	"panics":               func() { panic("rascal") },
	"panics with an error": func() { var err error = (*NilError)(nil); panic(err) },
	"ends its goroutine":   runtime.Goexit,
}
