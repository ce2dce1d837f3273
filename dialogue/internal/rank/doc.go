// Package rank finds the classes that a text may be about, by examples of other words.
//
// It compares the words of a text, their pieces and their neighbours with the examples of each class, and says how sure
// the result is. It needs no key, no network and no training: the examples are all it has.
//
//	r := rank.New([]rank.Class{{Examples: []string{"block my card", "my card was stolen"}}, {Examples: []string{"close my account"}}}, options)
//	found := r.Rank("somebody has stolen my cards") // class 0, and how plainly
//
// The answers depend on the arguments alone, so equal texts have equal answers. How near a text has to be is calibrated
// when the classes are compiled: from texts that are about none of them, and from each example that is ranked without
// itself (ADR 078).
//
// The package never decides what is done about a ranking. It knows no language, no dialogue and no flow.
package rank
