package rank

import "slices"

// bounds are how near a text has to be.
type bounds struct {
	near  float64 // below, it is foreign
	ahead bound
	plain bound
}

// bound is what makes a class the one that is meant.
type bound struct {
	score float64 // its own, at least
	ahead float64 // which part of it the next class is behind, at least
	rest  float64 // what is left of it without the word that says most: one word proves little
}

func (b bound) allows(score, ahead, rest float64) bool {
	return score >= b.score && ahead >= b.ahead && rest >= b.rest
}

// worthAsking is which part of the best score a class needs to be asked about.
const worthAsking = 0.4

// What is calibrated, and from what.
const (
	usual            = 0.18 // bounds.near where there are no foreign texts
	lowest, highest  = 0.15, 0.25
	foreignShare     = 0.85 // the share of foreign texts that are to be below bounds.near
	leastScore       = 0.25 // of a class that is ahead
	aboveNear        = 0.05 // how far its score is above bounds.near
	leastRest        = 0.2
	mistakes         = 0.03 // the share of examples that may be ahead in a wrong class when they are ranked without themselves
	mostExamples     = 200  // that are ranked for it
	dearScore        = 0.15 // how much more a plain class needs
	dearAhead        = 0.15
	dearRest         = 0.1
	leastAhead       = 0.2
	mostAhead        = 0.5
	stepAhead        = 0.05
	minExamplesToTry = 2 // of a class, so that there is something left without one
)

// calibrate settles the bounds: from the scores of foreign texts, and from those of examples that are left out.
func (r *Ranker) calibrate() bounds {
	b := bounds{near: usual}
	if len(r.foreign) > 0 && len(r.size) > 0 {
		b.near = min(max(r.foreignScore(r.near), lowest), highest)
	}
	b.ahead = bound{score: max(leastScore, b.near+aboveNear), rest: leastRest}
	b.ahead.ahead = r.distance(b)
	b.plain = bound{b.ahead.score + dearScore, b.ahead.ahead + dearAhead, b.ahead.rest + dearRest}
	return b
}

// foreignScore is the score that most foreign texts are below.
func (r *Ranker) foreignScore(scores func(t told, without int) []float64) float64 {
	best := make([]float64, len(r.foreign))
	for i := range r.foreign {
		best[i] = slices.Max(scores(r.toldForeign(i), noText))
	}
	slices.Sort(best)
	return best[int(foreignShare*float64(len(best)))]
}

// distance is how far a class has to be ahead so that few examples are taken for those of another class.
func (r *Ranker) distance(b bounds) float64 {
	r.bounds = b
	examples := make([]int, len(r.size))
	for _, c := range r.class {
		examples[c]++
	}
	var wrong []float64 // how far the wrong class is ahead
	tried := 0
	for text := 0; text < len(r.vectors); text += 1 + len(r.vectors)/mostExamples {
		if examples[r.class[text]] < minExamplesToTry {
			continue
		}
		tried++
		v := r.toldExample(text)
		ranking, ahead, rest := r.rank(v, r.near(v, text))
		if ranking.Sure != Foreign && ranking.Classes[0].Class != int(r.class[text]) && b.ahead.allows(ranking.Classes[0].Score, ahead, rest) {
			wrong = append(wrong, ahead)
		}
	}
	for least := leastAhead; least < mostAhead; least += stepAhead {
		n := 0
		for _, ahead := range wrong {
			if ahead >= least {
				n++
			}
		}
		if float64(n) <= mistakes*float64(tried) {
			return least
		}
	}
	return mostAhead
}
