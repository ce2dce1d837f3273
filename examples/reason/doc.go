// Command reason shows durable calls of a language model in five small graphs.
//
//	go run ./examples/reason typed      an e-mail becomes a value of a Go type
//	go run ./examples/reason ask        the model asks you, and goes on
//	go run ./examples/reason form       a form is shown while the model fills it in
//	go run ./examples/reason two        a draft and its critique in one node; the second asks you
//	go run ./examples/reason approve    you approve what a tool is about to do
//	go run ./examples/reason resume     goes on with the run that is open
//
// typed.go, ask.go, form.go, two.go and approve.go hold the graphs. Each has, below it, what the scripted model says: no
// key is needed, and nothing is asked over the network. A real model takes its place by its name alone:
//
//	go run ./examples/reason ask --model openai:gpt-5              # OPENAI_API_KEY
//	go run ./examples/reason ask --model anthropic:claude-sonnet-4-5   # ANTHROPIC_API_KEY
//	FERMATA_MODEL=ollama:qwen3 go run ./examples/reason ask
//
// Text behind the name of a graph takes the place of the one that it begins with. Runs are kept in reason.db (--store).
// Kill the program wherever you like: resume goes on, and asks the model nothing that it has answered. Ctrl-D leaves a
// question open for later, or for a person else. Without a terminal --answer answers; --json writes events, and asks
// nobody. --serve 127.0.0.1:8080 shows the events to a browser, and takes the answers from there.
//
// It ends with 0 where a run has completed, 1 where it failed, 2 for wrong use, and 4 where it waits for an answer.
//
// The tests run each graph with its script, with a service that speaks OpenAI's protocol, and with a crash at every
// append.
package main
