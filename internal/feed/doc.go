// Package feed lets all who follow the changes of a store share one reader (law W8):
//
//	hub := feed.New(store, o)
//	for told, err := range hub.Follow(ctx, after, true) { … }
//
// A follower reads the store by itself until it has come to the present. From there on, the reader of the hub tells all
// followers what it reads, once after each sign of a write. It waits for no follower: one that falls behind reads the store again.
package feed
