// Package inbox takes what people do about questions: it checks who they are (law H2) and what they say, and appends it
// to the journal of the run, whichever process owns that. It executes nothing, and wakes runs by an interface.
//
//	err := in.Answer(ctx, interrupt, "approve", runtype.AsPerson("ann"))
package inbox
