// Package stores lists the kinds of stores of this module.
//
//	store, err := stores.All().Open("postgres://localhost/runs", storekind.Options{})
//
// A program that opens one kind of store imports its package alone, and gets no other driver. A store of another module is a
// value that the program appends to the list. This package holds nothing but the list.
package stores
