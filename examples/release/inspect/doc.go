// Command inspect looks at a git repository for the release gate beside it. Its first argument says at what; it reads
// one JSON object on its standard input and writes one on its standard output:
//
//	echo '{"repo": "."}' | go run ./inspect commits
//
// commits, changes, vet and modules only read. notes writes one file, the release notes, and writes the same bytes
// when it is run again with the same input. What cannot be found out and does not matter for the rest (is there a newer
// version? what would go vet say?) is part of the answer, with the reason; what the rest depends on (is it a
// repository at all?) is an error: a sentence on the standard error, and exit status 1.
//
// It needs git, for Go modules the go command, and nothing else. It keeps nothing and knows nothing of workflows.
package main
