package nearest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// prefixRunes is how much of a name must be there for it to count as a shortened form of another.
const prefixRunes = 3

// longest is the length in runes beyond which names are compared only as prefixes of each other.
const longest = 128

// Name returns the candidate that is closest to found, or "" if none is a likely misspelling. A likely one differs in
// case, or by up to one edit (a letter added, left out, changed or swapped with its neighbour) for every three letters,
// or one name is a prefix of the other. A candidate equal to found is never returned. Of equally close candidates the
// alphabetically first is taken, so that the answer does not depend on their order.
func Name(found string, candidates []string) string {
	best, bestCost := "", -1
	folded := strings.ToLower(found)
	for _, c := range candidates {
		if c == found || c == "" {
			continue
		}
		cost, ok := slip(folded, strings.ToLower(c))
		if !ok {
			continue
		}
		if bestCost < 0 || cost < bestCost || (cost == bestCost && c < best) {
			best, bestCost = c, cost
		}
	}
	return best
}

// Hint is the end of a sentence about an unknown name: `; did you mean "x"?`, or "".
func Hint(found string, candidates []string) string {
	name := Name(found, candidates)
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// slip reports whether a could be a slip for b, both in lower case, and how big a slip.
func slip(a, b string) (cost int, ok bool) {
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	shorter, longer := min(x, y), max(x, y)
	limit := longer / 3
	if longer <= longest && longer-shorter <= limit {
		if d := edits([]rune(a), []rune(b)); d <= limit {
			return d, true
		}
	}
	if shorter >= prefixRunes && (strings.HasPrefix(b, a) || strings.HasPrefix(a, b)) {
		return longer, true // behind every slip of the pen
	}
	return 0, false
}

// edits is the least number of letters to add, leave out, change or swap with a neighbour to make b from a.
func edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, ra := range a {
		row[0] = i + 1
		for j, rb := range b {
			change := last[j]
			if ra != rb {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && ra == b[j-1] && a[i-1] == rb {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
