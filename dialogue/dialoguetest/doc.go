// Package dialoguetest runs the tests that dialogues hold, which are transcripts. [Run] is for go test, and [Check] for
// programs, as the command fermata test.
//
//	func TestDialogues(t *testing.T) {
//		dialoguetest.Run(t, dialoguetest.Options{Crash: true}, "dialogues")
//	}
//
// A test is a conversation on the engine itself, in memory, with a clock of its own: a silence of a day takes no time.
// Each test runs twice: once the dialogue's phrases understand the lines, and once the commands that the test writes
// beside each line, as a model would reply. Both runs must have the same results. Actions give what the test says, or
// are called as they are.
//
// With [Options.Crash] each conversation is repeated, with the engine stopped before and after everything that it stores
// and started again: the same has to be said, and every action has to have taken effect once (laws J4 and J5).
package dialoguetest
