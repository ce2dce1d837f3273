package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Ticket is the state that travels through the graph.
type Ticket struct {
	Customer string   `json:"customer"`
	Text     string   `json:"text"`
	Kind     string   `json:"kind,omitempty"` // billing, fault, question or spam
	Urgent   bool     `json:"urgent,omitempty"`
	Account  Account  `json:"account,omitzero"`
	Changes  []string `json:"changes,omitempty"` // what the reader of a draft wanted different, in order
	Reply    string   `json:"reply,omitempty"`   // the draft, or what was sent
	Approved bool     `json:"approved,omitempty"`
	Outcome  string   `json:"outcome,omitempty"`
}

// Proposal is what a lead is shown.
type Proposal struct {
	Customer string `json:"customer"`
	Wrote    string `json:"wrote"`
	Reply    string `json:"reply"`
}

// Decision is what a lead answers.
type Decision struct {
	Send   bool   `json:"send"`
	Change string `json:"change,omitempty" jsonschema:"what should be different, where it is not to be sent"`
}

// Sent is the answer to whether a reply has arrived.
type Sent struct {
	Arrived bool `json:"arrived"`
}

// Roles of people.
const (
	lead    = "lead"
	manager = "manager"
)

// newTriage builds the graph. A lead has the given time to decide, then a manager has it; then the ticket is closed.
func newTriage(within time.Duration) (*graph.Graph[Ticket], error) {
	g := graph.New[Ticket]("triage").Limits(plan.Limits{Tasks: 100})
	g.Node("classify", classify)
	g.Node("account", account, graph.Retry(3, 100*time.Millisecond), graph.Timeout(5*time.Second))
	g.Node("stranger", stranger)
	g.Node("draft", draft)
	g.Node("review", func(ctx node.Context, t Ticket) (Ticket, error) { return review(ctx, t, within) }, graph.Human())
	g.Node("send", send)
	g.Node("settle", settle, graph.Human())
	g.Node("close", closeTicket)

	g.Edge(graph.Start, "classify")
	g.Route("classify", byKind, "account", "close")
	g.OnError("account", "stranger")
	g.Edge("account", "draft")
	g.Edge("stranger", "draft")
	g.Route("draft", byRisk, "review", "send")
	g.Route("review", byDecision, "send", "draft")
	g.OnDeadline("review", "close")
	g.OnError("send", "settle")
	g.Edge("send", "close")
	g.Route("settle", byArrival, "send", "close")
	return g.Compile()
}

// classify says what a ticket is about.
func classify(ctx node.Context, t Ticket) (Ticket, error) {
	text := strings.ToLower(t.Text)
	about := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case about("lottery", "crypto", "backlink"):
		t.Kind = "spam"
	case about("charged", "invoice", "refund", "paid", "money"):
		t.Kind = "billing"
	case about("broken", "error", "crash", "does not work", "fails"):
		t.Kind = "fault"
	default:
		t.Kind = "question"
	}
	t.Urgent = t.Kind != "spam" && about("!", "urgent", "immediately", "asap")
	words := t.Kind
	if t.Urgent {
		words += ", urgent"
	}
	return t, say(ctx, words)
}

// byKind closes spam at once.
func byKind(_ node.Context, t Ticket) (string, error) {
	if t.Kind == "spam" {
		return "close", nil
	}
	return "account", nil
}

// account asks the directory who the customer is: a call of the outside world, so it is a step, whose answer is
// recorded. The directory may be away: the node is tried three times before its error edge is taken.
func account(ctx node.Context, t Ticket) (Ticket, error) {
	directory, err := node.Service[Directory](ctx)
	if err != nil {
		return t, err
	}
	t.Account, err = node.Step(ctx, "find", func(ctx node.Context) (Account, error) {
		return directory.Find(ctx, t.Customer)
	})
	if err != nil {
		return t, err
	}
	return t, say(ctx, t.Account.String())
}

// stranger goes on without the directory.
func stranger(ctx node.Context, t Ticket) (Ticket, error) {
	t.Account = Account{Name: t.Customer}
	return t, say(ctx, "going on without: "+ctx.Cause().Message)
}

// draft writes a reply, or the next one, with what the reader of the last one wanted different.
func draft(ctx node.Context, t Ticket) (Ticket, error) {
	body := map[string]string{
		"billing":  "We have looked at your account, and what was charged by mistake is on its way back to you.",
		"fault":    "We can see the fault that you describe, and somebody is mending it.",
		"question": "Thank you for asking. The handbook has an answer under “First steps”.",
	}[t.Kind]
	lines := append([]string{"Dear " + t.Account.Name + ",", "", body}, t.Changes...)
	t.Reply = strings.Join(append(lines, "", "Your support"), "\n")
	return t, say(ctx, fmt.Sprintf("reply %d", len(t.Changes)+1))
}

// byRisk sends answers to plain questions at once; anything else is read by a person first.
func byRisk(_ node.Context, t Ticket) (string, error) {
	if t.Kind == "question" && !t.Urgent {
		return "send", nil
	}
	return "review", nil
}

// review asks a lead. The function is left at Wait, holds nothing while it waits, and begins again from the top when
// the answer is there.
func review(ctx node.Context, t Ticket, within time.Duration) (Ticket, error) {
	question, err := node.Ask[Decision](
		ctx, Proposal{Customer: t.Account.String(), Wrote: t.Text, Reply: t.Reply},
		node.ID("reply"), node.Prompt("Send this reply?"), node.Role(lead),
		node.Within(within), node.OrEscalate(manager, within), node.OrRoute("close"),
	)
	if err != nil {
		return t, err
	}
	decision, err := question.Wait()
	if err != nil {
		return t, err
	}
	who := cmp.Or(question.By(), "somebody")
	if t.Approved = decision.Send; t.Approved {
		return t, say(ctx, who+" says: send it")
	}
	t.Changes = append(t.Changes, decision.Change)
	return t, say(ctx, who+" says: "+decision.Change)
}

// byDecision goes back to draft as long as something has to be different.
func byDecision(_ node.Context, t Ticket) (string, error) {
	if t.Approved {
		return "send", nil
	}
	return "draft", nil
}

// send sends the reply, at most once: when the process dies in between, nobody knows whether it went out, and it is
// not sent again by itself. The node fails then, and its error edge leads to a person.
func send(ctx node.Context, t Ticket) (Ticket, error) {
	outbox, err := node.Service[Outbox](ctx)
	if err != nil {
		return t, err
	}
	receipt, err := node.Step(ctx, "mail", func(ctx node.Context) (string, error) {
		return outbox.Send(ctx, t.Customer, t.Reply, node.IdempotencyKey(ctx))
	}, node.AtMostOnce())
	if err != nil {
		return t, err
	}
	t.Outcome = "answered"
	return t, say(ctx, receipt)
}

// settle asks whether the reply has arrived after all.
func settle(ctx node.Context, t Ticket) (Ticket, error) {
	sent, err := node.Interrupt[Sent](
		ctx, map[string]string{"customer": t.Customer, "problem": ctx.Cause().Message},
		node.ID("arrived"), node.Prompt("Has the customer got the reply?"), node.Role(lead),
	)
	if err != nil {
		return t, err
	}
	t.Outcome = ""
	if sent.Arrived {
		t.Outcome = "answered"
		return t, say(ctx, "it has arrived")
	}
	return t, say(ctx, "it has not arrived: once more")
}

func byArrival(_ node.Context, t Ticket) (string, error) {
	if t.Outcome == "" {
		return "send", nil
	}
	return "close", nil
}

// closeTicket is where every ticket ends.
func closeTicket(ctx node.Context, t Ticket) (Ticket, error) {
	switch {
	case t.Kind == "spam":
		t.Outcome = "spam"
	case t.Outcome == "":
		t.Outcome = "nobody decided in time"
	}
	return t, say(ctx, t.Outcome)
}

// say shows a line about what a node has done, once: not again when the node is run again.
func say(ctx node.Context, text string) error { return node.Emit(ctx, node.EventStatus, text) }
