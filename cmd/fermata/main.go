// Command fermata runs recipes from the command line. It starts and resumes runs, shows their progress, asks the person
// at the terminal, lists and answers open questions, and reports afterwards what happened.
//
// The command holds flags, wiring and what a terminal needs; whatever a run does is done by the packages it uses.
// How it behaves (exit codes, what goes to stdout, what is said when something is wrong) is specified by the scripts
// in testdata/script.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // the zones of schedules, for machines that have none
)

func main() {
	m := &Main{
		Name: os.Args[0], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ, Exit: os.Exit,
	}
	os.Exit(m.Run(context.Background(), os.Args[1:]))
}
