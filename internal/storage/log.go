package storage

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Runs and tasks are logged from stored entries, so each line comes once (law N4). Events of runs have level
// info, or warn for an end without success. Events of tasks have level debug, or info for a failure. Every line
// has the attributes run, event (its type) and seq. Lines of a task also have task and attempt, like the node's
// own lines.

// LogStored logs entries that were just stored. The logger is the caller's own, nil for none.
func LogStored(log *slog.Logger, run, plan string, entries []journal.Entry) {
	if log == nil {
		return
	}
	var asked, enabled [2]bool
	logs := func(l slog.Level) bool { // checks each level once, and only if there is something to log
		i := 0
		if l == slog.LevelInfo {
			i = 1
		}
		if !asked[i] {
			asked[i], enabled[i] = true, log.Enabled(context.Background(), l)
		}
		return enabled[i]
	}
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case journal.RunStarted, journal.RunPaused, journal.RunResumed, journal.RunHeld, journal.RunReleased:
			if logs(slog.LevelInfo) {
				logRun(log, run, plan, e)
			}
		case journal.RunFinished, journal.RunBlocked, journal.RunUndoing:
			logRun(log, run, plan, e)
		case journal.NodeFailed, journal.NodeRetrying:
			if logs(slog.LevelInfo) {
				logTask(log, run, e)
			}
		case journal.NodeStarted, journal.NodeFinished, journal.NodeSuspended:
			if logs(slog.LevelDebug) {
				logTask(log, run, e)
			}
		}
	}
}

func logRun(log *slog.Logger, run, plan string, e *journal.Entry) {
	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs, slog.String("run", run), slog.String("plan", plan))
	level, text := slog.LevelInfo, "run started"
	switch e.Kind {
	case journal.RunPaused:
		text = "run paused"
	case journal.RunHeld:
		text = "run held"
	case journal.RunReleased:
		text = "run released"
	case journal.RunResumed:
		text = "run resumed"
		attrs = append(attrs, slog.String("reason", BodyOf[journal.ResumedBody](e).Reason))
	case journal.RunBlocked:
		body := BodyOf[journal.BlockedBody](e)
		level, text = slog.LevelWarn, "run blocked"
		attrs = append(attrs, slog.String("code", body.Code), slog.String("error", body.Error))
	case journal.RunUndoing:
		body := BodyOf[journal.FinishedBody](e)
		text = "run undoes what it has done"
		attrs = append(attrs, slog.String("because", body.Status))
	case journal.RunFinished:
		body := BodyOf[journal.FinishedBody](e)
		text = "run " + body.Status
		if body.Status != machine.Completed && body.Status != machine.Cancelled {
			level = slog.LevelWarn
		}
		for _, a := range []slog.Attr{
			slog.String("failed", body.Task), slog.String("code", body.Code), slog.String("limit", body.Limit),
			slog.String("error", body.Error),
		} {
			if a.Value.String() != "" {
				attrs = append(attrs, a)
			}
		}
	}
	emitLine(log, level, text, e, attrs)
}

func logTask(log *slog.Logger, run string, e *journal.Entry) {
	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs, slog.String("run", run), slog.String("task", nodehost.TaskID(e.Node, int(e.Visit))),
		slog.Int("attempt", int(e.Attempt)))
	level, text := slog.LevelDebug, "task started"
	switch e.Kind {
	case journal.NodeFinished:
		text = "task finished"
	case journal.NodeSuspended:
		text = "task waits"
		attrs = append(attrs, slog.String("for", nodehost.CallText(e.Op)))
	case journal.NodeFailed, journal.NodeRetrying:
		level, text = slog.LevelInfo, "task failed"
		body := BodyOf[journal.FailedBody](e)
		if e.Kind == journal.NodeRetrying {
			text = "task is tried again"
		}
		if body.Code != "" {
			attrs = append(attrs, slog.String("code", body.Code))
		}
		attrs = append(attrs, slog.String("error", body.Error))
	}
	emitLine(log, level, text, e, attrs)
}

func emitLine(log *slog.Logger, level slog.Level, text string, e *journal.Entry, attrs []slog.Attr) {
	attrs = append(attrs, slog.String("event", e.Kind.String()), slog.Uint64("seq", e.Seq))
	log.LogAttrs(context.Background(), level, text, attrs...)
}

// BodyOf decodes the body of an entry; its zero value if it has none.
func BodyOf[T any](e *journal.Entry) (body T) {
	if json.Unmarshal(e.Body, &body) != nil {
		var none T
		return none
	}
	return body
}
