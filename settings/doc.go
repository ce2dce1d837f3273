// Package settings keeps small documents beside the runs of a store, such as the tokens of a server.
//
//	s := settings.New(store, settings.Options{})
//	doc, err := s.Put(ctx, "limit", "refunds", 0, settings.Change{Value: []byte(`{"most": 100}`), By: "ada", Why: "audit"})
//	doc, err = s.Put(ctx, "limit", "refunds", doc.Seq, settings.Change{Value: []byte(`{"most": 50}`), By: "bob"})
//
// A document is a journal beside those of runs, hidden from lists of runs as the journals of definitions are. So every store carries
// settings, and each change is an entry with its author, time and reason (law W4). Of two changes that know the same version, one is
// a conflict (law J3).
//
// The package keeps no secrets: those who read the store read its documents, unless the store is sealed. It caches nothing, and
// tells nobody of changes.
package settings
