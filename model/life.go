package model

import "context"

type lifeKey struct{}

// OnSignOfLife is a context in which every sign of life of a model is told to alive, parts of its reply as well as the
// bytes that services send while they have nothing to say. alive is called often, from any goroutine.
func OnSignOfLife(ctx context.Context, alive func()) context.Context {
	return context.WithValue(ctx, lifeKey{}, alive)
}

// SignOfLife tells the caller of a model that the model is at work, though no part of its reply has come. Models call it
// where their service says so; parts of a reply speak for themselves.
func SignOfLife(ctx context.Context) {
	if alive, ok := ctx.Value(lifeKey{}).(func()); ok {
		alive()
	}
}
