// Package storekind defines a kind of store: a value that knows its addresses and opens them. Programs that take an
// address of a store, such as the command, take a [List] of kinds.
//
//	kinds := append(stores.All(), mystore.Kind{}) // journal/stores lists those of this module
//	store, err := kinds.Open("mystore://host", storekind.Options{})
//
// A store that a program opens by its own function needs no kind. This package holds no list, knows no store, and never
// puts a password into an error.
package storekind
