package fermata

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Cache keeps outcomes of nodes that have a plan.Cache (law D13). Its methods may be called from several goroutines.
// Whether an outcome is too old is for the runtime to say, by its Clock: a cache may give it all the same. A cache that
// fails is logged and costs a call of the node; it fails no run. One that panics fails the attempt (law N7). Neither
// side changes a value.
type Cache interface {
	// Get finds a value; ok is false where there is none.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Put keeps a value in the place of an earlier one. After the ttl nobody asks for it any more; 0 is without end.
	Put(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// DefaultCacheEntries is how many outcomes a cache in memory keeps, unless it is told otherwise.
const DefaultCacheEntries = 1024

// NewMemoryCache makes a cache in memory, which keeps the given number of outcomes (0: DefaultCacheEntries): those that
// were asked for last.
func NewMemoryCache(entries int) Cache {
	if entries <= 0 {
		entries = DefaultCacheEntries
	}
	return &memoryCache{most: entries}
}

type memoryCache struct {
	most int

	mu    sync.Mutex
	order list.List // of *remembered, the last used first
	by    map[string]*list.Element
}

type remembered struct {
	key   string
	value []byte
}

// Get implements Cache.
func (c *memoryCache) Get(_ context.Context, key string) ([]byte, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.by[key]
	if at == nil {
		return nil, false, nil
	}
	c.order.MoveToFront(at)
	return at.Value.(*remembered).value, true, nil //nolint:forcetypeassert // nothing else is put in
}

// Put implements Cache.
func (c *memoryCache) Put(_ context.Context, key string, value []byte, _ time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.by[key]; at != nil {
		at.Value = &remembered{key, value}
		c.order.MoveToFront(at)
		return nil
	}
	if c.by == nil {
		c.by = make(map[string]*list.Element)
	}
	c.by[key] = c.order.PushFront(&remembered{key, value})
	if c.order.Len() > c.most {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.by, last.Value.(*remembered).key) //nolint:forcetypeassert // as above
	}
	return nil
}

// cached is an outcome as a cache keeps it: the value that the node returned, its gate's choice, and whose it is.
type cached struct {
	Value   json.RawMessage    `json:"value"`
	Choice  string             `json:"choice,omitempty"`  // a name that the gate declares, node.End or node.Stop
	Several []string           `json:"several,omitempty"` // of a gate that chooses several
	From    journal.CachedBody `json:"from"`
}

// flight is one piece of work that others with the same key wait for.
type flight struct {
	over    chan struct{}
	outcome *cached // nil where it came to nothing; written before over is closed
}

// attemptOrHit takes a node's outcome from the cache, or from equal work that is under way in this runtime, or calls
// the function and keeps its outcome for others (law D13). The body of a hit is what the journal says of it; nil for
// an outcome of the task's own.
//
// A task that has recorded something goes its own way to the end: what it has done and been answered is its own. Nor
// is a task at the end of an error edge looked up, because why it runs is not part of its value.
func (d *drive) attemptOrHit(ctx context.Context, w *work, in any) (out any, choice chosen, err error) {
	if w.cached {
		w.key = cacheKey(w.flat, in)
	}
	w.ctx = ctx
	if w.key == "" {
		return d.attempt(ctx, w.flat, w.h, in)
	}
	return w.attempt(in)
}

// attempt is attemptOrHit for an outcome that may be kept. A cache may panic: then the attempt has failed (law N7).
func (w *work) attempt(in any) (out any, choice chosen, err error) {
	defer panicked(&err)
	if w.begun {
		out, choice, _, err = w.do(in)
		return out, choice, err
	}
	return w.share(in)
}

// workOf is an attempt of a task that is about to begin. The machine is not looked at any more after it.
func (d *drive) workOf(t *machine.Task, flat *plan.Flat, h *host) work {
	w := work{d: d, flat: flat, h: h}
	if flat.Cache != nil && d.policies != nil && d.policies.cache != nil && t.Cause == nil {
		w.cached, w.begun, w.task = true, len(t.Ops) > 0, d.m.TaskID(t)
	}
	return w
}

// cacheKey names an outcome: by the node as its plan declares it, the version that the author gives it, and its input,
// of which the codec makes the same JSON always. The parts are told apart by their lengths. An input that has no JSON has
// no key: "".
func cacheKey(flat *plan.Flat, in any) string {
	data, err := encoded(inputCodec(flat), in)
	if err != nil {
		return ""
	}
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(flat.Owner.Name()), []byte(flat.Name), []byte(flat.Cache.Version), data} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		sum.Write(length[:])
		sum.Write(part)
	}
	return "cache_" + hex.EncodeToString(sum.Sum(nil))
}

// work is one attempt of a task whose outcome may be kept.
type work struct {
	d    *drive
	flat *plan.Flat
	h    *host
	ctx  context.Context
	key  string
	task string

	cached bool // its outcome may be kept
	begun  bool // it has recorded something
}

// share does the work once for all that want it now: whoever comes first looks it up or does it, the others wait for
// that. Where it came to nothing, the next one does it itself.
func (w *work) share(in any) (out any, choice chosen, err error) {
	p := w.d.policies
	for {
		p.mu.Lock()
		under := p.flights[w.key]
		if under == nil {
			break
		}
		p.mu.Unlock()
		select {
		case <-under.over:
		case <-w.ctx.Done():
			return nil, chosen{}, w.ctx.Err()
		}
		if out, choice, ok := w.take(under.outcome); ok {
			return out, choice, nil
		}
	}
	mine := &flight{over: make(chan struct{})}
	if p.flights == nil {
		p.flights = make(map[string]*flight)
	}
	p.flights[w.key] = mine
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.flights, w.key)
		p.mu.Unlock()
		close(mine.over)
	}()
	known := w.look()
	if out, choice, ok := w.take(known); ok {
		mine.outcome = known
		return out, choice, nil
	}
	out, choice, mine.outcome, err = w.do(in)
	return out, choice, err
}

// do calls the function and keeps its outcome, where that may be used again. What cannot be kept is returned all the
// same: whoever records the outcome finds out why.
func (w *work) do(in any) (out any, choice chosen, kept *cached, err error) {
	out, choice, err = w.d.attempt(w.ctx, w.flat, w.h, in)
	if err != nil || !w.h.repeatable() {
		return out, choice, nil, err
	}
	c := &cached{Choice: choice.one, Several: choice.several, From: journal.CachedBody{Run: w.d.id, Task: w.task, At: w.d.clock().Now().UnixMicro()}}
	if c.Value, err = w.encodedOutput(out); err != nil {
		return out, choice, nil, nil //nolint:nilerr // it is found again where the outcome is recorded (law N8)
	}
	text, err := json.Marshal(c)
	if err == nil {
		err = w.put(text)
	}
	if err != nil && w.ctx.Err() == nil {
		w.d.log().Warn("an outcome could not be put into the cache", "run", w.d.id, "task", w.task, "error", fault.Capture(err))
	}
	return out, choice, c, nil
}

// put is Put of the program's cache, which need not return: the outcome counts all the same (law N7).
func (w *work) put(text []byte) error {
	return outside(func() error { return w.d.policies.cache.Put(w.ctx, w.key, text, w.flat.Cache.TTL) })
}

// get is Get of the program's cache, which need not return: then it has nothing (law N7).
func (w *work) get() (text []byte, ok bool, err error) {
	err = outside(func() error { text, ok, err = w.d.policies.cache.Get(w.ctx, w.key); return err })
	return text, ok && err == nil, err
}

// encodedOutput is what a node has returned as a cache keeps it; null where that is nothing.
func (w *work) encodedOutput(out any) ([]byte, error) {
	if codec := outputCodec(w.flat); codec != nil {
		return encoded(w.d.sized(codec), out)
	}
	return []byte("null"), nil
}

func decodedOutput(flat *plan.Flat, data []byte) (any, error) {
	if codec := outputCodec(flat); codec != nil {
		return decoded(codec, data)
	}
	return nil, nil
}

// look finds an outcome in the cache that is not too old; nil for none.
func (w *work) look() *cached {
	text, ok, err := w.get()
	var c cached
	if err == nil && ok {
		err = json.Unmarshal(text, &c)
	}
	if err != nil && w.ctx.Err() == nil {
		w.d.log().Warn("the cache could not be read", "run", w.d.id, "task", w.task, "error", fault.Capture(err))
	}
	if err != nil || !ok {
		return nil
	}
	age := w.d.clock().Now().Sub(time.UnixMicro(c.From.At))
	if ttl := w.flat.Cache.TTL; ttl > 0 && age >= ttl {
		return nil
	}
	return &c
}

// take makes a value of the task's own from an outcome (law N9). An outcome that does not fit the node any more, by
// its value or by its choice, is none.
func (w *work) take(c *cached) (out any, choice chosen, ok bool) {
	if c == nil || !w.declares(c) {
		return nil, chosen{}, false
	}
	out, err := decodedOutput(w.flat, c.Value)
	var hit []byte
	if err == nil {
		err = w.keepsCached(c.Value, out)
	}
	if err == nil {
		hit, err = json.Marshal(c.From)
	}
	if err != nil {
		w.d.log().Warn("an outcome in the cache does not fit the node any more; it needs a new cache version",
			"run", w.d.id, "task", w.task, "error", err)
		return nil, chosen{}, false
	}
	return out, chosen{one: c.Choice, several: c.Several, hit: hit}, true
}

// keepsCached checks that the node's type keeps all of a cached outcome (law J8).
func (w *work) keepsCached(data []byte, out any) error {
	again, err := w.encodedOutput(out)
	if err != nil {
		return err
	}
	lost, err := loss.Of(data, again)
	if err == nil && len(lost) > 0 {
		err = errors.New(lost[0].String())
	}
	return err
}

// declares reports whether the node still declares what its gate has chosen.
func (w *work) declares(c *cached) bool {
	if w.flat.RouteMany != nil {
		for _, name := range c.Several {
			if _, ok := plan.Find(w.flat.Choices, name); !ok {
				return false
			}
		}
		return len(c.Several) > 0
	}
	_, declared := plan.Find(w.flat.Choices, c.Choice)
	return declared == (w.flat.Route != nil) && (declared || c.Choice == "")
}

// repeatable reports whether the outcome of a pass that has just ended well may stand for others: it came to its end
// as it should, and nobody was asked (law D13).
func (h *host) repeatable() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.task.in(h.d.m); t != nil {
		for i := range t.Ops {
			if op := &t.Ops[i]; op.Kind == node.KindInterrupt && h.wasMade(op.ID) {
				return false
			}
		}
	}
	return !h.suspended && h.broken == nil && h.storeFailed == nil && h.skipped() == ""
}
