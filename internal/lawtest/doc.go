// Package lawtest holds what the tests of several packages need to keep the laws of docs/semantics.md: functions that leave
// without returning (law N7), a log that can be read while it is written, and cases that are drawn at random.
//
//	for how, leave := range lawtest.Leavings {
//		t.Run(how, func(t *testing.T) { … })
//	}
//
// Only tests import it. What users need to test their own plans is in fermatatest.
package lawtest
