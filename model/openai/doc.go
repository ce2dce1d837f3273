// Package openai speaks OpenAI's Chat Completions, to OpenAI and to services that are compatible. Among these are
// Ollama, vLLM, Gemini and OpenRouter.
//
//	m, err := openai.New(openai.Options{Model: "gpt-5"}) // the key is in OPENAI_API_KEY
//	m, err := openai.New(openai.Options{Model: "llama3.3", BaseURL: "http://127.0.0.1:11434/v1"})
//
// Keys come from the environment or from a file. They are in no option, and no error has one in its text, even where
// the service repeats it. Of the variables that OpenAI's own libraries read, only those named in Options count, and for
// OpenAI's own service OPENAI_ORG_ID and OPENAI_PROJECT_ID.
//
// A reply is streamed. A request is made once: the caller asks again after a failure, by the kinds of [model.Error].
// The Chat Completions know no reasoning in requests, so that reasoning in messages is left out; and no failed results
// of tools, whose text gets "error: " in front.
package openai
