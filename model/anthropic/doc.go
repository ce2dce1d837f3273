// Package anthropic is the models of Anthropic, and of services that speak its Messages.
//
//	m, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5"}) // the key is in ANTHROPIC_API_KEY
//
// Keys come from the environment or from a file. They are in no option, and no error has one in its text, even where
// the service repeats it. Of the variables that Anthropic's own libraries read, only those named in Options count.
//
// A reply is streamed. A request is made once: the caller asks again after a failure, by the kinds of [model.Error];
// Anthropic knows no idempotency keys, so that Request.Key is not sent.
//
// Reasoning keeps its signature, and goes back as it came. Reasoning that Anthropic has redacted is a part without a
// text, whose signature begins with "redacted_thinking:". Reasoning without a signature, as other models' is, is left
// out of requests.
package anthropic
