// Package inbox takes the actions of people on questions. It checks the person (law H2) and the value, and appends the
// action to the journal of the run, whichever process owns that. It executes nothing, and wakes runs by an interface.
//
//	err := in.Answer(ctx, interrupt, "approve", runtype.AsPerson("ann"))
package inbox
