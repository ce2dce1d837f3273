package executor

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// again reports whether a failed task is retried.
func again(flat *plan.Flat, t *machine.Task, cause *fault.Captured) bool {
	if int(t.Attempt) >= flat.Retry.Attempts || hopeless(cause) {
		return false
	}
	if tooBusy(cause) {
		return false
	}
	if _, asked := asksAgain(cause); asked {
		return true
	}
	return flat.Retry.Retryable == nil || worthwhile(flat.Retry.Retryable, cause)
}

// worthwhile calls the author's classification of errors. If that panics or ends its goroutine, nothing is
// retried.
func worthwhile(retryable func(error) bool, cause error) bool {
	yes := false
	err := fault.Call("Retryable", func() error {
		yes = retryable(cause)
		return nil
	})
	return yes && err == nil
}

// waitAfter returns the wait before a task's next attempt: the one its error asks for, else its policy's
// backoff, plus jitter. The journal stores the resulting time, so a crash does not change it.
func (x *Execution) waitAfter(flat *plan.Flat, t *machine.Task, cause error) time.Duration {
	wait := flat.Retry.Wait(int(t.Attempt))
	if asked, ok := asksAgain(cause); ok {
		wait = asked
	}
	if flat.Retry.Jitter > 0 {
		more := time.Duration(float64(wait) * flat.Retry.Jitter * x.spread(x.Machine.TaskID(t), int(t.Attempt)))
		wait = max(wait, wait+more) // the sum may overflow
	}
	return wait
}

// spread returns a number from 0 to 1 that depends on run, task and attempt alone. So an exploration can be
// repeated.
func (x *Execution) spread(task string, attempt int) float64 {
	if x.env == nil {
		return rand.Float64() //nolint:gosec // all runs of Evaluate share one id; a guessed wait harms nobody
	}
	sum := sha256.Sum256([]byte(x.ID + "/" + task + "/" + strconv.Itoa(attempt)))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// asksAgain returns the wait that an error asks for: one marked by the node, or a model's rate limit.
func asksAgain(cause error) (wait time.Duration, ok bool) {
	if asked, ok := errors.AsType[*node.RetryAfterError](cause); ok {
		return max(asked.After, 0), true
	}
	if asked, ok := errors.AsType[*model.Error](cause); ok && asked.RetryAfter > 0 {
		return asked.RetryAfter, true
	}
	return 0, false
}

// longestBusy limits the wait that a model's provider may ask for. If it asks for more, the task fails at once.
const longestBusy = time.Hour

// tooBusy reports whether a model's provider asks for a longer wait than longestBusy.
func tooBusy(cause error) bool {
	if _, marked := errors.AsType[*node.RetryAfterError](cause); marked { // the author's own wait has no limit
		return false
	}
	asked, ok := errors.AsType[*model.Error](cause)
	return ok && asked.RetryAfter > longestBusy
}
