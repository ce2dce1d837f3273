package redis

import (
	"context"
	"sync"

	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

const (
	// trips is how many round trips with appends are on their way at once. More of them wait less for each other, and share
	// less.
	trips = 2
	// maxShared is how many appends share a round trip.
	maxShared = 128
)

// group has appends of runs that go on at once share round trips: while some are on their way, others gather, and go
// together. Each is an append of its own, with its own fence; a run waits for its append before it makes another. Who
// comes when nothing is on its way waits for nobody.
type group struct {
	mu      sync.Mutex
	under   int // round trips that are on their way
	waiting []*sending
}

// sending is an append that is on its way to the server.
type sending struct {
	keys []string
	args []any
	lead chan []*sending // has it take these along, itself among them; closed when somebody else has taken it along

	said []string
	err  error
}

// send makes an append, with others where there are any.
func (s *Store) send(keys []string, args []any) ([]string, error) {
	x := &sending{keys: keys, args: args, lead: make(chan []*sending, 1)}
	together := s.group.join(x)
	if together == nil {
		together = <-x.lead
	}
	if together != nil {
		s.trip(together)
		s.group.next()
		for _, other := range together {
			if other != x {
				close(other.lead)
			}
		}
	}
	return x.said, x.err
}

// join is what can go at once: x alone. nil has it wait.
func (g *group) join(x *sending) []*sending {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.under == trips {
		g.waiting = append(g.waiting, x)
		return nil
	}
	g.under++
	return []*sending{x}
}

// next sends those that have gathered; the first of them takes the others along.
func (g *group) next() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.under--
		return
	}
	n := min(len(g.waiting), maxShared)
	together := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	together[0].lead <- together
}

// trip makes appends in one round trip.
func (s *Store) trip(together []*sending) {
	ctx := context.Background() // they have not one of their own: what is sent is waited for
	commands := make([][]any, len(together))
	for i, x := range together {
		commands[i] = s.scripts.append.BySum(x.keys, x.args...)
	}
	var answers []any
	err := s.once(func() (err error) {
		answers, err = s.client.Pipeline(ctx, commands...)
		return err
	})
	for i, x := range together {
		if x.err = err; err == nil {
			x.said, x.err = resp.Strings(answers[i], nil)
		}
	}
}
