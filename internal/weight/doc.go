// Command weight measures what the command fermata costs to build, and fails above a budget. The budget limits the CPU
// time and the memory of a clean build, the size of the stripped binary, and the linked packages and modules.
//
//	go run ./internal/weight         // what make check runs: size, packages and modules, from the build cache
//	go run ./internal/weight -table  // the same, and a table of the heaviest modules
//	go run ./internal/weight -cold   // all of it, with a clean build in an empty build cache: minutes
//
// CPU time is that of all processes of the build, so that other work on the machine adds little to it. A module that
// comes to be linked needs a line in modules.txt, with its reason in the change that adds it.
package main
