package executor

import (
	"context"
	"reflect"
	"sync"

	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/watch"
)

// Env holds what all executions of a process share. Its fields are set once.
type Env struct {
	Ctx       context.Context  // of all executions; done once the runtime is closed
	Services  *Services        // for nodes
	Policies  *policy.Policies // pools and caches
	Leases    leases           // which runs this process owns
	Takeovers func() int       // the limit of takeovers per run; negative for none
	Room      *watch.Room      // notifications of other processes' writes
}

// New returns an execution whose journal is not read yet.
func (v *Env) New(s *runstate.State) *Execution {
	x := new(Execution)
	v.Open(x, s)
	return x
}

// Open makes an execution, whose journal is not read yet, of a zero one.
func (v *Env) Open(x *Execution, s *runstate.State) {
	x.State, x.env, x.services, x.policies = *s, v, v.Services, v.Policies
	x.Done = make(chan struct{})
	x.Stream.Keep(x.Unstored)
	x.furnish(v.Ctx)
}

// leases reports which runs this process owns (law J10).
type leases interface {
	// KeepAlive shows other processes that this one is alive.
	KeepAlive(ctx context.Context)
	// Admit returns an error if this process may not execute the run.
	Admit(ctx context.Context, row *runtype.RunInfo) error
	// Read records that an execution has seen the claim of its run.
	Read(run string) bool
	// ReturnLater releases a run's lease later, since its last write may have succeeded.
	ReturnLater(run string)
}

// Services holds what the program provides to its nodes, found by type.
type Services struct {
	List []any                // in the order given
	mu   sync.Mutex           // guards seen
	seen map[reflect.Type]any // services by requested type; nil for types without one
}

func (s *Services) find(t reflect.Type) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.seen[t]; ok {
		return found
	}
	var found any
	for _, service := range s.List {
		have := reflect.TypeOf(service)
		if have == t {
			found = service
			break
		}
		if t.Kind() == reflect.Interface && have.Implements(t) {
			if found != nil {
				found = nil // ambiguous
				break
			}
			found = service
		}
	}
	if s.seen == nil {
		s.seen = make(map[reflect.Type]any)
	}
	s.seen[t] = found
	return found
}
