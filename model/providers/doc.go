// Package providers makes models for the providers whose keys are in the environment. Their names are "openai",
// "anthropic" and "ollama".
//
//	models, err := providers.FromEnv(providers.Options{}) // FERMATA_MODEL=openai:gpt-5
//	rt, err := fermata.New(fermata.Options{Services: []any{models}})
//
// A node then asks for ctx.LLM("anthropic:claude-sonnet-4-5"), or for ctx.LLM(), which is the model of FERMATA_MODEL.
//
// It asks no service by itself, reads no files but those that hold keys, and shows no keys. Programs that want another
// selection make a model.Set of their own.
package providers
