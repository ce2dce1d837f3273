// Package journaltest is the suite that every store passes, and a store that fails on purpose.
//
// A store's test is one line:
//
//	func TestStore(t *testing.T) {
//		journaltest.Run(t, func(t *testing.T) journal.Store { return memory.New() })
//	}
//
// A store that outlives its process says more, see [Options] and [RunWith]. [Faulty] wraps any store and makes the
// n-th append or read fail, before it has an effect or after: what is built on stores is tested with it.
package journaltest
