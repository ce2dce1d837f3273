// Package goroutine tells goroutines apart. The runtime has to know whether a call of a node is made by the goroutine
// that its function runs in, or by one that the node has started, whose calls come in no order that a replay could
// keep.
//
//	home := goroutine.Mark()
//	go func() { fmt.Println(goroutine.Mark() == home) }() // false
//
// It never finds, stops or looks into a goroutine, and holds nothing for one: values that belong to a call are in its
// context.
package goroutine
