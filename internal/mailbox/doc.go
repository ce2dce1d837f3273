// Package mailbox tells readers of a journal which call has taken which message (law M1).
//
// No entry says it: it follows from their order, as internal/machine folds it. A reader that shows a run does not have a machine,
// so it folds the same entries here. The package decides nothing for the engine and reads no values.
//
//	var box mailbox.Box
//	change := box.Apply(&entry)
//	for _, call := range change.Taken {
//		fmt.Println(call.Task(), "has taken message", call.Message.Seq)
//	}
package mailbox
