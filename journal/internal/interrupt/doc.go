// Package interrupt writes interrupts as JSON for stores on servers. It reads them back unchanged, also members that it
// does not know.
//
//	data, err := interrupt.Encode(&in)
//	in, err := interrupt.Decode("int_1", data)
//
// Where a store keeps the data, and what it puts in front, such as a version, is the store's affair.
package interrupt
