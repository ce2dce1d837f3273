// Package storekind says what a kind of store is: a value that knows how its addresses look, and opens them. Programs that
// are told by an address where runs are kept, such as the command, take a [List] of kinds.
//
//	kinds := append(stores.All(), mystore.Kind{}) // journal/stores lists those of this module
//	store, err := kinds.Open("mystore://host", storekind.Options{})
//
// A store that a program opens by its own function needs no kind. This package holds no list, knows no store, and never
// puts a password into an error.
package storekind
