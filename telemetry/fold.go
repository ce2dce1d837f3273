package telemetry

import (
	"cmp"
	"encoding/json"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// take folds an entry. Where it is fresh, stored by the writer that the follower belongs to, what ends with it is
// made a span of and measured: this is the one place where that happens, so it happens once for each entry (law N4).
func (f *follower) take(e, next *journal.Entry, at int64, fresh bool) {
	switch e.Kind {
	case journal.RunStarted:
		f.leg = leg{began: e.Seq, at: at}
		if fresh {
			f.t.meter.runStarted(f.plan)
		}
	case journal.RunPaused:
		note(&f.leg.events, event{name: "paused", at: at})
	case journal.RunBlocked:
		note(&f.leg.events, event{name: "blocked", at: at})
	case journal.RunHeld:
		note(&f.leg.events, event{name: "held", at: at})
	case journal.RunUndoing:
		note(&f.leg.events, event{name: "undoing", at: at})
	case journal.RunReleased:
		note(&f.leg.events, event{name: "released", at: at})
	case journal.RunResumed:
		f.resumed(e, at)
	case journal.RunFinished:
		f.finished(e, at, fresh)
	case journal.InterruptUpdated:
		if q, body := f.questions[e.Op], bodyOf[journal.UpdatedBody](e); q != nil {
			body.Update(&q.asked)
		}
	case journal.InterruptResolved: // its task may have ended before
		q := f.questions[e.Op]
		delete(f.questions, e.Op)
		if q != nil && fresh {
			f.endQuestion(q, at, bodyOf[journal.ResolvedBody](e))
		}
	default:
		if e.Node == "" {
			break
		}
		f.takeTask(e, next, at, fresh)
	}
	f.takeMail(e, at, fresh)
}

// takeMail ends the calls that have taken a message by an entry. What the message says, its id and its sender are left out, as are
// questions and answers.
func (f *follower) takeMail(e *journal.Entry, at int64, fresh bool) {
	change := f.mail.Apply(e)
	if e.Kind == journal.MessageSent && !change.Repeated {
		note(&f.leg.events, event{name: "message", at: at, detail: bodyOf[journal.SentBody](e).Name})
	}
	for i := range change.Taken {
		c := &change.Taken[i]
		k, made := visit{c.Node, c.Visit}, call{c.Attempt, c.Op}
		t := f.task(k)
		from, ok := t.calls[made]
		if !ok {
			from = c.Since
		}
		delete(t.calls, made)
		if fresh {
			f.endCall(k, t, made, from, at, stepBody{})
		}
	}
}

// reasonRetry is the reason of run.resumed with which a failed run goes on: a new leg of it begins.
const reasonRetry = "retry"

func (f *follower) resumed(e *journal.Entry, at int64) {
	reason := bodyOf[journal.ResumedBody](e).Reason
	if reason == reasonRetry {
		f.leg = leg{began: e.Seq, at: at}
		return
	}
	note(&f.leg.events, event{name: "resumed", at: at, detail: reason})
}

// finished ends the leg, and the tasks that the run's end cuts off.
func (f *follower) finished(e *journal.Entry, at int64, fresh bool) {
	body := bodyOf[journal.FinishedBody](e)
	if fresh {
		for _, k := range f.openTasks() {
			f.endTask(k, f.open[k], at, end{outcome: outcomeCutOff})
		}
		f.endRun(at, body)
	}
	clear(f.open)
	clear(f.questions)
}

// openTasks lists the tasks that have not ended in the order in which they began.
func (f *follower) openTasks() []visit {
	keys := make([]visit, 0, len(f.open))
	for k := range f.open {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return cmp.Or(cmp.Compare(f.open[a].began, f.open[b].began), cmp.Compare(a.node, b.node), cmp.Compare(a.n, b.n)) < 0
	})
	return keys
}

// takeTask folds an entry of a task.
func (f *follower) takeTask(e, next *journal.Entry, at int64, fresh bool) {
	k := visit{e.Node, e.Visit}
	switch e.Kind {
	case journal.NodeStarted:
		if f.open[k] == nil {
			f.begin(k, e.Seq, at)
		}
		f.open[k].attempt = e.Attempt
	case journal.NodeFinished, journal.NodeCached:
		f.close(k, at, end{outcome: outcomeFinished, attempt: e.Attempt, route: routeOf(e, next)}, fresh)
		return
	case journal.NodeFailed:
		body := bodyOf[journal.FailedBody](e)
		f.close(k, at, end{outcome: outcomeFailed, attempt: e.Attempt, failure: body.Error, code: body.Code}, fresh)
		return
	case journal.RouteTaken:
		switch {
		case e.Flags&journal.FlagExpired != 0: // the task is left over its deadline's edge
			f.close(k, at, end{outcome: outcomeExpired, attempt: e.Attempt, route: e.To}, fresh)
		case e.Flags&journal.FlagItem != 0: // the whole item has failed
			f.cutOff(k.node[:strings.LastIndexByte(k.node, '/')+1], at, fresh)
		case e.Flags&journal.FlagCatch != 0: // of a subgraph, what was left in it is given up
			f.cutOff(k.node+"/", at, fresh)
			f.cutOff(node.TaskID(k.node, int(k.n))+".", at, fresh)
		}
		return
	case journal.NodeRetrying:
		body := bodyOf[journal.FailedBody](e)
		note(&f.task(k).events, event{name: "attempt failed", at: at, attempt: e.Attempt, detail: body.Error})
		if fresh {
			f.t.meter.retried(f.plan, node.NodeOf(e.Node))
		}
	case journal.NodeSuspended:
		note(&f.task(k).events, event{name: "suspended", at: at, attempt: e.Attempt, detail: nodehost.CallText(e.Op)})
	default:
		f.takeCall(e, k, at, fresh)
	}
	f.task(k).touched = at
}

// takeCall folds an entry of a call that a task made.
func (f *follower) takeCall(e *journal.Entry, k visit, at int64, fresh bool) {
	t, c := f.task(k), call{e.Attempt, e.Op}
	switch e.Kind {
	case journal.StepStarted, journal.TimerSet, journal.MessageAwaited:
		t.begun(c, at)
	case journal.MessageReplied:
		name := "replied"
		if body := bodyOf[journal.RepliedBody](e); body.Error != "" {
			name = "refused"
		}
		note(&t.events, event{name: name, at: at, attempt: e.Attempt, detail: nodehost.CallText(e.Op)})
	case journal.StructuredData: // what was streamed is the outcome of reasoning
		if nodehost.CallKind(e.Op) != nodehost.KindReason {
			return
		}
		fallthrough
	case journal.StepFinished, journal.TimerFired:
		from, ok := t.calls[c]
		if !ok {
			from = t.touched
		}
		t.begun(c, from)
		delete(t.calls, c)
		if fresh && !quiet(nodehost.CallKind(e.Op)) {
			f.endCall(k, t, c, from, at, bodyOf[stepBody](e))
		}
	case journal.InterruptOpened:
		q := &question{task: k, at: at, attempt: e.Attempt, asked: bodyOf[journal.Interrupt](e)}
		q.parent = f.callParent(k, t, call{e.Attempt, q.asked.Op})
		f.questions[e.Op] = q
		t.begun(call{e.Attempt, q.asked.Op}, at)
		delete(t.calls, call{e.Attempt, q.asked.Op})
		if fresh {
			f.t.meter.asked(f.plan, node.NodeOf(e.Node))
		}
	}
}

// begin opens a task with the entry of the given seq.
func (f *follower) begin(k visit, seq uint64, at int64) *task {
	t := &task{began: seq, at: at, touched: at, parent: f.legID(), calls: make(map[call]int64)}
	if cut := strings.LastIndexByte(k.node, '/'); cut >= 0 {
		parent := f.around(k.node[:cut])
		t.parent = f.task(parent).id(f.run, parent)
	}
	f.open[k], f.last[k.node] = t, max(f.last[k.node], k.n)
	return t
}

// around is the task whose subgraph tasks with such a path are in. In an item of a map the path says so: "notify#1.3" is
// the third item of notify#1. Elsewhere it is the latest visit.
func (f *follower) around(path string) visit {
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/') {
		if name, n := node.CutTask(path[:dot]); n > 0 {
			return visit{name, uint32(n)}
		}
	}
	return visit{path, max(f.last[path], 1)}
}

// cutOff ends the tasks that were given up: those whose paths begin so.
func (f *follower) cutOff(prefix string, at int64, fresh bool) {
	for _, k := range f.openTasks() {
		if strings.HasPrefix(k.node, prefix) {
			f.close(k, at, end{outcome: outcomeCutOff, attempt: f.open[k].attempt}, fresh)
		}
	}
}

// task is a task that is open. One that no entry has opened goes on, after a retry of the run, where it was cut off:
// it begins with the leg.
func (f *follower) task(k visit) *task {
	if t := f.open[k]; t != nil {
		return t
	}
	return f.begin(k, f.leg.began, f.leg.at)
}

// close ends a task.
func (f *follower) close(k visit, at int64, how end, fresh bool) {
	if fresh {
		t := f.task(k)
		t.attempt = how.attempt
		f.endTask(k, t, at, how)
	}
	delete(f.open, k)
}

// begun notes when a call began, and that those around it had begun by then. What is known already stays.
func (t *task) begun(c call, at int64) {
	for ; c.op != ""; c.op = around(c.op) {
		if _, ok := t.calls[c]; !ok {
			t.calls[c] = at
		}
	}
}

// event is something that happened while a span was open.
type event struct {
	name    string
	at      int64
	attempt uint16
	detail  string
}

// mostEvents is how many events of a span are kept, the first ones: as many as an exporter takes by default.
const mostEvents = 128

func note(events *[]event, e event) {
	if len(*events) < mostEvents {
		*events = append(*events, e)
	}
}

// bodyOf is the body of an entry; its zero value where it has none.
func bodyOf[T any](e *journal.Entry) (body T) {
	if len(e.Body) == 0 {
		return body
	}
	if json.Unmarshal(e.Body, &body) != nil {
		var none T
		return none
	}
	return body
}

// routeOf is where the gate of a task that has finished sends its token, "" where it has none.
func routeOf(e, next *journal.Entry) string {
	if next == nil || next.Kind != journal.RouteTaken || next.Node != e.Node || next.Visit != e.Visit {
		return ""
	}
	return next.To
}

// quiet reports whether a call is no work that a span shows.
func quiet(kind nodehost.Kind) bool { return kind == nodehost.KindNow || kind == nodehost.KindChanged }
