// Command modules shows the weight of a Go module's dependencies. It shows which of them carry the most weight, how
// much of each is used and through which direct dependency it comes in, what would go with a direct dependency, and
// what go.mod requires and nothing here imports. It is a dataflow graph in one program.
//
//	go run ./examples/modules                      looks at the module of this folder
//	go run ./examples/modules -C ../shop -top 20   looks at another one
//	go run ./examples/modules -draw text           draws the dataflow
//
// flow.go is the dataflow, and says what each node reads and writes. The nodes are plain functions, in files of their
// own: toolchain.go asks the go command, packages.go and requirements.go read what it says, sources.go counts lines,
// group.go, drop.go and unused.go add things up, and rank.go is a loop that goes round until the ranking is stable.
// table.go is what people see, main.go runs it all.
//
// Nodes that are expensive and depend on their inputs alone are cached, in a file: on a second run the lines of a module
// are not counted again, and after an update only those of the modules that have changed. The last line says what came
// from the cache.
//
// It needs the go command, no network where the module cache has the modules, and changes nothing in the module that
// it looks at.
package main
