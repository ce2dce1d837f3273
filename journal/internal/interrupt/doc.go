// Package interrupt writes interrupts as stores on servers keep them: as JSON that comes back as it was, whatever others
// have put into it.
//
//	data, err := interrupt.Encode(&in)
//	in, err := interrupt.Decode("int_1", data)
//
// Where a store keeps the data, and what it puts in front, such as a version, is the store's affair.
package interrupt
