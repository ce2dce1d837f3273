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
	lowest, highest  = 0.12, 0.25
	fewForeign       = 0.85 // bounds.near: the share of foreign texts that are to be below it,
	leastForeign     = 0.75 // the share that are to be below it in any case,
	ownShare         = 0.1  // and the share of examples that may be below it when they are ranked without themselves
	leastScore       = 0.25 // of a class that is ahead
	aboveNear        = 0.05 // how far its score is above bounds.near
	leastRest        = 0.2
	farAhead         = 0.4  // how far a class has to be ahead where a word speaks for another one
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
	tried := r.leftOut()
	if len(r.foreign) > 0 && len(r.size) > 0 {
		b.near = r.foreignScore(r.near, fewForeign)
		if own := r.ownScore(tried); own < b.near { // the foreign texts are about what the classes are about
			b.near = max(own, r.foreignScore(r.near, leastForeign))
		}
		b.near = min(max(b.near, lowest), highest)
	}
	b.ahead = bound{score: max(leastScore, b.near+aboveNear), rest: leastRest}
	b.ahead.ahead = r.distance(b, tried)
	b.plain = bound{b.ahead.score + dearScore, b.ahead.ahead + dearAhead, b.ahead.rest + dearRest}
	return b
}

// foreignScore is the score that a share of the foreign texts are below.
func (r *Ranker) foreignScore(scores func(t told, without int) []float64, share float64) float64 {
	best := make([]float64, len(r.foreign))
	for i := range r.foreign {
		best[i] = slices.Max(scores(r.toldForeign(i), noText))
	}
	slices.Sort(best)
	return best[int(share*float64(len(best)))]
}

// ownScore is the score that few examples are below, for their own class, when they are left out.
func (r *Ranker) ownScore(tried []int) float64 {
	var own []float64
	for _, text := range tried {
		own = append(own, r.near(r.toldExample(text), text)[r.class[text]])
	}
	if len(own) == 0 {
		return highest
	}
	slices.Sort(own)
	return own[int(ownShare*float64(len(own)))]
}

// leftOut are the examples that are ranked without themselves. What a class is called and described with is none: nobody says it.
func (r *Ranker) leftOut() (texts []int) {
	examples := make([]int, len(r.size))
	for _, c := range r.class {
		examples[c]++
	}
	for text := 0; text < len(r.vectors); text += 1 + len(r.vectors)/mostExamples {
		if examples[r.class[text]] >= minExamplesToTry && !r.about[text] {
			texts = append(texts, text)
		}
	}
	return texts
}

// distance is how far a class has to be ahead so that few examples are taken for those of another class.
func (r *Ranker) distance(b bounds, tried []int) float64 {
	r.bounds = b
	var wrong []float64 // how far the wrong class is ahead
	for _, text := range tried {
		v := r.toldExample(text)
		ranking, ahead, rest := r.rank(v, r.near(v, text))
		if ranking.Sure != Foreign && ranking.Classes[0].Class != int(r.class[text]) && b.ahead.allows(ranking.Classes[0].Score, ahead, rest) && !r.torn(v, ranking, ahead) {
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
		if float64(n) <= mistakes*float64(len(tried)) {
			return least
		}
	}
	return mostAhead
}
