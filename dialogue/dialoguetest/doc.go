// Package dialoguetest runs the tests that dialogues hold, which are transcripts: from go test by [Run], and from a
// program by [Check], as the command fermata test does.
//
//	func TestDialogues(t *testing.T) {
//		dialoguetest.Run(t, dialoguetest.Options{Crash: true}, "dialogues")
//	}
//
// A test is a conversation on the engine itself, in memory, with a clock of its own: a silence of a day takes no time.
// What users say is understood by the dialogue's phrases, and in another run by what the test writes beside each line,
// as a model would answer it; both have to come to the same. Actions give what the test says, or are called as they are.
//
// With [Options.Crash] each conversation is repeated, with the engine stopped before and after everything that it stores
// and started again: the same has to be said, and every action has to have taken effect once (laws J4 and J5).
package dialoguetest
