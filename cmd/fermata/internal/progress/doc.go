// Package progress shows the progress of a run. A [Tree] folds the run's events into one row for each visited node; a
// [View] shows it: redrawn in place on a terminal, as plain lines that stay the same from run to run elsewhere.
//
// A view is given every event and asks nobody anything: it can be left out without changing what a run does.
package progress
