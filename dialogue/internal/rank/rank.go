package rank

import (
	"cmp"
	"slices"
)

// Word is a word of a text.
type Word struct {
	Text   string  // as it is compared: without case and accents
	Stem   string  // the word without its endings; one stem for words that mean the same
	Weight float64 // how much it says, from 0 to 1: 1 for a word with a meaning of its own, less for an article
	Turns  bool    // it turns the meaning of others round: "not"
	Known  bool    // it is a word of the language, and no slip for another one
}

// Class is something that texts may be about.
type Class struct {
	Examples []string // what is said for it
	About    []string // what it is called, and what it is described with
}

// Options say how texts are read. Words is needed.
type Options struct {
	// Words splits a text. Several goroutines may call it at once.
	Words func(text string) []Word
	// Foreign are texts about none of the classes, some hundred of them. A few that are about one after all do no harm.
	// They settle how near a text has to be. Defaults to none: a fixed bound counts.
	Foreign []string
}

// Sureness is how plainly a text is about the first class of a ranking.
type Sureness int

// The degrees of sureness, in order.
const (
	Foreign Sureness = iota // the text is about none of the classes
	Near                    // it may be about one of those that are ranked
	Torn                    // the first class is ahead, but a word speaks for another one
	Ahead                   // the first class is clearly ahead
	Plain                   // so clearly that it counts where an error is dear
)

// Ranked is a class and how near a text is to it.
type Ranked struct {
	Class int     // its index
	Score float64 // from 0 to 1
}

// Ranking is the classes that a text may be about, the nearest first. There are at most three, and none for a foreign text.
type Ranking struct {
	Sure    Sureness
	Classes []Ranked
}

// most is how many classes a ranking has: people can choose among that many.
const most = 3

// Ranker orders classes by how near a text is to them. It does not change: any number of goroutines may use one.
type Ranker struct {
	words   func(string) []Word
	space   space
	class   []int32           // by example: its class
	about   []bool            // by example: it names or describes the class, and nobody says it
	heavy   [][]int32         // by example: the stems of its words with a meaning of their own
	vectors [][]feature       // by example
	inTexts [][]entry         // by feature: the examples that have it
	inMeans [][]entry         // by feature: the classes that have it, in order
	size    []float64         // by class: the length of the sum of its examples
	turns   []map[string]bool // by class: the words of its examples that turn
	spelled spelling          // of the words of all examples
	bounds  bounds

	texts, foreign []string  // see Texts
	meanings       *meanings // of the texts; nil where words alone count
}

// entry is an example or a class that has a feature, and how much of it.
type entry struct {
	of     int32
	weight float64
}

// New prepares classes to be compared with texts. Equal arguments make equal rankers.
func New(classes []Class, o Options) *Ranker {
	r := &Ranker{words: o.Words, space: newSpace(), size: make([]float64, len(classes)), turns: make([]map[string]bool, len(classes))}
	for c, class := range classes {
		r.turns[c] = make(map[string]bool)
		for i, text := range slices.Concat(class.Examples, class.About) {
			words := r.words(text)
			r.spelled.learn(words)
			r.texts = append(r.texts, text)
			r.vectors = append(r.vectors, r.space.features(words, true))
			r.heavy = append(r.heavy, r.space.heavy(words))
			r.class, r.about = append(r.class, int32(c)), append(r.about, i >= len(class.Examples))
			for _, w := range words {
				if w.Turns {
					r.turns[c][w.Stem] = true
				}
			}
		}
	}
	r.space.weigh(r.vectors, r.class, len(classes))
	r.index()
	r.foreign = o.Foreign
	r.bounds = r.calibrate()
	return r
}

// said is the words of a text, without slips of the pen.
func (r *Ranker) said(text string) []Word { return r.spelled.mend(r.words(text)) }

// turned reports whether a text says the contrary of what is said for a class.
func (r *Ranker) turned(words []Word, class int) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return w.Turns && !r.turns[class][w.Stem] })
}

// index lists examples and classes by the features that they have.
func (r *Ranker) index() {
	n := len(r.space.rarity)
	r.inTexts, r.inMeans = make([][]entry, n), make([][]entry, n)
	add := func(to *[]entry, of int32, weight float64) {
		if last := len(*to) - 1; last >= 0 && (*to)[last].of == of {
			(*to)[last].weight += weight
			return
		}
		*to = append(*to, entry{of, weight})
	}
	for text, v := range r.vectors {
		for _, f := range v {
			add(&r.inTexts[f.id], int32(text), f.weight)
			add(&r.inMeans[f.id], r.class[text], f.weight)
		}
	}
	for _, list := range r.inMeans {
		for _, e := range list {
			r.size[e.of] += e.weight * e.weight
		}
	}
}

// Rank orders the classes that a text may be about.
func (r *Ranker) Rank(text string) Ranking { return r.RankVector(text, nil) }

// RankVector orders the classes that a text may be about by its words and its vector. Without a vector, or where the ranker has
// no meanings, words alone count.
func (r *Ranker) RankVector(text string, vector []float32) Ranking {
	words := r.said(text)
	v := told{r.space.unit(r.space.features(words, false)), r.space.heavy(words), r.meanings.unit(vector)}
	ranking, ahead, rest := r.rank(v, r.near(v, noText))
	switch {
	case ranking.Sure == Foreign:
	case r.turned(words, ranking.Classes[0].Class): // "I do not want to close my account"
	case r.bounds.plain.allows(ranking.Classes[0].Score, ahead, rest):
		ranking.Sure = Plain
	case r.bounds.ahead.allows(ranking.Classes[0].Score, ahead, rest):
		ranking.Sure = Ahead
	}
	if ranking.Sure >= Ahead && r.torn(v, ranking, ahead) {
		ranking.Sure = Torn
	}
	return ranking
}

// Order is all classes, the nearest first; of equals the one that was given first.
func (r *Ranker) Order(text string) []int {
	scores := r.scores(r.space.unit(r.space.features(r.said(text), false)), noText)
	all := make([]int, len(scores))
	for c := range all {
		all[c] = c
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return all
}

// rank is the classes with the best scores; which part of the first score the second is behind it; and what is left of
// the first score without the word that says most.
func (r *Ranker) rank(v told, scores []float64) (ranking Ranking, ahead, rest float64) {
	var best [most]Ranked
	for c, s := range scores {
		for i := range best {
			if s > best[i].Score {
				copy(best[i+1:], best[i:])
				best[i] = Ranked{c, s}
				break
			}
		}
	}
	first := best[0]
	if first.Score == 0 || first.Score < r.bounds.near {
		return Ranking{}, 0, 0
	}
	ranking.Sure = Near
	for _, other := range best {
		if other.Score >= worthAsking*first.Score {
			ranking.Classes = append(ranking.Classes, other)
		}
	}
	return ranking, 1 - best[1].Score/first.Score, first.Score - r.strongest(v, first.Class)
}

// torn reports whether a word with a meaning of its own speaks for another class that a text may be about and not for the first, which is
// not far ahead: "delete" in "delete all my alarms" where alarms are shown.
func (r *Ranker) torn(v told, ranking Ranking, ahead float64) bool {
	return ahead < farAhead && slices.ContainsFunc(v.heavy, func(stem int32) bool {
		return !r.has(ranking.Classes[0], stem) && slices.ContainsFunc(ranking.Classes[1:], func(other Ranked) bool { return r.has(other, stem) })
	})
}

// has reports whether an example of a class has a feature.
func (r *Ranker) has(class Ranked, feature int32) bool {
	_, found := r.ofClass(class.Class, feature)
	return found
}

// ofClass is how much of a feature the examples of a class have.
func (r *Ranker) ofClass(class int, feature int32) (weight float64, found bool) {
	list := r.inMeans[feature]
	at, found := slices.BinarySearchFunc(list, int32(class), func(e entry, c int32) int { return cmp.Compare(e.of, c) })
	if found {
		weight = list[at].weight
	}
	return weight, found
}
