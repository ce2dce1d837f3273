// Package resp is a client of one Redis server that speaks the second version of its protocol.
//
// It sends commands over a pool of connections, one or several in a round trip, and subscribes again when the connection
// of a subscription breaks.
//
//	c := resp.NewClient(config)
//	reply, err := c.Do(ctx, "HGET", "key", "field") // a string, or nil where there is none
//
// A command is sent once. The caller knows what it does, and decides whether to send it again after an error.
package resp
