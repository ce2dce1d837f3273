package dialogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/rank"
	"github.com/fermata-go/fermata/node"
)

// Embedder makes vectors of texts: those of texts that mean alike are near to each other. The ranker compares messages with
// flows by them. It must be safe for concurrent use; equal texts should have equal vectors.
type Embedder interface {
	// Embed returns a vector for each text, in their order, all of one length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const (
	defaultEmbedTimeout = 2 * time.Second
	embedBatch          = 64 // texts in a call
)

// nearness is what an embedder and the ranker together say of a message. It is the recorded value of a step: an embedder that
// answers otherwise later changes nothing (law N10). It has names and no places, which a later version of the dialogue may change.
type nearness struct {
	Sure   rank.Sureness `json:"sure"`
	Near   []nearFlow    `json:"near,omitempty"`
	Failed string        `json:"failed,omitempty"` // why words alone count
}

type nearFlow struct {
	Flow  string  `json:"flow,omitempty"`
	Chat  string  `json:"chat,omitempty"` // the answer of small talk, where it is that
	Score float64 `json:"score"`
}

// embedded are the vectors of one embedder for a dialogue's texts, which a process asks for once.
type embedded struct {
	by func() (Embedder, error) // finds the embedder, once

	mu      sync.Mutex
	vectors map[string][]float32
	rankers map[*flowRanker]*rank.Ranker
}

// nearbyTurn asks an embedder about a message, once.
type nearbyTurn struct {
	ctx   node.Context
	by    *Services
	known *embedded
	asked map[string]nearness
	err   error // ends the node: it was interrupted
}

// nearbyOf prepares a turn for the program's embedder, or for the one that the dialogue names; nil where there is none.
func (d *Dialogue) nearbyOf(ctx node.Context) *nearbyTurn {
	given, err := node.Service[*Services](ctx)
	if err != nil || given == nil {
		given = &d.defaults
	}
	if given.Embedder == nil && d.settings.Embedder == "" {
		return nil
	}
	known, _ := d.phrases.embedded.LoadOrStore(given, &embedded{
		by: sync.OnceValues(func() (Embedder, error) { return given.embedder(d.settings.Embedder) }), vectors: make(map[string][]float32), rankers: make(map[*flowRanker]*rank.Ranker),
	})
	return &nearbyTurn{ctx: ctx, by: given, known: known.(*embedded), asked: make(map[string]nearness)}
}

// embedder is the program's, or the one of a name.
func (s *Services) embedder(name string) (Embedder, error) {
	switch {
	case s.Embedder != nil:
		return s.Embedder, nil
	case s.Embedders == nil:
		return nil, fmt.Errorf("the program finds no embedders, and the dialogue names %q: set Services.Embedders", name)
	}
	return s.Embedders(name)
}

// ranked is the ranking of a message: with the embedder where there is one that answers in time, and else by its words.
// What answers a question for a private slot is shown to no embedder.
func (t *Turn) ranked(r *flowRanker, text string) rank.Ranking {
	n := t.nearby
	if n == nil || t.asksPrivate() || n.err != nil {
		return r.Rank(text)
	}
	found, err := n.ask(r, t.withoutPrivate(text))
	switch {
	case err != nil:
		n.err = err
		return rank.Ranking{}
	case found.Failed != "":
		n.err = t.Dialogue.tell(n.ctx, nil, "words alone rank the message: %s", t.withoutPrivate(found.Failed))
		return r.Rank(text)
	}
	out := rank.Ranking{Sure: found.Sure}
	for _, near := range found.Near {
		at := slices.Index(r.meant, meaning{flow: near.Flow, chat: near.Chat})
		if at < 0 {
			return r.Rank(text) // another version of the dialogue had it
		}
		out.Classes = append(out.Classes, rank.Ranked{Class: at, Score: near.Score})
	}
	return out
}

// ask asks the embedder in a step.
func (n *nearbyTurn) ask(r *flowRanker, text string) (nearness, error) {
	if known, ok := n.asked[text]; ok {
		return known, nil
	}
	if err := node.Sync(n.ctx); err != nil {
		return nearness{}, err
	}
	found, err := node.Step(n.ctx, "embed", func(ctx node.Context) (nearness, error) {
		limit := n.by.EmbedTimeout
		if limit <= 0 {
			limit = defaultEmbedTimeout
		}
		limited, cancel := context.WithTimeout(ctx.Context, limit)
		defer cancel()
		ranking, err := n.known.rank(limited, r, text)
		switch {
		case ctx.Err() != nil:
			return nearness{}, ctx.Err()
		case limited.Err() != nil:
			return nearness{Failed: fmt.Sprintf("the embedder has not answered within %v", limit)}, nil
		case err != nil:
			return nearness{Failed: reasonOf(err)}, nil
		}
		out := nearness{Sure: ranking.Sure}
		for _, c := range ranking.Classes {
			out.Near = append(out.Near, nearFlow{Flow: r.meant[c.Class].flow, Chat: r.meant[c.Class].chat, Score: c.Score})
		}
		return out, nil
	})
	if err == nil {
		n.asked[text] = found
	}
	return found, err
}

// rank ranks a message by its words and by vectors. The first messages of a process make those of the dialogue's texts; what
// was made in one is kept for the next.
func (e *embedded) rank(ctx context.Context, r *flowRanker, text string) (rank.Ranking, error) {
	by, err := e.by()
	if err != nil {
		return rank.Ranking{}, err
	}
	if !e.mu.TryLock() {
		return rank.Ranking{}, errors.New("the embedder is being asked for the dialogue's own texts")
	}
	ranker, err := e.prepared(ctx, by, r)
	e.mu.Unlock()
	if err != nil {
		return rank.Ranking{}, err
	}
	vectors, err := vectorsOf(ctx, by, []string{text})
	if err != nil {
		return rank.Ranking{}, err
	}
	return ranker.RankVector(text, vectors[0]), nil
}

// prepared is the ranker with vectors of its texts.
func (e *embedded) prepared(ctx context.Context, by Embedder, r *flowRanker) (*rank.Ranker, error) {
	if ranker := e.rankers[r]; ranker != nil {
		return ranker, nil
	}
	texts := r.Texts()
	var missing []string
	for _, text := range texts {
		if e.vectors[text] == nil && !slices.Contains(missing, text) {
			missing = append(missing, text)
		}
	}
	for batch := range slices.Chunk(missing, embedBatch) {
		vectors, err := vectorsOf(ctx, by, batch)
		if err != nil {
			return nil, err
		}
		for i, text := range batch {
			e.vectors[text] = vectors[i]
		}
	}
	all := make([][]float32, len(texts))
	for i, text := range texts {
		all[i] = e.vectors[text]
	}
	ranker, err := r.WithVectors(all)
	if err != nil {
		return nil, fmt.Errorf("the vectors do not tell flows apart: %w", err)
	}
	const most = 32 // rankers: there is one for each set of flows that can be begun
	if len(e.rankers) >= most {
		clear(e.rankers)
	}
	e.rankers[r] = ranker
	return ranker, nil
}

// vectorsOf asks an embedder, whatever it does.
func vectorsOf(ctx context.Context, by Embedder, texts []string) (vectors [][]float32, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the embedder panicked: %v", p)
		}
	}()
	vectors, err = by.Embed(ctx, texts)
	if err == nil && (len(vectors) != len(texts) || slices.ContainsFunc(vectors, func(v []float32) bool { return len(v) == 0 })) {
		err = fmt.Errorf("the embedder gave %d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors, err
}
