// Package fault keeps errors of users' code where their methods can do no harm. [Capture] takes an error over at the
// border: its text, its documented kinds and the fields of its documented types. From then on nobody has to call a
// method of it again, and what was taken can be written to a journal and made an error again: the same for errors.Is and
// errors.As in the process that saw the error and in one that reads of it (law F8).
//
// Packages declare their errors here once, with [Sentinel], [Register] and [Keep]. The package knows none of them itself.
package fault
