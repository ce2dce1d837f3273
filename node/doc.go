// Package node is what the code inside a node calls.
//
// A node is a plain Go function that receives a [Context]. With it the function records steps that must not happen
// twice ([Step]), asks people ([Interrupt], [Ask]) and language models ([Reason], [Context.LLM]), waits ([Sleep]),
// reads the clock of the run ([Now]), tells observers what it does ([Emit], [Stream]) and makes ([Structured],
// [Draft]), and finds the services of the program ([Service]).
//
// Every such call has a stable identity within its task (law N2), so a function that is run again after a crash or an
// answer receives the recorded results at once and continues where it stopped (law N1):
//
//	func pay(ctx node.Context, o Order) (Order, error) {
//		receipt, err := node.Step(ctx, "charge", func(ctx node.Context) (Receipt, error) {
//			return bank.Charge(ctx, o.Amount, node.IdempotencyKey(ctx))
//		})
//		if err != nil {
//			return o, err
//		}
//		o.Receipt = receipt
//		return o, nil
//	}
//
// A model is asked for a value of a type; what it answers is checked, recorded, and not asked again:
//
//	ticket, err := node.Reason[Ticket](ctx, node.Reasoning{Prompt: letter, Tools: tools})
//
// The package knows no engine and no store: a [Context] calls whatever host runs its node.
package node
