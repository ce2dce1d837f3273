// Package dialogue is for conversations: users say what they want in their own words, and flows do it.
//
//	d, err := dialogue.Compile(dialogue.Definition{
//		Name: "bank",
//		Flows: []dialogue.Flow{{
//			Name: "transfer", Description: "Send money", Trigger: []string{"transfer {amount} to {payee}", "send money"},
//			Slots: []dialogue.Slot{{Name: "amount", Type: dialogue.Money}, {Name: "payee"}},
//			Steps: []dialogue.Step{
//				{ID: "who", Type: dialogue.CollectStep, Slot: "payee", Message: "To whom?"},
//				{ID: "much", Type: dialogue.CollectStep, Slot: "amount", Message: "How much?"},
//				{ID: "ok", Type: dialogue.ConfirmStep, Message: "Send {{ amount }} to {{ payee }}?"},
//				{ID: "send", Type: dialogue.ActionStep, Call: "bank.transfer"},
//			},
//		}},
//	}, dialogue.Options{Actions: []dialogue.Action{transfer}})
//
//	talks := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
//	talks.Open(ctx, "ada", nil)
//	reply, err := talks.Send(ctx, "ada", dialogue.Message{Text: "send 50 to Bob"}) // Send 50 to Bob?
//
// [Load] reads the same from a file of YAML, with everything that is wrong told at its line and column, and [Dialogue].Source
// is a text of which [Restore] makes it again when the file is gone. docs/dialogues.md explains every key.
//
// A conversation is a run of the engine, and its plan is always the same: a gate, the only place where anything comes
// from people; an [NLU], which makes commands of a message, once for each; an orchestrator, which owns the stack of
// flows and acts on commands; and the flows, each a subgraph. A flow never interrupts the run. Where it has something to
// ask it ends with a [PendingTask], which the orchestrator takes to the gate. So a user may say anything at any time:
// correct what they said before, ask for something else in between, cancel, or say nothing for a week.
//
// Each rule holds in all places: every value of a slot goes through the same check, wherever it comes from ([Slot]);
// commands of one message that contradict each other are merged by one rule ([Delta]); an action behind a confirmation
// is made after an explicit yes to the question that stands, and never otherwise.
//
// The package does not know how recipes, graphs and dataflows are written; what they make runs in a flow as an [Action].
package dialogue
