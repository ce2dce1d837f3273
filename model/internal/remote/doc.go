// Package remote is what models behind HTTP have in common: where a [Service] is and the [Key] to it, what kind of
// failure an answer of the service is and when to ask again, how the events of a [Reply] become chunks, and which JSON
// Schemas a service can promise to keep.
//
// It speaks no provider's protocol: that is for the packages of the providers, and for their SDKs. And it lets no key
// out: not in errors, and not by printing, logging or encoding what holds it.
//
//	s, err := remote.Open(remote.Provider{Name: "OpenAI", Env: "OPENAI", URL: "https://api.openai.com/v1/"}, remote.Options{})
package remote
