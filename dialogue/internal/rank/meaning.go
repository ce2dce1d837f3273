package rank

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A model of meanings makes vectors of texts: those that mean alike are near to each other, whatever their words are. Its scores
// have a scale of their own, so they are brought to that of words: by what most foreign texts have, and by what most examples
// have for their own class when they are left out. Then each half counts as much, and all bounds are calibrated again.

// byMeaning is how much of a score is that of meanings.
const byMeaning = 0.5

// told is a text as it is compared.
type told struct {
	features []feature
	heavy    []int32   // the stems of its words with a meaning of their own
	vector   []float32 // of length 1; nil where words alone count
}

// meanings are the vectors of the texts of a ranker.
type meanings struct {
	examples, foreign [][]float32 // of length 1
	sums              [][]float64 // by class: of its examples
	shift, scale      float64     // bring a score to the scale of words
}

// Texts returns the texts of which a model of meanings makes vectors, in the order of WithVectors.
func (r *Ranker) Texts() []string { return slices.Concat(r.texts, r.foreign) }

// WithVectors returns a ranker that knows what texts mean: vectors are those of Texts. It fails where they are not alike, or do
// not tell examples from foreign texts.
func (r *Ranker) WithVectors(vectors [][]float32) (*Ranker, error) {
	if len(vectors) != len(r.texts)+len(r.foreign) || len(vectors) == 0 {
		return nil, fmt.Errorf("expected %d vectors, found %d", len(r.texts)+len(r.foreign), len(vectors))
	}
	m := &meanings{scale: 1}
	all := make([][]float32, len(vectors))
	for i, v := range vectors {
		if all[i] = unitVector(v); all[i] == nil || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("vector %d of %d: expected %d finite numbers that are not all 0", i+1, len(vectors), len(vectors[0]))
		}
	}
	m.examples, m.foreign = all[:len(r.texts)], all[len(r.texts):]
	m.sums = make([][]float64, len(r.size))
	for c := range m.sums {
		m.sums[c] = make([]float64, len(vectors[0]))
	}
	for i, v := range m.examples {
		for k, x := range v {
			m.sums[r.class[i]][k] += float64(x)
		}
	}
	with := *r
	with.meanings = m
	if err := with.align(); err != nil {
		return nil, err
	}
	with.bounds = with.calibrate()
	return &with, nil
}

// align settles how scores of meanings are brought to the scale of words.
func (r *Ranker) align() error {
	if len(r.foreign) == 0 {
		return errors.New("there are no foreign texts to compare with")
	}
	own := func(scores func(t told, without int) []float64) float64 {
		var all []float64
		for i, c := range r.class {
			all = append(all, scores(r.toldExample(i), i)[c])
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	words := func(t told, without int) []float64 { return r.scores(t.features, without) }
	means := func(t told, without int) []float64 { return r.meanings.scores(r, t.vector, without) }
	far, near := r.foreignScore(means, fewForeign), own(means)
	const least = 0.02
	if !(near-far > least) {
		return fmt.Errorf("examples (%.3f) are no nearer to their classes than foreign texts are (%.3f)", near, far)
	}
	r.meanings.scale = (own(words) - r.foreignScore(words, fewForeign)) / (near - far)
	r.meanings.shift = r.foreignScore(words, fewForeign) - far*r.meanings.scale
	return nil
}

// near is how near a text is to each class, by words and, where there are any, by meanings.
func (r *Ranker) near(t told, without int) []float64 {
	all := r.scores(t.features, without)
	if r.meanings == nil || t.vector == nil {
		return all
	}
	for c, s := range r.meanings.scores(r, t.vector, without) {
		aligned := min(max(s*r.meanings.scale+r.meanings.shift, 0), 1)
		all[c] = (1-byMeaning)*all[c] + byMeaning*aligned
	}
	return all
}

// scores is how near the vector of a text is to each class, as scores of words are made: see Ranker.scores.
func (m *meanings) scores(r *Ranker, v []float32, without int) []float64 {
	nearest, means := make([]float64, len(m.sums)), make([]float64, len(m.sums))
	for i, e := range m.examples {
		if i != without {
			nearest[r.class[i]] = max(nearest[r.class[i]], dot(v, e))
		}
	}
	for c, sum := range m.sums {
		product, size := 0.0, 0.0
		for k, x := range sum {
			if without != noText && int(r.class[without]) == c {
				x -= float64(m.examples[without][k])
			}
			product += x * float64(v[k])
			size += x * x
		}
		if product > 0 && size > 0 {
			means[c] = product / math.Sqrt(size)
		}
		means[c] = (1-middle)*nearest[c] + middle*means[c]
	}
	return means
}

func (r *Ranker) toldExample(i int) told {
	t := told{features: r.vectors[i], heavy: r.heavy[i]}
	if r.meanings != nil {
		t.vector = r.meanings.examples[i]
	}
	return t
}

func (r *Ranker) toldForeign(i int) told {
	t := told{features: r.space.unit(r.space.features(r.said(r.foreign[i]), false))}
	if r.meanings != nil {
		t.vector = r.meanings.foreign[i]
	}
	return t
}

// unit is a vector of length 1 that can be compared with those of the texts; nil for one that cannot.
func (m *meanings) unit(v []float32) []float32 {
	if m == nil || len(m.examples) == 0 || len(v) != len(m.examples[0]) {
		return nil
	}
	return unitVector(v)
}

func unitVector(v []float32) []float32 {
	size := math.Sqrt(dot(v, v))
	if size == 0 || math.IsNaN(size) || math.IsInf(size, 0) {
		return nil
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / size)
	}
	return out
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
