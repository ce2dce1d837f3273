// Package state has lists and maps for the fields of a state that grow.
//
// A node owns its state and may change plain slices and maps in place, so a plain field costs a look, a comparison and
// a copy of all of it in each node. [List] and [Map] do not change: a method returns the next version, which shares
// what stayed the same, as append does. So a node costs what it adds or changes, however much there is, and a branch
// gets a copy for nothing.
//
//	type Chat struct {
//		Topic    string
//		Messages state.List[Message]
//	}
//
//	func reply(ctx node.Context, c Chat) (Chat, error) {
//		c.Messages = c.Messages.Append(Message{Role: "assistant", Text: "Hello."})
//		return c, nil
//	}
//
// In JSON they are an ordinary array and an ordinary object: a field can become a slice or a map again, and back.
//
// Elements are kept as JSON returns them, from the moment at which they are put in: in interfaces are map[string]any,
// []any, string, bool, nil and json.Number, a time has UTC or a fixed offset, and what JSON drops is empty. Elements
// that lead to memory (slices, maps, pointers, interfaces) are copied deep on their way in and on their way out, so
// that nobody can change what is inside. Elements of strings, numbers and structs of them are not copied.
//
// The package never writes to a store and knows no run: lists and maps are of use wherever versions of a value are.
package state
