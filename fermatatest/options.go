package fermatatest

import (
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// CrashOption says how [Crash] runs a plan, and what it looks at.
type CrashOption interface{ crash(x *explorer) }

// ScheduleOption says how [Schedules] runs a plan, and how much of it is tried.
type ScheduleOption interface{ schedule(x *explorer) }

// Option is for both, [Crash] and [Schedules].
type Option func(x *explorer)

func (o Option) crash(x *explorer)    { o(x) }
func (o Option) schedule(x *explorer) { o(x) }

type crashOnly func(x *explorer)

func (o crashOnly) crash(x *explorer) { o(x) }

type scheduleOnly func(x *explorer)

func (o scheduleOnly) schedule(x *explorer) { o(x) }

// Answers sets the answers to a node's questions, by the node's path ("review", "inner/review"). The first answer is
// for its first question, the second for its second, and so on. A question that has none, or [NoAnswer], stays open
// until its deadline. A question keeps its answer: in another order, or after a crash, the same call of the same task
// is given the same.
func Answers(byNode map[string][]any) Option {
	return func(x *explorer) { x.answers = byNode }
}

// AnswerFunc answers every question by a function. It must give the same answer to the same question always: after a
// crash, and in another order, it is asked again.
func AnswerFunc(f func(q fermata.Interrupt) any) Option {
	return func(x *explorer) { x.answer = f }
}

// NoAnswer leaves a question open: time goes on to its deadline.
const NoAnswer = noAnswer("no answer")

// Rest leaves the run as it is, where nothing but this question can take it on: time does not go on.
const Rest = noAnswer("rest")

type noAnswer string

// Signed is an answer by a named person, for questions with restricted answerers.
type Signed struct {
	By     string // "" for an answer without a name
	Answer any
	At     time.Time // the clock goes on to this time before it is given. Defaults to the time at which it is asked
}

// Before resets state outside of the run, before each run of the plan from its beginning.
func Before(f func()) Option { return func(x *explorer) { x.before = f } }

// Look is called when a run has come to its end without a crash, while its runtime is still there.
func Look(f func(rt *fermata.Runtime, result fermata.Result)) CrashOption {
	return crashOnly(func(x *explorer) { x.after = f })
}

// From sets the clock with which the run begins. Defaults to [Epoch].
func From(at time.Time) CrashOption { return crashOnly(func(x *explorer) { x.from = at }) }

// StartedBy says who has started the run: for questions that ask for four eyes (law H6).
func StartedBy(name string) Option { return func(x *explorer) { x.starter = name } }

// WithOptions are the runtimes' options: services, a logger, a name. Store and Clock are those of the exploration. A
// Cache is used for all runs of a [Crash], and outlives the crashes; without one, and in [Schedules], each run has its
// own. Pools limit how many functions run at the same time, and not how often: nobody lets the time pass for that.
// Those that are not given limit nothing.
func WithOptions(o fermata.Options) Option { return func(x *explorer) { x.options = o } }

// Effects counts the effects in the outside world for Crash, by names of the test. Only the growth from one look to the
// next counts. An effect of a step may happen once more for each crash that lost the outcome of a step, and never for
// another crash. An effect outside of steps happens with every pass over its node, so this finds it.
func Effects(count func() map[string]int) CrashOption {
	return crashOnly(func(x *explorer) { x.effects = count })
}

// OnlyOnce names effects of [Effects] that must never repeat: those of AtMostOnce steps (law J5).
func OnlyOnce(names ...string) CrashOption {
	return crashOnly(func(x *explorer) {
		for _, name := range names {
			x.once[name] = true
		}
	})
}

// On keeps each run in a new store that is opened in a folder. It is closed and opened again with each crash; the
// folder is removed when its run is over. A store that needs no folder of its own must know by its name whose it is.
// Defaults to a store in memory that outlives the crashes.
func On(open func(dir string) (journal.Store, error)) CrashOption {
	return crashOnly(func(x *explorer) { x.open = open })
}

// Every tries only every n-th crash, starting with the first: for long plans and slow stores. Of processes that die again
// and again, every second one lives n-1 appends longer. Defaults to 1.
func Every(n int) CrashOption { return crashOnly(func(x *explorer) { x.stride = max(n, 1) }) }

// Within limits how long a process may take, in real time. Defaults to a minute: only what hangs takes so long.
func Within(d time.Duration) CrashOption { return crashOnly(func(x *explorer) { x.patience = d }) }

// Orders is how many orders [Schedules] tries, the first one not counted. Defaults to 50.
func Orders(n int) ScheduleOption { return scheduleOnly(func(x *explorer) { x.orders = max(n, 1) }) }

// Seed chooses the orders that [Schedules] tries: the same seed, the same orders. Defaults to one that is made from
// the test's name, so that a test does the same always.
func Seed(seed uint64) ScheduleOption {
	return scheduleOnly(func(x *explorer) { x.seed, x.seeded = seed, true })
}

// Exhaustive lets [Schedules] try all orders if there are at most so many. Otherwise it tries as many as [Orders] says.
// Defaults to the number of Orders.
func Exhaustive(most int) ScheduleOption {
	return scheduleOnly(func(x *explorer) { x.exhaustive = max(most, 1) })
}

// WithCrashes runs each order once more with a crash at an append. The seed picks the append, and before or after;
// another process then finishes the run.
func WithCrashes() ScheduleOption { return scheduleOnly(func(x *explorer) { x.crashes = true }) }
