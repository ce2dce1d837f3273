// Command fermata-vet is the analyzer of package vet as a tool of go vet. Editors and CI call go vet with it:
//
//	go get -tool github.com/fermata-go/fermata/cmd/fermata-vet
//	go vet -vettool=$(go tool -n fermata-vet) ./...
//
// It reports errors alone; -fermata.advice adds advice. The command `fermata vet` builds this program from the version of
// Fermata that a module requires, and calls go vet with it.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/fermata-go/fermata/vet"
)

func main() { unitchecker.Main(vet.Analyzer) }
