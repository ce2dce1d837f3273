// Package remote is the client of models behind HTTP.
//
// It finds a [Service] and the [Key] to it, makes a [Request], reads the [Stream] of events that answers it, and
// classifies any other answer as a failure, with the time to ask again. It also knows which JSON Schemas a service can
// promise to keep ([Rules]).
//
// A request is made once. Streams have a limit of length and of idle time, redirects are not followed, and no key gets
// out: not in errors, and not by printing, logging or encoding what holds it.
//
// It speaks no provider's protocol: a package of a provider makes the requests and has a [Reader] for its events.
//
//	s, err := remote.Open(remote.Provider{Name: "OpenAI", Env: "OPENAI", URL: "https://api.openai.com/v1/"}, remote.Options{})
package remote
