// Package modeltest is the tests that every provider of models passes: [Test] runs them. Those of
// embedders are [TestEmbedder]. A [Server] replays recorded
// answers to providers that ask over HTTP, whole, drop by drop, or cut off.
//
//	func TestProvider(t *testing.T) {
//		modeltest.Test(t, modeltest.Provider{Text: …, Calls: …, Endless: …, Fails: …})
//	}
//
// It asks no service on the network, and knows no provider.
package modeltest
