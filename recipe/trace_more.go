package recipe

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// skipped adds a node that did not run.
func (b *traceBuilder) skipped(e *journal.Entry) error {
	body, err := bodyOf[journal.SkippedBody](e)
	if err != nil {
		return err
	}
	b.trace.Steps = append(b.trace.Steps, TraceStep{
		ID: node.TaskID(e.Node, int(e.Visit)), Seq: e.Seq, Timestamp: e.Time(), Type: TraceSystem, Node: e.Node,
		Observation: strings.TrimSuffix("skipped: "+body.Reason, ": "),
	})
	return nil
}

// resumed adds why a run was continued, if it was more than an answer or the time: a retry, a fork, another plan, the
// loss of its process.
func (b *traceBuilder) resumed(e *journal.Entry) error {
	body, err := bodyOf[journal.ResumedBody](e)
	if err != nil {
		return err
	}
	if body.Reason == "recovered" {
		b.unattended(e)
	}
	seen := strings.TrimSpace(byAndAs(body.By, ""))
	switch {
	case body.Takeover:
		seen = "its process was lost"
		if body.By != "" {
			seen += "; " + body.By + " took it over"
		}
		if len(body.Lost) > 0 {
			seen += "; what was at work goes on, without what is recorded: " + strings.Join(body.Lost, ", ")
		}
	case body.Reason == "retry", body.Reason == "replan", body.Reason == "fork":
	default:
		return nil
	}
	b.again++
	b.trace.Steps = append(b.trace.Steps, TraceStep{
		ID: "resume#" + strconv.Itoa(b.again), Seq: e.Seq, Timestamp: e.Time(), Type: TraceSystem, Action: body.Reason,
		Observation: seen,
	})
	return nil
}

// heldAt says where a run is held, or by whom.
func heldAt(b *journal.HeldBody) string {
	switch {
	case b.Before != "":
		return "held before " + b.Before
	case b.After != "":
		return "held after " + b.After
	}
	return "held" + byAndAs(b.By, "")
}

// held adds a step for a hold, which its release ends.
func (b *traceBuilder) held(e *journal.Entry) error {
	if e.Kind == journal.RunHeld {
		body, err := bodyOf[journal.HeldBody](e)
		if err != nil {
			return err
		}
		b.holds++
		b.trace.Steps = append(b.trace.Steps, TraceStep{
			ID: "hold#" + strconv.Itoa(b.holds), Seq: e.Seq, Timestamp: e.Time(), Type: TraceSystem,
			Action: heldAt(&body), Observation: body.Note,
		})
		return nil
	}
	body, err := bodyOf[journal.ReleasedBody](e)
	if err != nil {
		return err
	}
	for i := len(b.trace.Steps) - 1; i >= 0; i-- {
		if s := &b.trace.Steps[i]; s.ID == "hold#"+strconv.Itoa(b.holds) {
			text := "released" + byAndAs(body.By, "")
			if body.Note != "" {
				text += ": " + body.Note
			}
			s.observe(text)
			s.Duration = float64(e.Time().Sub(s.Timestamp).Microseconds()) / 1000
			break
		}
	}
	return nil
}

// clock counts how long a step waits: from when it is suspended until something comes that it waits for.
func (b *traceBuilder) clock(s *TraceStep, e *journal.Entry) {
	i, ok := b.open[node.TaskID(e.Node, int(e.Visit))]
	if !ok || s != &b.trace.Steps[i] {
		return
	}
	switch e.Kind {
	case journal.NodeSuspended:
		if _, waits := b.waits[i]; !waits {
			b.waits[i] = e.Time()
		}
	case journal.InterruptResolved, journal.TimerFired:
		b.waited(i, e)
	default:
	}
}

// waited ends the wait of a step.
func (b *traceBuilder) waited(step int, e *journal.Entry) {
	if since, waits := b.waits[step]; waits {
		b.trace.Steps[step].Waited += float64(e.Time().Sub(since).Microseconds()) / 1000
		delete(b.waits, step)
	}
}

// unattended counts the time before a process took the run as one that the steps at work waited. It begins with the last entry: when
// a process before it was lost, nobody knows.
func (b *traceBuilder) unattended(e *journal.Entry) {
	for _, i := range b.open {
		s := &b.trace.Steps[i]
		if _, waits := b.waits[i]; !waits && s.Duration == 0 && s.Snapshot == nil && s.Error == "" {
			s.Waited += float64(e.Time().Sub(b.last).Microseconds()) / 1000
		}
	}
}

// cached notes whose outcome a step has (law D13).
func (s *TraceStep) cached(e *journal.Entry) error {
	body, err := bodyOf[journal.CachedBody](e)
	if err != nil {
		return err
	}
	s.observe("cached: the outcome of " + body.Task + " in run " + body.Run)
	return nil
}

// toolResult records the result text or the failure of a tool call.
func (s *TraceStep) toolResult(tool string, e *journal.Entry) error {
	body, err := bodyOf[journal.StepBody](e)
	if err != nil {
		return err
	}
	var text string
	if json.Unmarshal(e.Value, &text) == nil && text != "" {
		s.observe(tool + ": " + text)
	}
	if body.Error != "" {
		s.observe(tool + " failed: " + body.Error)
	}
	return nil
}

// modelReply records the thoughts, texts and calls of a model's reply.
func (s *TraceStep) modelReply(reply []byte) {
	var r struct {
		Parts []struct {
			Kind string `json:"kind"`
			Text string `json:"text"`
			Call *struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"call"`
		} `json:"parts"`
	}
	if json.Unmarshal(reply, &r) != nil {
		return // a failure, which says what it is
	}
	for _, p := range r.Parts {
		switch {
		case p.Kind == "reasoning" && p.Text != "":
			s.Thought = strings.TrimPrefix(s.Thought+"\n"+p.Text, "\n")
		case p.Kind == "":
			s.observe(p.Text)
		case p.Call != nil:
			s.observe("calls " + p.Call.Name + " " + string(p.Call.Arguments))
		}
	}
}

func clockTime(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.RFC3339) }
