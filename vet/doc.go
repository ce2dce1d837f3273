// Package vet finds code in nodes that goes wrong when it runs again.
//
// A node's function is called again from its first line when an answer or a time has come (law N1), and after a crash.
// Recorded calls (node.Step, node.Interrupt, …) return what the journal holds; all other code runs once more. Analyzer
// reports code that then does an effect twice, or takes another way than its journal:
//
//	fermata vet ./...
//	go vet -vettool=$(go tool -n fermata-vet) ./... # after go get -tool github.com/fermata-go/fermata/cmd/fermata-vet
//
// A finding is an error or advice. An error goes wrong without any crash, because the node waits, or ends in
// node.ErrDiverged (law N3) wherever the node runs again. Advice is about what goes wrong only when a crash or a failure
// comes at the wrong moment, or only for those who fork and test runs. A node that records nothing is a step itself, and
// may do one effect, read the clock and draw random numbers as it likes.
//
// A comment silences the findings of its line, or of the line below it where it stands alone. It has to say why:
//
//	//fermata:ignore the address takes the same letter twice
//
// Calls are followed through functions and methods of the same module, and not through interfaces, fields and variables
// that hold functions. The package prefers to miss something over reporting code that is right. It runs no code and
// changes no file.
package vet
