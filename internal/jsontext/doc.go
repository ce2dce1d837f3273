// Package jsontext writes strings as JSON has them. It is the one place in which this module escapes text.
//
// There are two forms. [Append] escapes what JSON asks for and nothing else: journals and patches store it, where every byte counts.
// [AppendGo] writes what encoding/json writes, with <, > and & escaped and U+FFFD for bytes that are no UTF-8: values that are
// compared with what encoding/json has written use it.
//
//	text := jsontext.Append(nil, "a <b>\n") // "a <b>\n"
//
// The package knows no values: what reads or holds JSON is elsewhere.
package jsontext
