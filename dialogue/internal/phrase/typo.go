package phrase

import "math/bits"

// longestTypo is the length in bytes beyond which no word is compared letter by letter.
const longestTypo = 32

// slips is how many slips of the pen a word of this length may have. Short words are too often one another.
func slips(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// shape is which letters a word has: two words that are k slips apart differ in at most 2k of them.
func shape(s string) uint32 {
	var m uint32
	for i := range len(s) {
		m |= 1 << (s[i] & 31)
	}
	return m
}

// slipped is how many letters were added, left out, changed or swapped with a neighbour between a word and what was
// said for it, if that is no more than such words may have. In a word of up to five letters the first is the one that
// people get right: "lend" is not said for "send".
func slipped(said string, saidShape uint32, word string, wordShape uint32) (int, bool) {
	limit := slips(min(len(said), len(word)))
	gap := len(said) - len(word)
	if limit == 0 || gap > limit || -gap > limit || max(len(said), len(word)) > longestTypo ||
		bits.OnesCount32(saidShape^wordShape) > 2*limit {
		return 0, false
	}
	if len(word) <= 5 && said[0] != word[0] && (said[0] != word[1] || said[1] != word[0]) {
		return 0, false
	}
	d := edits(said, word)
	return d, d > 0 && d <= limit
}

// edits is the Damerau-Levenshtein distance (of neighbours once swapped) in bytes: what is compared is folded, so that
// most letters are one.
func edits(a, b string) int {
	var rows [3][longestTypo + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
