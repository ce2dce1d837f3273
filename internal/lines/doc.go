// Command lines counts the lines of Go code in each room, without tests. It counts all lines, and those with code, which
// are neither blank nor comments.
//
//	go run ./internal/lines                 // the work tree, without files that git ignores
//	go run ./internal/lines -since 2330a56  // beside that revision
//
// Files named _test.go and those in testdata are left out. A room is a folder.
package main
