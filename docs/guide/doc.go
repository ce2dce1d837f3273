// Package guide holds the code of the pages as tests: every snippet is compiled and run here. It has no code of its
// own.
package guide
