// Package printable keeps text of others from acting on a terminal, in a log or in a drawing.
//
//	printable.Escape("go\x1b[2J") // go\u001b[2J
//	printable.Check("the run's id", id) // the run's id has a control character (U+001B) at byte 2; …
//
// It changes nothing that is stored: text is refused where it is a name, and escaped where it is shown.
package printable
