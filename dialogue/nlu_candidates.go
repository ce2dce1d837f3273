package dialogue

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// candidates are the flows that a turn may be about: those that are going on, and of the others the ones whose
// descriptions, triggers and slots have most words of what was said. Rare words count more (BM25); equal ones are in
// declared order.
func (t *Turn) candidates(most int) []*flow {
	var active, others []*flow
	for _, f := range t.Dialogue.order {
		switch {
		case slices.Contains(t.Active, f.Name):
			active = append(active, f)
		case !f.Hidden:
			others = append(others, f)
		}
	}
	if len(others) > most {
		others = t.Dialogue.vocab.nearest(t.Text, others)[:most]
	}
	return append(active, others...)
}

// Candidates returns the flows that the turn may be about, for NLUs that cannot look at all of them. They are those that
// are going on, and at most so many others: those whose words are nearest to the message.
func (t *Turn) Candidates(most int) []string {
	var names []string
	for _, f := range t.candidates(most) {
		names = append(names, f.Name)
	}
	return names
}

// vocabulary is which words flows are written with.
type vocabulary struct {
	of    map[string]map[string]int // flow -> word -> how often
	flows map[string]int            // word -> in how many flows
	size  map[string]float64        // flow -> how many words, over the mean
}

func newVocabulary(flows []*flow) *vocabulary {
	v := &vocabulary{of: make(map[string]map[string]int), flows: make(map[string]int), size: make(map[string]float64)}
	total := 0.0
	for _, f := range flows {
		text := []string{f.Name, f.Description, strings.Join(f.Trigger, " ")}
		for _, sl := range f.order {
			text = append(text, sl.name, sl.Description)
			for _, c := range sl.Choices {
				text = append(append(text, c.Value), c.Synonyms...)
			}
		}
		counts := make(map[string]int)
		for _, w := range stems(strings.Join(text, " ")) {
			counts[w]++
			v.size[f.Name]++
			total++
		}
		for w := range counts {
			v.flows[w]++
		}
		v.of[f.Name] = counts
	}
	for name := range v.size {
		v.size[name] *= float64(len(flows)) / total
	}
	return v
}

// nearest orders flows by how near they are to a text.
func (v *vocabulary) nearest(text string, flows []*flow) []*flow {
	said := stems(text)
	score := make(map[*flow]float64, len(flows))
	for _, f := range flows {
		for _, w := range said {
			const saturation, length = 1.2, 0.5
			n := float64(v.of[f.Name][w])
			if n == 0 {
				continue
			}
			in := float64(v.flows[w])
			rare := math.Log(1 + (float64(len(v.of))-in+0.5)/(in+0.5))
			score[f] += rare * n * (saturation + 1) / (n + saturation*(1-length+length*v.size[f.Name]))
		}
	}
	flows = slices.Clone(flows)
	slices.SortStableFunc(flows, func(a, b *flow) int { return cmp.Compare(score[b], score[a]) })
	return flows
}

// stems are the words of a text, small and without the commonest endings.
func stems(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, w := range words {
		for _, end := range []string{"s", "ing", "ed", "e"} {
			if short := strings.TrimSuffix(w, end); len(short) > 2 {
				w = short
			}
		}
		words[i] = w
	}
	return words
}
