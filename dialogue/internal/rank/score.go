package rank

import "math"

// middle is how much all examples of a class together count in its score; the rest is its nearest example.
const middle = 0.7

// leastWord is how much the word that says most has to bring of a score.
const leastWord = 0.04

// noText is in the place of an example that is left out.
const noText = -1

// scores is how near a text is to each class. An example of the classes may be left out: then it is the text.
func (r *Ranker) scores(v []feature, without int) []float64 {
	texts, means := make([]float64, len(r.class)), make([]float64, len(r.size))
	for _, f := range v {
		for _, e := range r.inTexts[f.id] {
			texts[e.of] += f.weight * e.weight
		}
		for _, e := range r.inMeans[f.id] {
			means[e.of] += f.weight * e.weight
		}
	}
	nearest := make([]float64, len(r.size))
	for text, s := range texts {
		if text != without {
			nearest[r.class[text]] = max(nearest[r.class[text]], s)
		}
	}
	for c, sum := range means {
		size := r.size[c]
		if without != noText && int(r.class[without]) == c { // of the sum without it: |S-t|² = |S|² - 2St + |t|², and (S-t)t = St - |t|²
			size += texts[without] - 2*sum
			sum -= texts[without]
		}
		mean := 0.0
		if sum > 0 && size > 0 {
			mean = min(1, sum/math.Sqrt(size))
		}
		means[c] = (1-middle)*nearest[c] + middle*mean
	}
	return means
}

// strongest is how much of a class's score the word brings that says most, of those with a meaning of their own; infinite where none does.
func (r *Ranker) strongest(t told, class int) float64 {
	v := t.features
	if r.size[class] == 0 {
		return 0
	}
	var byWord []float64
	for _, f := range v {
		weight, found := r.ofClass(class, f.id)
		if !found || f.word < 0 {
			continue
		}
		for len(byWord) <= int(f.word) {
			byWord = append(byWord, 0)
		}
		byWord[f.word] += f.weight * weight
	}
	strongest := 0.0
	for _, sum := range byWord {
		strongest = max(strongest, sum)
	}
	strongest *= middle / math.Sqrt(r.size[class])
	if strongest < leastWord && t.vector == nil {
		return math.Inf(1) // small words bring the score: "what is" begins nothing
	}
	if t.vector != nil {
		return strongest * (1 - byMeaning) // words are a part of the score alone
	}
	return strongest
}
