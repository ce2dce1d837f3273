package goroutine_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/fermata-go/fermata/internal/goroutine"
)

// Goroutines that live at the same time have marks and numbers of their own, and keep them, however deep they go and
// on whichever thread they run.
func TestGoroutinesDiffer(t *testing.T) {
	const n = 100
	var begun, group sync.WaitGroup
	marks, ids := make([]uintptr, n), make([]uint64, n)
	begun.Add(n)
	for i := range n {
		group.Go(func() {
			marks[i], ids[i] = goroutine.Mark(), goroutine.ID()
			begun.Done()
			begun.Wait() // all are alive
			for range 10 {
				runtime.Gosched()
				deep(t, 100, marks[i], ids[i])
			}
		})
	}
	group.Wait()
	seen, known := make(map[uintptr]int), make(map[uint64]int)
	for i := range n {
		seen[marks[i]]++
		known[ids[i]]++
	}
	if len(seen) != n || len(known) != n {
		t.Errorf("%d goroutines have %d marks and %d numbers", n, len(seen), len(known))
	}
}

func deep(t *testing.T, n int, mark uintptr, id uint64) {
	var frame [256]byte // makes the stack grow, and so move
	if n > 0 {
		deep(t, n-1, mark, id)
		runtime.KeepAlive(&frame)
		return
	}
	if goroutine.Mark() != mark || goroutine.ID() != id {
		t.Errorf("it was %x %d and is %x %d", mark, id, goroutine.Mark(), goroutine.ID())
	}
}

func BenchmarkMark(b *testing.B) {
	for b.Loop() {
		if goroutine.Mark() == 0 {
			b.Fatal("no mark")
		}
	}
}
