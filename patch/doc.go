// Package patch changes JSON values by JSON Patch (RFC 6902) and the additional operation append. Append adds text to
// the end of a string. Without it, a streamed text would be sent whole with every word.
//
//	p, err := patch.Diff([]byte(`{"text":"once"}`), []byte(`{"text":"once upon"}`))
//	// [{"op":"append","path":"/text","value":" upon"}]
//	doc, err := p.Apply([]byte(`{"text":"once"}`))
//
// A [Document] is a value that many patches are applied to, each at the cost of what it says. [Patch.Pure] makes a patch
// that any implementation of RFC 6902 understands.
//
// The package knows nothing of what the values mean, and never rounds a number: it is kept as it was written.
package patch
