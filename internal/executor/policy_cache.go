package executor

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// cachePolicy takes a node's outcome from the cache, or runs the node and caches its outcome (law D13). Equal work of this
// runtime runs once.
//
// A task that has recorded calls or answers does not use the cache. Neither does a task at the end of an error edge,
// since its cause is not part of its key.
type cachePolicy struct{}

func (cachePolicy) governs(x *Execution, flat *plan.Flat) bool {
	return flat.Cache != nil && x.policies != nil && x.policies.Cache != nil
}

func (cachePolicy) attempt(ctx context.Context, w *work, next next) (any, chosen, error) {
	if w.caused {
		return next(ctx)
	}
	key := cacheKey(w.flat, w.in)
	if key == "" {
		return next(ctx)
	}
	c := cachedWork{work: w, ctx: ctx, key: key, task: nodehost.TaskID(w.h.path, int(w.h.visit)), next: next}
	return c.attempt()
}

// attempt makes the attempt. A cache that panics fails it (law N7).
func (w *cachedWork) attempt() (out any, choice chosen, err error) {
	defer guard.Recover(&err)
	if w.begun {
		out, choice, _, err = w.do()
		return out, choice, err
	}
	return w.share()
}

// cacheKey returns the cache key of an outcome: the node's declaration, its cache version and its input as
// canonical JSON. Each part is preceded by its length. An input that has no JSON has no key: "".
func cacheKey(flat *plan.Flat, in any) string {
	data, err := guard.Encode(runstate.InputCodec(flat), in)
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

// cachedWork is an attempt whose outcome may be cached.
type cachedWork struct {
	*work
	ctx  context.Context // of the attempt
	key  string          // in the cache
	task string          // the task's id, for logs
	next next            // makes the attempt where the cache has no outcome
}

// share lets the first of several equal attempts look the outcome up or run the node, and the others wait for
// it. If it fails, the next one tries.
func (w *cachedWork) share() (out any, choice chosen, err error) {
	p := w.run.policies
	for {
		p.Mu.Lock()
		under := p.Flights[w.key]
		if under == nil {
			break
		}
		p.Mu.Unlock()
		select {
		case <-under.Over:
		case <-w.ctx.Done():
			return nil, chosen{}, w.ctx.Err()
		}
		if out, choice, ok := w.take(under.Outcome); ok {
			return out, choice, nil
		}
	}
	mine := &policy.Flight{Over: make(chan struct{})}
	if p.Flights == nil {
		p.Flights = make(map[string]*policy.Flight)
	}
	p.Flights[w.key] = mine
	p.Mu.Unlock()
	defer func() {
		p.Mu.Lock()
		delete(p.Flights, w.key)
		p.Mu.Unlock()
		close(mine.Over)
	}()
	known := w.look()
	if out, choice, ok := w.take(known); ok {
		mine.Outcome = known
		return out, choice, nil
	}
	out, choice, mine.Outcome, err = w.do()
	return out, choice, err
}

// do runs the node and caches its outcome if it may be reused. An outcome that cannot be cached is returned all
// the same, and recording it reports why.
func (w *cachedWork) do() (out any, choice chosen, kept *policy.Cached, err error) {
	out, choice, err = w.next(w.ctx)
	if err != nil || !w.h.repeatable() {
		return out, choice, nil, err
	}
	c := &policy.Cached{Choice: choice.one, Several: choice.several, From: journal.CachedBody{Run: w.run.ID, Task: w.task, At: w.run.Storage.Clock.Now().UnixMicro()}}
	if c.Value, err = w.encodedOutput(out); err != nil {
		return out, choice, nil, nil //nolint:nilerr // recording the outcome reports the error (law N8)
	}
	text, err := json.Marshal(c)
	if err == nil {
		err = w.put(text)
	}
	if err != nil && w.ctx.Err() == nil {
		w.run.Log.Warn("writing an outcome to the cache failed", "run", w.run.ID, "task", w.task, "error", fault.Capture(err))
	}
	return out, choice, c, nil
}

// put writes to the program's cache. A failure does not change the outcome (law N7).
func (w *cachedWork) put(text []byte) error {
	return guard.Call(func() error { return w.run.policies.Cache.Put(w.ctx, w.key, text, w.flat.Cache.TTL) })
}

// get reads from the program's cache. A failure is a miss (law N7).
func (w *cachedWork) get() (text []byte, ok bool, err error) {
	err = guard.Call(func() error { text, ok, err = w.run.policies.Cache.Get(w.ctx, w.key); return err })
	return text, ok && err == nil, err
}

// encodedOutput returns a node's output as the cache stores it; null for no output.
func (w *cachedWork) encodedOutput(out any) ([]byte, error) {
	if codec := runstate.OutputCodec(w.flat); codec != nil {
		return guard.Encode(w.run.Sized(codec), out)
	}
	return []byte("null"), nil
}

func decodedOutput(flat *plan.Flat, data []byte) (any, error) {
	if codec := runstate.OutputCodec(flat); codec != nil {
		return guard.Decode(codec, data)
	}
	return nil, nil
}

// look returns an unexpired outcome from the cache; nil for none.
func (w *cachedWork) look() *policy.Cached {
	text, ok, err := w.get()
	var c policy.Cached
	if err == nil && ok {
		err = json.Unmarshal(text, &c)
	}
	if err != nil && w.ctx.Err() == nil {
		w.run.Log.Warn("reading the cache failed", "run", w.run.ID, "task", w.task, "error", fault.Capture(err))
	}
	if err != nil || !ok {
		return nil
	}
	age := w.run.Storage.Clock.Now().Sub(time.UnixMicro(c.From.At))
	if ttl := w.flat.Cache.TTL; ttl > 0 && age >= ttl {
		return nil
	}
	return &c
}

// take decodes a cached outcome into a value of the task's own (law N9). An outcome whose value or route no
// longer fits the node is a miss.
func (w *cachedWork) take(c *policy.Cached) (out any, choice chosen, ok bool) {
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
		w.run.Log.Warn("an outcome in the cache does not fit the node any more; it needs a new cache version",
			"run", w.run.ID, "task", w.task, "error", err)
		return nil, chosen{}, false
	}
	return out, chosen{one: c.Choice, several: c.Several, hit: hit}, true
}

// keepsCached checks that the node's type keeps every field of a cached outcome (law J8).
func (w *cachedWork) keepsCached(data []byte, out any) error {
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

// declares reports whether the node still declares the cached routes.
func (w *cachedWork) declares(c *policy.Cached) bool {
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

// repeatable reports whether a successful pass may be reused: it ended normally and asked nobody (law D13).
func (h *host) repeatable() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.task.in(h.run.Machine); t != nil {
		for i := range t.Ops {
			if op := &t.Ops[i]; op.Kind == nodehost.KindInterrupt && h.wasMade(op.ID) {
				return false
			}
		}
	}
	return !h.suspended && h.broken == nil && h.storeFailed == nil && h.skipped() == ""
}
