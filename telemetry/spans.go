package telemetry

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Attributes of spans and measurements.
const (
	keyRun       = attribute.Key("fermata.run")
	keyPlan      = attribute.Key("fermata.plan")
	keyRetry     = attribute.Key("fermata.retry")
	keyStatus    = attribute.Key("fermata.status")
	keyLimit     = attribute.Key("fermata.limit")
	keyTask      = attribute.Key("fermata.task")
	keyNode      = attribute.Key("fermata.node")
	keyAttempt   = attribute.Key("fermata.attempt")
	keyOutcome   = attribute.Key("fermata.outcome")
	keyRoute     = attribute.Key("fermata.route")
	keyOp        = attribute.Key("fermata.op")
	keyInterrupt = attribute.Key("fermata.interrupt")
	keyRole      = attribute.Key("fermata.role")
	keyQueue     = attribute.Key("fermata.queue")
	keyState     = attribute.Key("fermata.state")
	keyDefault   = attribute.Key("fermata.default")
	keyDetail    = attribute.Key("fermata.detail")
	keyErrorType = attribute.Key("error.type") // of the semantic conventions
)

// Outcomes of tasks and calls.
const (
	outcomeFinished = "finished"
	outcomeFailed   = "failed"
	outcomeExpired  = "expired" // left over the edge of a deadline
	outcomeCutOff   = "cut_off" // open when the run ended
)

// end is how a task ended.
type end struct {
	outcome string
	attempt uint16
	route   string
	failure string
	code    string
}

// span is a span that is over.
type span struct {
	name     string
	id       trace.SpanID
	parent   trace.SpanID // zero for none
	from, to int64        // microseconds
	attrs    []attribute.KeyValue
	events   []event
	failed   bool
	failure  string
}

// export makes a span and ends it at once.
func (f *follower) export(s *span) {
	ctx := context.WithValue(context.Background(), idKey{}, identity{f.trace, s.id})
	if s.parent.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, f.spanContext(s.parent))
	}
	attrs := append(s.attrs, keyRun.String(f.run), keyPlan.String(f.plan)) //nolint:gocritic // the span is not used again
	inert(attrs)
	_, made := f.t.tracer.Start(ctx, printable.Line(s.name), trace.WithTimestamp(time.UnixMicro(s.from)), trace.WithAttributes(attrs...))
	for _, e := range s.events {
		var attrs []attribute.KeyValue
		if e.attempt > 0 {
			attrs = append(attrs, keyAttempt.Int(int(e.attempt)))
		}
		if e.detail != "" {
			attrs = append(attrs, keyDetail.String(printable.Escape(e.detail)))
		}
		made.AddEvent(printable.Line(e.name), trace.WithTimestamp(time.UnixMicro(e.at)), trace.WithAttributes(attrs...))
	}
	if s.failed {
		made.SetStatus(codes.Error, printable.Escape(s.failure))
	}
	made.End(trace.WithTimestamp(time.UnixMicro(max(s.from, s.to))))
}

// inert escapes what would act where attributes are shown (law H9).
func inert(attrs []attribute.KeyValue) {
	for i := range attrs {
		if v := attrs[i].Value; v.Type() == attribute.STRING && !printable.IsClean(v.AsString()) {
			attrs[i].Value = attribute.StringValue(printable.Escape(v.AsString()))
		}
	}
}

// spanContext is a span of the run as its children see it: made elsewhere, at another time.
func (f *follower) spanContext(id trace.SpanID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: f.trace, SpanID: id, TraceFlags: trace.FlagsSampled, Remote: true,
	})
}

// legID is the span of the leg that the run is in.
func (f *follower) legID() trace.SpanID { return place{seq: f.leg.began}.id(f.run) }

// id is the span of a task.
func (t *task) id(run string, k visit) trace.SpanID {
	return place{seq: t.began, node: k.node, visit: k.n}.id(run)
}

// callID is the span of a call.
func (f *follower) callID(k visit, c call) trace.SpanID {
	return place{node: k.node, visit: k.n, attempt: c.attempt, op: nodehost.CallUntried(c.op)}.id(f.run)
}

// callParent is the span that a call belongs to: of the step that it was made inside of, or of the task.
func (f *follower) callParent(k visit, t *task, c call) trace.SpanID {
	if c.op = around(c.op); c.op != "" {
		return f.callID(k, c)
	}
	return t.id(f.run, k)
}

// endRun makes the span of the leg.
func (f *follower) endRun(at int64, body journal.FinishedBody) {
	f.t.meter.runFinished(f.plan, body.Status, at-f.leg.at)
	if f.t.tracer == nil {
		return
	}
	s := &span{
		name: "run " + f.plan, id: f.legID(), from: f.leg.at, to: at, events: f.leg.events,
		attrs: []attribute.KeyValue{keyStatus.String(body.Status)}, failure: body.Error,
	}
	if f.leg.began != 1 { // a retry is part of the run that failed
		s.parent = place{seq: 1}.id(f.run)
		s.attrs = append(s.attrs, keyRetry.Bool(true))
	}
	if body.Limit != "" {
		s.attrs = append(s.attrs, keyLimit.String(body.Limit))
	}
	switch fermata.Status(body.Status) {
	case fermata.Failed, fermata.Expired, fermata.Stuck:
		s.fail(body.Code)
	case fermata.Completed, fermata.Cancelled, fermata.Running, fermata.Paused, fermata.Blocked:
	}
	f.export(s)
}

// fail marks a span as failed. The code is the journal's, "" for an error of the author's.
func (s *span) fail(code string) {
	if code == "" {
		code = "_OTHER" // as the semantic conventions say it
	}
	s.failed = true
	s.attrs = append(s.attrs, keyErrorType.String(code))
}

// endTask makes the span of a task.
func (f *follower) endTask(k visit, t *task, at int64, how end) {
	f.t.meter.taskEnded(f.plan, node.NodeOf(k.node), how.outcome, at-t.at)
	if f.t.tracer == nil {
		return
	}
	s := &span{
		name: "task " + node.NodeOf(k.node), id: t.id(f.run, k), parent: t.parent, from: t.at, to: at, events: t.events, failure: how.failure,
		attrs: append(make([]attribute.KeyValue, 0, 8), keyTask.String(node.TaskID(k.node, int(k.n))), keyNode.String(node.NodeOf(k.node)),
			keyAttempt.Int(int(t.attempt)), keyOutcome.String(how.outcome)),
	}
	if how.route != "" {
		s.attrs = append(s.attrs, keyRoute.String(target(how.route)))
	}
	if how.outcome == outcomeFailed {
		s.fail(how.code)
	}
	f.export(s)
}

// target shows where a gate sends a token.
func target(to string) string {
	switch to {
	case node.End:
		return "END"
	case node.Stop:
		return "Stop"
	}
	return to
}

// endCall makes the span of a step or a sleep.
func (f *follower) endCall(k visit, t *task, c call, from, at int64, body stepBody) {
	name, outcome := callName(c.op), outcomeFinished
	if body.Error != "" {
		outcome = outcomeFailed
	}
	if kind := nodehost.CallKind(c.op); kind != nodehost.KindSleep && kind != nodehost.KindReceive { // to wait is no step
		f.t.meter.stepEnded(f.plan, node.NodeOf(k.node), outcome, at-from)
		f.t.meter.used(f.plan, node.NodeOf(k.node), body.Usage)
	}
	if f.t.tracer == nil {
		return
	}
	s := &span{
		name: name, id: f.callID(k, c), parent: f.callParent(k, t, c), from: from, to: at, failure: body.Error,
		attrs: append(make([]attribute.KeyValue, 0, 8), keyTask.String(node.TaskID(k.node, int(k.n))),
			keyAttempt.Int(int(c.attempt)), keyOp.String(nodehost.CallText(c.op)), keyOutcome.String(outcome)),
	}
	s.attrs = append(s.attrs, body.Usage.attributes()...)
	if nodehost.CallKind(c.op) == nodehost.KindTool {
		s.attrs = append(s.attrs, keyOperation.String(operationTool), keyTool.String(keyOf(c.op)))
	}
	if outcome == outcomeFailed {
		s.fail("")
	}
	f.export(s)
}

const nameSleep = "sleep"

// callName is the name of a call's span: "step charge", "model draft", "sleep".
func callName(op string) string {
	switch kind := nodehost.CallKind(op); kind {
	case nodehost.KindSleep:
		return nameSleep
	case nodehost.KindOnce:
		return "step " + keyOf(op)
	case nodehost.KindTool:
		return operationTool + " " + keyOf(op)
	default:
		return string(kind) + " " + keyOf(op)
	}
}

// endQuestion makes the span of a question: from when it was asked to when it was closed. It says in which role it
// was to be answered, and never what was asked, what was answered, or by whom.
func (f *follower) endQuestion(q *question, at int64, body journal.ResolvedBody) {
	f.t.meter.closed(f.plan, node.NodeOf(q.task.node), body.State, at-q.at)
	if f.t.tracer == nil {
		return
	}
	s := &span{
		name: "interrupt", parent: q.parent, from: q.at, to: at,
		id: place{node: q.task.node, visit: q.task.n, op: q.asked.ID}.id(f.run),
		attrs: append(make([]attribute.KeyValue, 0, 9), keyTask.String(node.TaskID(q.task.node, int(q.task.n))),
			keyAttempt.Int(int(q.attempt)), keyOp.String(nodehost.CallText(q.asked.Op)), keyInterrupt.String(q.asked.ID),
			keyState.String(body.State)),
	}
	if q.asked.Role != "" {
		s.attrs = append(s.attrs, keyRole.String(q.asked.Role))
	}
	if body.Default {
		s.attrs = append(s.attrs, keyDefault.Bool(true))
	}
	f.export(s)
}

// Context implements [fermata.Follower]: spans that the code makes become children of the span of its task or step,
// which is made later, when its outcome is stored.
func (f *follower) Context(ctx context.Context, s fermata.Scope) context.Context {
	k := visit{s.Node, uint32(s.Visit)}
	f.mu.Lock()
	t := f.task(k)
	id := t.id(f.run, k)
	if s.Op != "" {
		c := call{uint16(s.Attempt), s.Op}
		t.begun(c, s.At.UnixMicro())
		id = f.callID(k, c)
	}
	f.mu.Unlock()
	if f.t.tracer == nil {
		return ctx
	}
	parent := f.spanContext(id)
	live := trace.ContextWithRemoteSpanContext(ctx, parent)
	if !s.Replaying() {
		return live
	}
	quiet := trace.ContextWithRemoteSpanContext(ctx, parent.WithTraceFlags(0))
	return &replayed{Context: live, quiet: quiet, replaying: s.Replaying}
}

// replayed is the context of code that first does again what an earlier pass has done. Until it is through with that,
// the span that it finds is one that is not sampled: a sampler that follows the parent's makes nothing of it (law N4).
type replayed struct {
	context.Context
	quiet     context.Context
	replaying func() bool
	through   atomic.Bool
}

// Value implements context.Context.
func (c *replayed) Value(key any) any {
	if c.through.Load() {
		return c.Context.Value(key)
	}
	if c.replaying() {
		return c.quiet.Value(key)
	}
	c.through.Store(true)
	return c.Context.Value(key)
}
