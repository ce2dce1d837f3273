// Package document reads YAML and JSON definitions, and remembers the position of every value.
//
// [Read] parses a file within bounds and puts in place what aliases and merge keys stand for. An [Object] reads a
// mapping of known keys, one by one: a value that is not what was expected goes to the [Report] with its file, line and
// column, and is read as missing, so that one pass finds every problem ([Report.Err]):
//
//	r := &document.Report{Expected: "a recipe"}
//	src := document.Read("refund.yaml", data, r)
//	if src.Root != nil {
//		o := document.NewObject(document.Spot{Source: src, Node: src.Root}, r, []string{"name", "limit"})
//		name, limit := o.NeedText("name", "a name"), o.Number("limit", 1, 10)
//	}
//	return r.Err() // refund.yaml:3:1: unknown key "limt"; did you mean "limit"?
//
// A [Word] is a text with its [Spot], for problems that are found later; [Report.Inside] finds a character within it. A
// [Shape] is a JSON Schema. [Quote], [OneOf] and [Describe] are the words of messages, and [Decode] and [Encode] are JSON with
// the digits of its numbers.
//
// The package knows no key: what the files of one kind hold, and what else a key may have meant ([Report].Meant), is told to
// it. It never opens a file.
package document
