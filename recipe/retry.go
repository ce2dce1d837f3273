package recipe

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/plan"
)

// retries is how an agent is tried again (law F1): the key retry. How often is for max_retries, which also stands at nodes
// and in the policy. The attempts are those of the node: the journal counts them, and holds the times between them.
type retries struct {
	document.Spot
	max      int           // further attempts; below 0 where it is not said
	initial  time.Duration // before the second attempt; 0 for the engine's default
	longest  time.Duration // of a wait, also of one that the service asks for; 0 for the defaults
	factor   float64       // by which each further wait is longer; 0 for the default
	jitter   float64       // share of a wait by which it is longer at most
	statuses []int         // of answers after which another attempt may go better
}

var retryKeys = []string{"max_retries", "initial_seconds", "factor", "max_seconds", "jitter", "statuses"}

// defaultStatuses are those of a service that is busy, or has failed.
var defaultStatuses = []int{
	http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// The longest waits where the recipe does not say: of the backoff, and where a service asks to be left alone.
const (
	longestWait  = time.Minute
	longestAsked = time.Hour
)

// Bounds of a policy.
const (
	mostFactor  = 100
	leastStatus = 300
	mostStatus  = 599
)

func readRetries(agent *document.Object) *retries {
	p := &retries{max: -1, statuses: defaultStatuses}
	if !agent.Has("retry") {
		return p
	}
	o := agent.Object("retry", retryKeys)
	if p.Spot = agent.At("retry"); p.Node.Kind != yaml.MappingNode {
		return p
	}
	p.max = o.Number("max_retries", 0, -1)
	p.initial, p.longest = o.SecondsOf("initial_seconds"), o.SecondsOf("max_seconds")
	p.factor, p.jitter = o.Decimal("factor", 1, mostFactor), o.Decimal("jitter", 0, 1)
	if longest := cmp.Or(p.longest, longestWait); p.initial > longest {
		o.Report.Add(o.At("initial_seconds"), "the first wait (%s) is longer than the longest, max_seconds (%s); write a shorter one, or a longer max_seconds",
			p.initial, longest)
	}
	if o.Has("statuses") {
		p.statuses = readStatuses(o)
	}
	return p
}

func readStatuses(o *document.Object) []int {
	all := []int{}
	for _, at := range o.List("statuses") {
		status, err := strconv.Atoi(at.Node.Value)
		switch {
		case at.Node.Kind != yaml.ScalarNode || at.Node.ShortTag() != "!!int" || err != nil || status < leastStatus || status > mostStatus:
			o.Report.Add(at, "expected a status of an answer that is no success, a whole number from %d to %d such as 503, found %s",
				leastStatus, mostStatus, document.Describe(at.Node))
		case slices.Contains(all, status):
			o.Report.Add(at, "the status %d stands here twice", status)
		default:
			all = append(all, status)
		}
	}
	return all
}

// apply gives a node the policy of its agent. further is how often the node itself says that it is tried again, below 0
// where it says nothing.
func (p *retries) apply(r *plan.Retry, further int) (count int) {
	if p == nil {
		return further
	}
	r.Backoff, r.Max, r.Factor, r.Jitter = p.initial, p.longest, p.factor, p.jitter
	if further < 0 {
		return p.max
	}
	return further
}
