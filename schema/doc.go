// Package schema relates Go types, JSON Schemas (draft 2020-12) and checked values.
//
// [For] derives the schema of a Go type as encoding/json writes it, [Parse] reads a hand-written one, and
// [Schema.Check] reports every problem of a value, place by place, in words that help to correct it:
//
//	s, err := schema.For[Decision]()
//	err = s.Check([]byte(`{"aprove": true}`))
//	// 2 problems:
//	//   /approve: required, but missing; expected a boolean
//	//   /aprove: unknown property; did you mean "approve"?
//
// A value that a derived schema accepts can be decoded into its type: no answer is taken that cannot be read later
// (laws N8, H2).
//
// [Schema.Identity] names a contract for those who see its values, [Fragments] are parts that several documents share,
// and [Compatible] compares two versions, place by place.
//
// A value that arrives in pieces is followed by a [Stream], which shows what of it is valid so far, as patches;
// [Schema.CheckPartial] checks a value that is not finished.
//
// The package never loads a schema from a file or an address, and it does not change the values that it checks.
package schema
