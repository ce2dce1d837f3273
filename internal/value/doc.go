// Package value keeps the values that travel through a plan. It encodes them, copies them, and finds what changed from
// one version to the next (laws N8, N9, J7). [For] keeps values of one Go type, [Dynamic] keeps JSON objects of any
// shape.
//
// A value is kept as its JSON, and nothing else of it is: a field that encoding/json ignores is not stored and not
// copied. Copy and Decode return the values of interfaces as JSON has them: map[string]any, []any, string, bool, nil,
// and json.Number for every number. So code behaves the same before and after a restart.
//
// A delta says what changed, as JSON (package journal applies it):
//
//	(nothing)                              unchanged
//	[0,value]                              another value
//	[1,{"name":delta,…},["gone",…]]        an object: changed and new members, and (where there are any) removed ones
//	[2,keep,[value,…]]                     a list: its first keep elements, then these
//	[3,{"index":delta,…},keep,[value,…]]   the same, with some of the elements that it keeps changed
//	[4,keep,"tail"]                        a string: its first keep bytes, then tail
//
// Comparing costs little: types are taken apart once, strings that share their bytes are equal at a glance, and a
// snapshot is updated in place instead of being made again.
package value
