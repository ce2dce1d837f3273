// Package phrase understands people without a language model, and holds what they are told.
//
// It finds which of some phrases an utterance is an example of, which values it holds, whether it is a yes or a no, and
// which of the things everybody says ("never mind", "what did you say") it is. A [Language] has the words for that, and
// the messages that people are told in it, by key.
//
//	m, err := phrase.Compile([]phrase.Phrase{{ID: 1, Text: "transfer {amount} to {payee}"}}, slots, nil, locale)
//	best := m.Match("please transfer fifty euros to Zoë", now)[0] // ID 1; amount 50, payee "Zoë"
//
// A phrase is words with {placeholders}, [optional words] and (either|or) alternatives. Case, accents, punctuation and
// look-alike letters do not matter for its words, and long words may be misspelt.
//
// The answers depend on the arguments alone: there is no model, no network, no clock and no state that a call leaves
// behind, so that a conversation that is replayed is understood as it was. Any bytes may be said: an utterance that is
// not UTF-8 is read as far as it is, and of a long one the first 160 words, numbers and marks of the first 16 KiB are
// looked at, and the first 64 words compared with phrases (a text value at its end still goes on to the end). A value that
// cannot be what was asked for has a Reason, and no doubtful answer is a yes.
//
// The package never decides. It knows no flow, no dialogue and no order of precedence between what it finds; scores are
// for its callers to compare.
package phrase
