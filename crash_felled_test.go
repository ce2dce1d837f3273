package fermata_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// felled is what a process has of a store until it is killed: at its n-th write of a journal, a row or a claim, before that
// takes effect or after. From then on nothing it does gets through.
type felled struct {
	journal.Store
	leases journal.Leaser
	at     int // 0 for never
	after  bool

	mu     sync.Mutex
	writes int
	dead   chan struct{}
	driver string
}

func (f *felled) write(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isDead() {
		return errCut
	}
	f.writes++
	dies := f.writes == f.at
	if dies && !f.after {
		close(f.dead)
		return errCut
	}
	err := do()
	if dies {
		close(f.dead)
		return errCut
	}
	return err
}

func (f *felled) isDead() bool {
	select {
	case <-f.dead:
		return true
	default:
		return false
	}
}

func (f *felled) Append(ctx context.Context, b journal.Batch) error {
	if b.Row != nil && b.Row.Kind == journal.KindDefinition {
		return f.Store.Append(ctx, b)
	}
	return f.write(func() error { return f.Store.Append(ctx, b) })
}

func (f *felled) Claim(ctx context.Context, driver, run string) (claimed bool, err error) {
	err = f.write(func() error { claimed, err = f.leases.Claim(ctx, driver, run); return err })
	return claimed && err == nil, err
}

func (f *felled) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	if f.isDead() {
		return errCut
	}
	f.driver = driver
	return f.leases.Beat(ctx, driver, ttl)
}

func (f *felled) Left(ctx context.Context, driver string) (time.Duration, error) {
	return f.leases.Left(ctx, driver)
}

func (f *felled) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	if f.isDead() {
		return nil, errCut
	}
	return f.leases.Deserted(ctx, q)
}

// fellings is a run that one worker after the other is killed with.
type fellings struct {
	*shop
	effects map[string]*atomic.Int64
}

// works is a graph with steps in two nodes, of which one fails at first and one asks to be alone for a while.
func (f *fellings) works() *graph.Graph[state] {
	step := func(name string) graph.Func[state] {
		f.effects[name] = &atomic.Int64{}
		return func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, name, func(node.Context) (int, error) { f.effects[name].Add(1); return 1, nil })
			if err == nil && name == "b" && ctx.Info().Attempt == 1 {
				return s, errFlaky
			}
			s.N++
			return s, err
		}
	}
	return graph.New[state]("works").Node("a", step("a")).Node("b", step("b"), graph.Retry(2, time.Second)).
		Node("c", step("c")).Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
}

// worker works until it is killed, or the run needs nobody. It reports whether it was killed.
func (f *fellings) worker(name string, at int, after bool, run string) (killed bool) {
	store := &felled{Store: f.store, leases: f.store.(journal.Leaser), at: at, after: after, dead: make(chan struct{})}
	rt, err := fermata.New(fermata.Options{Store: store, Name: name, Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return f.plan, nil }})
	if err != nil {
		f.t.Fatal(err)
	}
	stop := f.workWith(rt, fermata.WorkOptions{Takeovers: 2})
	for range 10 * 60 { // of the longest backoff it is a part
		time.Sleep(100 * time.Millisecond)
		if info := f.info(run); store.isDead() || info.Ended() || f.setAside(run) {
			break
		}
	}
	time.Sleep(time.Second)
	if err := rt.Close(); err != nil {
		f.t.Error(err)
	}
	stop()
	return store.isDead()
}

// setAside reports whether nobody takes the run up by himself any more.
func (f *fellings) setAside(run string) bool {
	block, is := f.block(run)
	return is && block.Code == machine.BlockTakeovers && block.RetryAt == 0
}

// block is why the run is blocked; false where it is not.
func (f *fellings) block(run string) (body journal.BlockedBody, is bool) {
	for _, e := range entries(f.t, f.store, run) {
		switch e.Kind {
		case journal.RunBlocked:
			body, is = bodyOf[journal.BlockedBody](f.t, &e), true
		case journal.RunResumed:
			is = false
		default:
		}
	}
	return body, is
}

// TestJ11_WorkersAreKilledAtEveryWriteOfATakeover kills a worker at each of its writes, and those that take the run over at each
// of their first: the claim, the record of the takeover, an attempt, a step, a retry, the block, the row that gives the run back.
// The run is taken over as often as it was lost and no more, is set aside at the limit with the right count, goes on by a retry,
// and comes to its end: nothing is lost, nothing is recorded twice, and a step's effect happens twice only for a worker that was
// lost.
func TestJ11_WorkersAreKilledAtEveryWriteOfATakeover(t *testing.T) {
	setAside, writes := 0, map[int]bool{} // at which writes of its life a worker was killed
	for at := 1; at <= 16; at++ {
		for then := 1; then <= 5; then++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprint(at, " then ", then, map[bool]string{false: " before", true: " after"}[after]), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						f := &fellings{effects: make(map[string]*atomic.Int64)}
						g := f.works()
						f.shop = newShop(t, g)
						killed, aside := f.fall(t, g, at, then, after)
						if killed > 0 {
							writes[at] = true
						}
						if aside {
							setAside++
						}
					})
				})
			}
		}
	}
	if len(writes) < 10 || 3*setAside < 4*len(writes) { // four for three of a life's writes; the last of them lead to no takeover
		t.Errorf("%d runs were set aside, of those whose workers were killed at %d writes", setAside, len(writes))
	}
}

func (f *fellings) fall(t *testing.T, g *graph.Graph[state], at, then int, after bool) (killed int, setAside bool) {
	desk := newRuntime(t, fermata.Options{Store: f.store})
	run := start(t, desk, g, state{}, fermata.Queued()).ID()
	for i := range 6 { // some never get further than a claim
		if !f.worker(fmt.Sprint("worker", i), at, after, run) {
			break
		}
		killed, at = killed+1, then
	}
	for i := range 5 {
		if f.setAside(run) {
			setAside = true
			f.retry(g, run)
		}
		f.worker(fmt.Sprint("healthy", i), 0, false, run)
		if info := f.info(run); info.Ended() {
			break
		}
	}
	f.judge(t, run, killed)
	return killed, setAside
}

// retry checks how a run stands that is set aside, and takes it up; whoever does that stops in the middle of it.
func (f *fellings) retry(g *graph.Graph[state], run string) {
	f.t.Helper()
	if body, _ := f.block(run); body.Takeovers != 2 {
		f.t.Errorf("it is set aside after %d takeovers", body.Takeovers)
	}
	if info := f.info(run); info.Status != string(fermata.Blocked) || info.Driver != "" || info.Error == "" {
		f.t.Errorf("it is set aside as %+v", info)
	}
	desk := newRuntime(f.t, fermata.Options{Store: f.store})
	if _, err := desk.Retry(f.t.Context(), run, g.Plan()); err != nil {
		f.t.Error(err)
	}
	if err := desk.Close(); err != nil {
		f.t.Error(err)
	}
}

// judge checks what came of a run.
func (f *fellings) judge(t *testing.T, run string, killed int) {
	t.Helper()
	if info := f.info(run); info.Status != string(fermata.Completed) || info.Driver != "" {
		t.Errorf("the run is %s, driven by %q: %s", info.Status, info.Driver, info.Error)
	}
	takeovers, by := 0, make(map[string]int)
	for _, e := range entries(t, f.store, run) {
		if e.Kind != journal.RunResumed {
			continue
		}
		body := bodyOf[journal.ResumedBody](t, &e)
		if body.Reason != machine.ReasonRecovered {
			continue
		}
		if by[body.By]++; body.Takeover {
			takeovers++
		}
	}
	for name, n := range by {
		if n > 1 {
			t.Errorf("%s has taken it over %d times", name, n)
		}
	}
	if takeovers > killed {
		t.Errorf("%d takeovers from %d workers that were killed", takeovers, killed)
	}
	all := lines(t, f.store, run)
	for _, task := range []string{"a#1", "b#1", "c#1"} {
		if n := count(all, "node.finished "+task); n != 1 {
			t.Errorf("%d outcomes of %s", n, task)
		}
	}
	for name, n := range f.effects {
		recorded := count(all, "step.finished "+name+"#1")
		if recorded != 1 || n.Load() < 1 || int(n.Load()) > 1+killed {
			t.Errorf("step %s is recorded %d times, and was done %d times by %d workers that were killed", name, recorded, n.Load(), killed)
		}
	}
	if t.Failed() {
		for _, l := range all {
			t.Log(l)
		}
	}
}
