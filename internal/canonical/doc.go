// Package canonical writes and reads JSON identically on every machine. Its values are those that a replay sees (law
// N10). [Marshal] refuses maps in which two keys become one. [Decode] keeps numbers in interfaces as json.Number, and
// gives every time.Time UTC or a fixed offset, never the zone of the machine that reads it.
//
// It knows no plan and no journal. Package internal/value keeps whole states by the same rules.
package canonical
