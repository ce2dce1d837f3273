// Package lawtest holds helpers for the tests of the laws in docs/semantics.md. It has functions that leave without
// returning (law N7), a log that can be read while it is written, and cases that are drawn at random. It
// tells whether the machine is too busy for a bound on time, and whether the race detector is at work.
//
//	for how, leave := range lawtest.Leavings {
//		t.Run(how, func(t *testing.T) { … })
//	}
//
// Only tests import it. Helpers for users' tests of their own plans are in fermatatest.
package lawtest
