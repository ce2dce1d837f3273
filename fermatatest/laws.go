package fermatatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

func nodeOf(task string) string {
	path, _ := node.CutTask(task)
	return node.NodeOf(path)
}

func taskOf(e *journal.Entry) string {
	if e.Node == "" {
		return ""
	}
	return node.TaskID(e.Node, int(e.Visit))
}

// inspect checks a run that is over by itself, without comparing it to another.
func (tr *trial) inspect(ctx context.Context) {
	if !tr.read(ctx) {
		return
	}
	tr.checkEvents()
	tr.checkTasks()
	tr.checkOps()
	if tr.result.Status.Ended() {
		tr.checkLeftovers(ctx)
		tr.checkAgain(ctx)
	}
}

// read keeps the journal, and reports whether it could.
func (tr *trial) read(ctx context.Context) bool {
	for e, err := range tr.keep.store.Read(ctx, runID, 0) {
		if err != nil {
			tr.breaks("J6", "the journal cannot be read: %v", err)
			return false
		}
		tr.journal = append(tr.journal, e)
	}
	return true
}

// checkEvents checks law E1: what the readers saw, one after the other, is the journal.
func (tr *trial) checkEvents() {
	for i, e := range tr.journal {
		if e.Seq != uint64(i)+1 {
			tr.breaks("E1", "entry %d of the journal (%s) has seq %d", i+1, entryName(&e), e.Seq)
			return
		}
	}
	for i, e := range tr.seen {
		switch {
		case i >= len(tr.journal):
			tr.breaks("E1", "event %d (%s) was seen, and the journal ends at seq %d", e.Seq, entryName(&e), len(tr.journal))
			return
		case !reflect.DeepEqual(normal(e), normal(tr.journal[i])):
			tr.breaks("E1", "as event %d a reader saw seq %d, %s; the journal holds %s there: %s", i+1, e.Seq, entryName(&e),
				entryName(&tr.journal[i]), difference(shown(tr.journal[i]), shown(e)))
			return
		}
	}
	if n := len(tr.seen); tr.result.Status.Ended() && n != len(tr.journal) {
		tr.breaks("E1", "the readers saw %d of %d events; the first that is missing is seq %d, %s", n, len(tr.journal),
			n+1, entryName(&tr.journal[n]))
	}
}

// normal is an entry without the difference between no bytes and nil.
func normal(e journal.Entry) journal.Entry {
	e.Value, e.Body = slices.Clip(append([]byte{}, e.Value...)), slices.Clip(append([]byte{}, e.Body...))
	return e
}

// shown is an entry as people read it.
func shown(e journal.Entry) []string {
	value, body := string(e.Value), string(e.Body)
	e.Value, e.Body = nil, nil
	return []string{fmt.Sprintf("%+v", e), "value " + value, "body " + body}
}

// checkTasks checks law J4: nothing is heard of a task once it has finished.
func (tr *trial) checkTasks() {
	over := make(map[string]uint64)
	for i := range tr.journal {
		e := &tr.journal[i]
		task := taskOf(e)
		if task == "" {
			continue
		}
		if seq, ok := over[task]; ok && e.Kind != journal.RouteTaken && e.Kind != journal.InterruptResolved {
			tr.breaks("J4", "task %s was over at seq %d, and then came %s at seq %d", task, seq, entryName(e), e.Seq)
			return
		}
		if e.Kind == journal.NodeFinished || e.Kind == journal.NodeCached || e.Kind == journal.NodeFailed && tr.routed(i) {
			over[task] = e.Seq
		}
	}
}

// routed reports whether a failure was sent somewhere, so that its task is over for good.
func (tr *trial) routed(i int) bool {
	for _, e := range tr.journal[i+1:] {
		if taskOf(&e) == taskOf(&tr.journal[i]) {
			return e.Kind == journal.RouteTaken && e.Flags&journal.FlagCatch != 0
		}
	}
	return false
}

// checkOps checks law J5: a call of a task has one success at most, and one outcome at most in each attempt.
func (tr *trial) checkOps() {
	succeeded, ended := make(map[string]uint64), make(map[string]uint64)
	for i := range tr.journal {
		e := &tr.journal[i]
		switch e.Kind {
		case journal.DataInvalidated: // the text of a failed call is shown again
			delete(succeeded, taskOf(e)+", "+e.Op)
			continue
		case journal.StepFinished, journal.TimerFired, journal.TextEnd, journal.Message, journal.Status, journal.Diagnostic, journal.LabelSet:
		default:
			continue
		}
		if e.Op == "" {
			continue
		}
		call := taskOf(e) + ", " + e.Op
		attempt := fmt.Sprintf("%s, attempt %d", call, e.Attempt)
		if seq, ok := succeeded[call]; ok {
			tr.breaks("J5", "task %s: recorded at seq %d and again at seq %d", call, seq, e.Seq)
			return
		}
		if seq, ok := ended[attempt]; ok {
			tr.breaks("J5", "task %s: recorded at seq %d and again at seq %d", attempt, seq, e.Seq)
			return
		}
		ended[attempt] = e.Seq
		if stepError(e) == "" {
			succeeded[call] = e.Seq
		}
	}
}

func stepError(e *journal.Entry) string {
	var body journal.StepBody
	if e.Kind == journal.StepFinished && json.Unmarshal(e.Body, &body) == nil {
		return body.Error
	}
	return ""
}

// checkLeftovers checks that a run that has ended waits for nothing.
func (tr *trial) checkLeftovers(ctx context.Context) {
	open, err := tr.keep.store.Inbox(ctx, journal.InboxFilter{Run: runID})
	if err != nil {
		tr.breaks("", "the inbox cannot be read: %v", err)
	}
	for _, q := range open {
		tr.breaks("H1", "the run is %s, and task %s still has a question: %s (%s)", tr.result.Status, q.Task, q.Op, q.State)
	}
	timers, err := tr.keep.store.Timers(ctx, math.MaxInt64, 0)
	if err != nil {
		tr.breaks("", "the timers cannot be read: %v", err)
	}
	for _, timer := range timers {
		tr.breaks("H4", "the run is %s, and its timer %q is still set", tr.result.Status, timer.ID)
	}
	rows, err := tr.keep.store.Runs(ctx, journal.RunFilter{ID: runID})
	if err != nil || len(rows) != 1 {
		tr.breaks("", "the store lists %d runs, %v", len(rows), err)
		return
	}
	if rows[0].Status != string(tr.result.Status) || rows[0].Waiting != 0 || rows[0].Head != uint64(len(tr.journal)) {
		tr.breaks("J1", "the run is %s at seq %d; its row says %s at seq %d, with %d open questions", tr.result.Status,
			len(tr.journal), rows[0].Status, rows[0].Head, rows[0].Waiting)
	}
	if labels := tr.labels(); !maps.Equal(labels, rows[0].Labels) {
		tr.breaks("J13", "the row has other labels than the journal (-journal +row):\n%s", difference(labels, rows[0].Labels))
	}
}

// checkAgain resumes the run that has ended in one more process, which must find it as it is and do nothing.
func (tr *trial) checkAgain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tr.x.patience)
	defer cancel()
	store := newMortal(tr.keep.store, death{})
	rt, err := fermata.New(tr.options(store))
	if err != nil {
		tr.breaks("", "the runtime did not start: %v", err)
		return
	}
	defer func() {
		if err := rt.Close(); err != nil {
			tr.breaks("", "the runtime did not close: %v", err)
		}
	}()
	run, err := rt.Resume(ctx, runID, tr.x.plan)
	var result fermata.Result
	if err == nil {
		result, err = run.Wait(ctx)
	}
	if err != nil {
		tr.breaks("J4", "the run is %s; resumed once more, it fails: %v", tr.result.Status, err)
		return
	}
	if diff := difference(outcomeOf(tr.result), outcomeOf(result)); diff != "" {
		tr.breaks("J4", "resumed after its end, the run has another result (-before +after):\n%s", diff)
	}
	if written := store.written(); len(written) > 0 {
		tr.breaks("J4", "resumed after its end, the run went on: %s", written[0])
	}
}

// outcome is a result without what differs from run to run.
type outcome struct {
	Status fermata.Status
	Output any
	Value  any // as JSON
	Err    string
	Code   fermata.Code
	Asks   []string
	Usage  fermata.Usage
	ByNode map[string]fermata.Usage
}

func outcomeOf(r fermata.Result) outcome {
	o := outcome{Status: r.Status, Usage: r.Usage, ByNode: r.UsageByNode}
	if len(r.Output) > 0 {
		o.Output = anyOf(r.Output)
	}
	if data, err := json.Marshal(r.Value); err == nil {
		o.Value = anyOf(data)
	}
	if r.Err != nil {
		o.Err = r.Err.Error()
	}
	if known, ok := errors.AsType[*fermata.Error](r.Err); ok {
		o.Code = known.Code
	}
	for _, q := range r.Interrupts {
		o.Asks = append(o.Asks, q.Task+" "+q.Op)
	}
	return o
}

func anyOf(data []byte) any {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return string(data)
	}
	return v
}

// compare checks a run with crashes against the one without.
func (tr *trial) compare(clean *trial) {
	if len(tr.broken) > 0 {
		return
	}
	unknown := tr.unknownOutcomes()
	for name, n := range tr.effects {
		most := clean.effects[name]
		if !tr.x.once[name] {
			most += tr.lost
		}
		if n > most {
			tr.breaks("J5", "the effect %q happened %d times; without a crash %d, and where %d outcomes of steps were lost, "+
				"no more than %d", name, n, clean.effects[name], tr.lost, most)
		}
	}
	if unknown {
		return
	}
	for name, n := range clean.effects {
		if tr.effects[name] < n {
			tr.breaks("J5", "the effect %q happened %d times; without a crash %d", name, tr.effects[name], n)
		}
	}
	if diff := difference(outcomeOf(clean.result), outcomeOf(tr.result)); diff != "" {
		tr.breaks("J1", "the result differs (-without a crash +with):\n%s", diff)
	}
	was, is, hits := clean.byTask(), tr.byTask(), clean.hits()
	maps.Copy(hits, tr.hits())
	for _, task := range slices.Sorted(maps.Keys(was)) {
		if hits[task] { // what led to its outcome is another task's, here or there
			was[task], is[task] = outcomeOnly(was[task]), outcomeOnly(is[task])
		}
		if isGivenUp(was[task]) && isGivenUp(is[task]) { // when another one failed: how far it had come by then is no outcome (law F2)
			delete(is, task)
			continue
		}
		if diff := difference(was[task], is[task]); diff != "" {
			tr.breaks("J5", "%s recorded something else (-without a crash +with):\n%s", inWords(task), diff)
			return
		}
		delete(is, task)
	}
	for task := range is {
		tr.breaks("J4", "task %s ran only in the run with a crash", task)
	}
}

// hits are the tasks that took their outcome from a cache (law D13). Which ones do, a crash may change.
func (tr *trial) hits() map[string]bool {
	return tr.tasksWith(func(e *journal.Entry) bool { return e.Kind == journal.NodeCached })
}

// outcomeOnly leaves out of what a task recorded what came before its outcome.
func outcomeOnly(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		kind, _, _ := strings.Cut(line, " ")
		return kind != journal.NodeFinished.String() && kind != journal.RouteTaken.String()
	})
}

// isGivenUp reports whether a task was begun, and had no outcome when the run had ended.
func isGivenUp(lines []string) bool {
	outcomes := []string{journal.NodeFinished.String(), journal.NodeFailed.String(), journal.NodeCached.String(), journal.RouteTaken.String()}
	return len(lines) > 0 && strings.HasPrefix(lines[0], journal.NodeStarted.String()) &&
		!slices.ContainsFunc(lines, func(line string) bool {
			kind, _, _ := strings.Cut(line, " ")
			return slices.Contains(outcomes, kind)
		})
}

func inWords(task string) string {
	if task == "" {
		return "the run"
	}
	return "task " + task
}

// unknownOutcomes reports whether a task failed, or a person was asked, because the outcome of an AtMostOnce step is not
// known, and checks that this is so: its intent is recorded, and no outcome (law J5).
func (tr *trial) unknownOutcomes() bool {
	type call struct{ task, op string } // a tool may begin a step of its own, and several are called at once
	begun := make(map[call]bool)        // those without an outcome
	unknown := false
	for i := range tr.journal {
		e := &tr.journal[i]
		switch e.Kind {
		case journal.StepStarted:
			if mayNotRepeat(e) {
				begun[call{taskOf(e), e.Op}] = true
			}
		case journal.StepFinished:
			delete(begun, call{taskOf(e), e.Op})
		case journal.InterruptOpened, journal.NodeFailed, journal.NodeRetrying:
			if !saysUnknown(e) {
				continue
			}
			unknown = true
			if tr.isLeaf(e) && !slices.ContainsFunc(slices.Collect(maps.Keys(begun)), func(c call) bool { return c.task == taskOf(e) }) {
				tr.breaks("J5", "task %s has an unknown outcome at seq %d, and no step of it was begun", taskOf(e), e.Seq)
			}
		}
	}
	return unknown || len(begun) > 0 // its node may have settled it
}

// saysUnknown reports whether an entry is a failure, or a question, about a call whose outcome is not known.
func saysUnknown(e *journal.Entry) bool {
	if e.Kind == journal.InterruptOpened {
		var q struct {
			Kind string `json:"kind"`
		}
		return json.Unmarshal(e.Body, &q) == nil && q.Kind == node.KindOutcome
	}
	var failed journal.FailedBody
	return json.Unmarshal(e.Body, &failed) == nil && failed.Code == "outcome_unknown"
}

// mayNotRepeat reports whether what an entry begins must not happen twice: a tool may, unless it says otherwise.
func mayNotRepeat(e *journal.Entry) bool {
	var body journal.ToolBody
	return !ofTool(e.Op) || json.Unmarshal(e.Body, &body) == nil && body.Once
}

// isLeaf reports whether a task is no subgraph's.
func (tr *trial) isLeaf(e *journal.Entry) bool {
	i, ok := tr.x.plan.Index(node.NodeOf(e.Node))
	return ok && tr.x.plan.Flat()[i].Sub == nil
}

// byTask is what each task recorded, in order, without what differs from run to run: numbers, ids and stacks. That
// driving was taken up, and that text began to stream, are no outcomes.
func (tr *trial) byTask() map[string][]string {
	calls := make(map[string]string) // interrupt -> call
	lists := make(map[string][]string)
	sent := make(map[uint64]string)
	tools := make(map[string][]string) // the call of a tool, or of a goroutine, that each entry of a task is of
	apart := tr.apart()
	for i := range tr.journal {
		e := &tr.journal[i]
		sent[e.Seq] = entryName(e)
		switch e.Kind {
		case journal.RunPaused, journal.RunResumed, journal.TextStart, journal.DataInvalidated, journal.MessageSent,
			journal.NodeHeartbeat: // how far a task had come when it was cut off
			continue
		case journal.MessageReplied: // a message that is sent again is refused again
			if refuses(e) {
				continue
			}
		case journal.StepFinished: // likewise, as it was read
			if nodehost.CallKind(e.Op) == nodehost.KindHeartbeat {
				continue
			}
		case journal.NodeSuspended: // how often tools and goroutines that wait together are looked at is no outcome
			if apart[taskOf(e)] || strings.Contains(":"+e.Op, ":"+string(nodehost.KindReason)+":") {
				continue
			}
			if nodehost.CallKind(e.Op) == nodehost.KindReceive { // nor whether a message was there already
				continue
			}
		}
		task := taskOf(e)
		lists[task] = append(lists[task], entryText(e, calls, sent))
		call := e.Op
		if asked := calls[call]; asked != "" {
			call = asked
		}
		if apart[task] {
			tools[task] = append(tools[task], outermost(call))
		} else {
			tools[task] = append(tools[task], toolOf(call))
		}
	}
	for task, list := range lists {
		lists[task] = inTurn(list, tools[task])
	}
	return lists
}

// since is a time as seen from an entry, in microseconds; 0 for none. When a task comes to its turn depends on how long
// others take, and so on crashes; how long it waits then does not.
func since(e *journal.Entry, at int64) int64 {
	if at == 0 {
		return 0
	}
	return at - e.At
}

func entryText(e *journal.Entry, calls map[string]string, sent map[uint64]string) string {
	kind, op, body := e.Kind, e.Op, string(e.Body)
	switch e.Kind {
	case journal.NodeCached: // it means what a finished node means; whose outcome it is differs
		kind, body = journal.NodeFinished, ""
	case journal.InterruptOpened:
		var q journal.Interrupt
		if json.Unmarshal(e.Body, &q) == nil {
			calls[q.ID], op = q.Op, q.Op
			q.ID, q.TokenHash = "", ""
			q.Opened, q.Deadline = since(e, q.Opened), since(e, q.Deadline)
			data, _ := json.Marshal(q) //nolint:errchkjson // it was JSON before
			body = string(data)
		}
	case journal.InterruptUpdated, journal.InterruptResolved:
		op = calls[e.Op]
	case journal.NodeStarted:
		body = joined(e, sent)
	case journal.MessageAwaited:
		body = ""
	case journal.MessageReplied:
		var reply journal.RepliedBody
		if json.Unmarshal(e.Body, &reply) == nil {
			body = reply.ID + " " + reply.Error
		}
	case journal.TimerSet:
		var timer journal.TimerBody
		if json.Unmarshal(e.Body, &timer) == nil {
			body = fmt.Sprint("in ", since(e, timer.Due))
		}
	case journal.NodeFailed, journal.NodeRetrying:
		var f journal.FailedBody
		if json.Unmarshal(e.Body, &f) == nil {
			f.Stack, f.RetryAt = "", since(e, f.RetryAt)
			data, _ := json.Marshal(f) //nolint:errchkjson // it was JSON before
			body = string(data)
		}
	}
	to := strings.ReplaceAll(e.To, "\x00", "")
	return strings.TrimSpace(fmt.Sprintf("%s attempt=%d flags=%d %s %s %s %s", kind, e.Attempt, e.Flags, op, to, e.Value, body))
}
