package modeltest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Embedder makes vectors of texts, as dialogue.Embedder does.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// TestEmbedder runs the tests that every embedder passes. Answers makes one that works; silent makes one whose service never ends its
// answer, and is nil where there is no service.
func TestEmbedder(t *testing.T, answers, silent func(t *testing.T) Embedder) {
	t.Run("OneVectorForEachText", func(t *testing.T) { oneVectorForEachText(t, answers(t)) })
	t.Run("NoTexts", func(t *testing.T) {
		if v, err := answers(t).Embed(t.Context(), nil); err != nil || len(v) != 0 {
			t.Errorf("no texts have %d vectors, %v", len(v), err)
		}
	})
	t.Run("Concurrent", func(t *testing.T) {
		e := answers(t)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { oneVectorForEachText(t, e) })
		}
		all.Wait()
	})
	t.Run("DoneBefore", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if v, err := answers(t).Embed(ctx, []string{"one"}); !errors.Is(err, context.Canceled) {
			t.Errorf("it answers %v, %v when nobody waits", v, err)
		}
	})
	if silent == nil {
		return
	}
	t.Run("Deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if v, err := silent(t).Embed(ctx, []string{"one"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it answers %v, %v", v, err)
		}
	})
}

// oneVectorForEachText: vectors have one length, equal texts have equal ones, and the texts stay as they are.
func oneVectorForEachText(t *testing.T, e Embedder) {
	texts := []string{"where is my parcel", "", "where is my parcel", "🙂 ça", "x\xff"}
	given := slices.Clone(texts)
	v, err := e.Embed(t.Context(), given)
	if err != nil || len(v) != len(texts) {
		t.Errorf("%d texts have %d vectors, %v", len(texts), len(v), err)
		return
	}
	for i := range v {
		if len(v[i]) == 0 || len(v[i]) != len(v[0]) {
			t.Errorf("vector %d has the length %d, and the first one %d", i, len(v[i]), len(v[0]))
		}
	}
	if diff := cmp.Diff(v[0], v[2]); diff != "" {
		t.Errorf("equal texts differ: %s", diff)
	}
	if diff := cmp.Diff(texts, given); diff != "" {
		t.Errorf("the texts are changed: %s", diff)
	}
}
