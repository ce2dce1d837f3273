// Command mutants breaks the engine on purpose, one place at a time, to see a test fail (ADR 055).
//
//	go run ./internal/mutants            # or: make mutants
//	go run ./internal/mutants -run J3    # those of one law, or whose title matches
//	go run ./internal/mutants -list
//
// The mutants are data, in mutants/*.txt: a law and what breaks it, a file, the lines before and after, and the tests
// that have to fail. No file of the tree changes: the go command compiles the broken file by -overlay. A mutant that
// survives is a missing test. One whose text is gone, that does not compile, or whose tests do not exist fails the job
// as well, and so do tests that fail without any mutant.
//
// It never looks for mutants by itself: each is a defect that a person thought of, and a law that it breaks.
package main
