// Package crypt encrypts the values that a [journal.Store] keeps. Values, questions, answers and errors are sealed before
// the store gets them, and opened when they are read.
//
//	keys, err := crypt.ParseKeys(os.Getenv("MY_KEYS")) // one or more lines "ID SECRET", the current key first
//	store, err := crypt.Wrap(inner, keys)
//
// Values are sealed by AES-256-GCM, each with a random nonce, under a key of their run that is derived from a key of the
// caller's by HKDF-SHA256. Every seal holds for one place: the run, the entry and the clear fields beside it. So a value
// that was changed, moved, cut off or planted is [journal.ErrCorrupt] and never read as another value (law J15). Stores
// sort and search by the fields that stay clear; docs/formats.md lists them.
//
// The package keeps no key, fetches none and never puts one into an error. It does not hide how much is stored, when, and
// of which nodes, and it cannot tell a store that was set back to an earlier state as a whole from one that was not.
package crypt
