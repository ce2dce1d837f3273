// Package channeltest tests channels: [Suite.Run] asks of each what a driver relies on.
//
//	func TestSlack(t *testing.T) {
//		suite := channeltest.Suite{New: …, Message: …, Forged: …, Serve: …}
//		suite.Run(t)
//	}
//
// A [Provider] stands for the other side. It keeps what it is sent, and fails as a test wants it to. Conversations run on
// the engine itself, on the memory store and on SQLite; processes die at their appends. Nothing leaves the machine.
package channeltest
