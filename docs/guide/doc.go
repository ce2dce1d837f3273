// Package guide holds the code of the guides as tests: every piece that a page shows is compiled and run here. It has no
// code of its own.
package guide
