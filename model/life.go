package model

import "context"

type lifeKey struct{}

// OnSignOfLife returns a context that reports every sign of life of a model to alive. Signs are parts of its reply, and
// the bytes that services send while they have no part to send. alive is called often, from any goroutine.
func OnSignOfLife(ctx context.Context, alive func()) context.Context {
	return context.WithValue(ctx, lifeKey{}, alive)
}

// SignOfLife tells the caller of a model that the model works, though no part of its reply has come. Models call it
// when their service says so; parts of a reply are signs by themselves.
func SignOfLife(ctx context.Context) {
	if alive, ok := ctx.Value(lifeKey{}).(func()); ok {
		alive()
	}
}
