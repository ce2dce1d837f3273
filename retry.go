package fermata

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// waitAfter is how long a task waits before its next attempt: what its error asks for, else its policy's backoff;
// lengthened by the policy's jitter, so that tasks that failed together do not come back together. The journal holds
// the time that comes of it, and no crash changes that.
func (d *drive) waitAfter(flat *plan.Flat, t *machine.Task, cause error) time.Duration {
	wait := flat.Retry.Wait(int(t.Attempt))
	if asked, ok := asksAgain(cause); ok {
		wait = asked
	}
	if flat.Retry.Jitter > 0 {
		more := time.Duration(float64(wait) * flat.Retry.Jitter * d.spread(d.m.TaskID(t), int(t.Attempt)))
		wait = max(wait, wait+more) // also where the sum is more than a Duration holds
	}
	return wait
}

// spread is a number from 0 to 1 that differs from run to run, task to task and attempt to attempt, and is the same
// whenever the same attempt is looked at: what is explored can be explored again.
func (d *drive) spread(task string, attempt int) float64 {
	if d.rt == nil {
		return rand.Float64() //nolint:gosec // all that Evaluate runs have one id; nobody gains from guessing a wait
	}
	sum := sha256.Sum256([]byte(d.id + "/" + task + "/" + strconv.Itoa(attempt)))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// asksAgain is how long an error asks to wait before the next attempt, where it does: an error that the node has marked,
// or a model that is asked too often.
func asksAgain(cause error) (wait time.Duration, ok bool) {
	if asked, ok := errors.AsType[*node.RetryAfterError](cause); ok {
		return max(asked.After, 0), true
	}
	if asked, ok := errors.AsType[*model.Error](cause); ok && asked.RetryAfter > 0 {
		return asked.RetryAfter, true
	}
	return 0, false
}

// longestBusy is how long a model's provider is taken at its word. One that asks for more is not asked again: the failure
// says so now, and goes its way.
const longestBusy = time.Hour

// tooBusy reports whether a model's provider wants to be left alone for longer than anybody should wait without knowing.
func tooBusy(cause error) bool {
	if _, marked := errors.AsType[*node.RetryAfterError](cause); marked { // the author's word
		return false
	}
	asked, ok := errors.AsType[*model.Error](cause)
	return ok && asked.RetryAfter > longestBusy
}
