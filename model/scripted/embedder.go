package scripted

import (
	"context"
	"hash/fnv"
	"strings"
	"sync"
	"unicode"
)

// Embedder makes vectors of texts without a model: for tests. Each word has a direction of its own, and words that are listed as
// alike have one, so that texts are near to each other as far as their words mean the same. Equal texts have equal vectors.
//
//	e := scripted.NewEmbedder("parcel package shipment", "broken damaged smashed")
type Embedder struct {
	same map[string]string // by word, the first of those that mean the same

	mu    sync.Mutex
	texts []string
}

// NewEmbedder makes an embedder for which the words of each list mean the same.
func NewEmbedder(alike ...string) *Embedder {
	e := &Embedder{same: make(map[string]string)}
	for _, list := range alike {
		words := strings.Fields(list)
		for _, w := range words {
			e.same[w] = words[0]
		}
	}
	return e
}

// dimensions is the length of the vectors: so many directions that two words hardly ever share one.
const dimensions = 4096

// Embed returns a vector for each text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.texts = append(e.texts, texts...)
	e.mu.Unlock()
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, dimensions)
		v[0] = 0.1 // a text without words has a direction, too
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if first, ok := e.same[w]; ok {
				w = first
			}
			h := fnv.New32a()
			_, _ = h.Write([]byte(w)) // which never fails
			v[1+h.Sum32()%(dimensions-1)]++
		}
		vectors[i] = v
	}
	return vectors, nil
}

// Texts returns all texts of which vectors were made, in order.
func (e *Embedder) Texts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.texts...)
}
