// Command triage answers a customer's ticket with the help of a person. It is a typed state graph on SQLite, in one
// program.
//
//	go run ./examples/triage                                 asks for a ticket, and then for a decision
//	go run ./examples/triage -text "I was charged twice!" -answer "say sorry" -answer send
//
// ticket.go holds the graph: a gate, a step that is tried again, an error edge, a question with a role and a deadline,
// a loop, and a step that happens at most once. desk.go is the world around it. main.go runs it, and screen.go is what
// people see.
//
// Kill it wherever you like and start it again: it finds its open ticket in the store and goes on. The store is one
// that the fermata command reads, too: its tasks, runs, events and trace show the ticket from another terminal.
package main
