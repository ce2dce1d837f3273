package rank

import (
	"cmp"
	"math"
	"slices"
)

// How features count. The figures behind them are in ADR 078.
const (
	shortest, longest = 3, 4 // letters of the pieces of words, whose ends count as letters
	pairWeight        = 0.6  // of two words that follow each other
	carries           = 0.5  // the weight from which on a word is compared in pieces, too
)

// space is the features that texts are compared in: stems of words, pieces of words, and stems that follow each other.
type space struct {
	stems  map[string]int32
	pieces map[string]int32
	pairs  map[[2]int32]int32
	rarity []float64 // by feature: how much it tells classes apart
	unseen float64   // the rarity of a feature that no example has
}

// feature is one of a text.
type feature struct {
	id     int32 // -1 for one that no example has
	word   int32 // the place of the first word that has it; -1 for one of two words, or of a word that says little
	weight float64
}

func newSpace() space {
	return space{stems: make(map[string]int32), pieces: make(map[string]int32), pairs: make(map[[2]int32]int32)}
}

// features are those of some words. New ones get an id where they are to be learnt.
func (s *space) features(words []Word, learn bool) []feature {
	all := make([]feature, 0, 16*len(words))
	last, before := int32(-1), 0.0
	var padded []byte
	for i, w := range words {
		id := lookUp(s, s.stems, w.Stem, learn)
		word := int32(i)
		if w.Weight < 1 {
			word = -1
		}
		all = append(all, feature{id, word, w.Weight})
		if i > 0 {
			pair := lookUp(s, s.pairs, [2]int32{last, id}, learn)
			all = append(all, feature{pair, -1, pairWeight * math.Sqrt(w.Weight*before)})
		}
		last, before = id, w.Weight
		if w.Weight < carries {
			continue
		}
		padded = append(append(append(padded[:0], '^'), w.Text...), '$')
		n := 0
		for size := shortest; size <= longest; size++ {
			n += max(0, len(padded)-size+1)
		}
		each := w.Weight / math.Sqrt(float64(n))
		for size := shortest; size <= longest; size++ {
			for k := 0; k+size <= len(padded); k++ {
				id, known := s.pieces[string(padded[k:k+size])]
				if !known {
					id = lookUp(s, s.pieces, string(padded[k:k+size]), learn)
				}
				all = append(all, feature{id, word, each})
			}
		}
	}
	return all
}

// heavy are the stems of words that have a meaning of their own and that examples have.
func (s *space) heavy(words []Word) (stems []int32) {
	for _, w := range words {
		if id, known := s.stems[w.Stem]; known && w.Weight >= 1 {
			stems = append(stems, id)
		}
	}
	return stems
}

// lookUp is the id of a feature; -1 for one that is not known and not to be learnt.
func lookUp[K comparable](s *space, ids map[K]int32, key K, learn bool) int32 {
	id, known := ids[key]
	switch {
	case known:
		return id
	case !learn:
		return -1
	}
	id = int32(len(s.rarity))
	ids[key] = id
	s.rarity = append(s.rarity, 0)
	return id
}

// weigh settles how rare features are, by the number of classes that have them, and brings all texts to length 1.
func (s *space) weigh(texts [][]feature, class []int32, classes int) {
	having := make([]float64, len(s.rarity))
	last := make([]int32, len(s.rarity))
	for text, v := range texts {
		for _, f := range v {
			if c := class[text] + 1; last[f.id] != c {
				last[f.id] = c
				having[f.id]++
			}
		}
	}
	rare := func(n float64) float64 { return math.Log(1 + (float64(classes)-n+0.5)/(n+0.5)) }
	for id, n := range having {
		s.rarity[id] = rare(n)
	}
	s.unseen = rare(1)
	for text, v := range texts {
		texts[text] = s.unit(v)
	}
}

// unit weighs the features of a text by how rare they are, and brings it to length 1. Features that no example has count
// in its length: a text with many of them is near to nothing.
func (s *space) unit(all []feature) []feature {
	slices.SortStableFunc(all, func(a, b feature) int { return cmp.Compare(a.id, b.id) })
	sum := 0.0
	kept := all[:0]
	for _, f := range all {
		if f.id < 0 {
			f.weight *= s.unseen
			sum += f.weight * f.weight
			continue
		}
		if last := len(kept) - 1; last >= 0 && kept[last].id == f.id {
			kept[last].weight += f.weight
			continue
		}
		kept = append(kept, f)
	}
	for i, f := range kept {
		kept[i].weight *= s.rarity[f.id]
		sum += kept[i].weight * kept[i].weight
	}
	for i := range kept {
		if sum > 0 {
			kept[i].weight /= math.Sqrt(sum)
		}
	}
	return kept
}
