// Package canonical makes values what a replay makes of them (law N10): it writes JSON, and reads it the same on every
// machine. [Marshal] refuses maps in which two keys become one. [Decode] keeps numbers in interfaces as json.Number, and
// gives every time.Time UTC or a fixed offset, never the zone of the machine that reads it.
//
// It knows no plan and no journal. Package internal/value keeps whole states by the same rules.
package canonical
