// Command flaky runs tests many times under load and reports which of them fail now and then.
//
//	go run ./internal/flaky                               # or: make flaky
//	go run ./internal/flaky -runs 4 -run TestJ5 ./node ./journal/...
//	go run ./internal/flaky -runs 1 -load 1 -slow 10      # or: make slow
//
// The tests are compiled once, and each run starts them again, with four times as many processes and threads as there are
// cores; every second run has the race detector on. A failure is named at once. After the last run, or after an interrupt, a
// summary says what failed, how often, and what it said the first time. The exit status is 0 only when nothing failed.
//
// The race detector sometimes ends a program because a check of its own fails ("ThreadSanitizer: CHECK failed"). The tests of that
// package are then started again, at most three times in a run, and the summary says how often that happened.
//
// With -slow, the summary lists the slowest packages and tests as well.
package main
