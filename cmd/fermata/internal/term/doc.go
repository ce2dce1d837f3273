// Package term knows the abilities of an output stream and lays text out on it. It has styles that fall back to
// nothing, glyphs that fall back to ASCII, columns, wrapping, durations in words, and an [Area] that is redrawn in
// place.
//
// It knows nothing of runs. A [Screen] is made once for each of stdout and stderr; everything that is printed for
// people goes through one.
package term
