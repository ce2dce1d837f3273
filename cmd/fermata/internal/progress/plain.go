package progress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/journal"
)

// plain writes one line for each thing that happens: node, word, detail. Nothing is redrawn, and nothing depends on
// the width of a terminal, so that logs can be compared and searched.
type plain struct {
	screen *term.Screen
	tree   *Tree
	paint  *painter

	mu   sync.Mutex
	held bool
	kept []string // lines that wait for Go
}

func (v *plain) Load(ev *fermata.Event) { v.tree.Apply(ev) }

func (v *plain) Show(ev *fermata.Event) {
	r := v.tree.Apply(ev)
	if r == nil {
		word, detail := v.ofRun(ev)
		v.line(v.tree.Plan, word, detail)
		return
	}
	word, detail := ofNode(ev, r)
	v.line(r.Path, word, detail)
}

func (v *plain) line(name, word, detail string) {
	if word == "" {
		return
	}
	if v.paint == nil {
		p := newPainter(v.screen, v.tree)
		v.paint = &p
	}
	line := term.Pad(term.OneLine(name), v.paint.names) + "  " + term.Pad(word, 9) + "  " + term.Flat(detail)
	v.Print(strings.TrimRight(line, " "))
}

func (v *plain) Print(lines ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.held {
		v.kept = append(v.kept, lines...)
		return
	}
	v.screen.Println(lines...)
}

func (v *plain) Hold() {
	v.Print("")
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = true
}

func (v *plain) Go() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = false
	v.screen.Println(v.kept...)
	v.kept = nil
}

func (v *plain) Close() { v.Go() }

func (v *plain) ofRun(ev *fermata.Event) (word, detail string) {
	e := &ev.Entry
	switch e.Kind {
	case journal.RunStarted:
		return "started", ev.Run
	case journal.RunResumed:
		return "resumed", bodyOf[journal.ResumedBody](e).Reason
	case journal.RunPaused:
		return "paused", ""
	case journal.RunBlocked:
		return "blocked", bodyOf[journal.BlockedBody](e).Error
	case journal.RunHeld:
		body := bodyOf[journal.HeldBody](e)
		switch {
		case body.Before != "":
			return "held", "before " + body.Before
		case body.After != "":
			return "held", "after " + body.After
		}
		return "held", whoAndWhy(body.By, body.Note)
	case journal.RunReleased:
		body := bodyOf[journal.ReleasedBody](e)
		return "released", whoAndWhy(body.By, body.Note)
	case journal.RunUndoing:
		body := bodyOf[journal.FinishedBody](e)
		if body.Task != "" {
			return "undoing", body.Status + " at " + body.Task
		}
		return "undoing", body.Status
	case journal.RunFinished:
		body := bodyOf[journal.FinishedBody](e)
		if body.Task != "" {
			return body.Status, "at " + body.Task
		}
		return body.Status, body.Error + body.Reason
	case journal.MessageSent:
		return "message", v.sent(e)
	default:
		return "", ""
	}
}

// whoAndWhy says who did something, and why.
func whoAndWhy(who, why string) string {
	if who != "" {
		who = "by " + who
	}
	if who == "" || why == "" {
		return who + why
	}
	return who + ": " + why
}

// sent says which message came: its name, its id and its sender.
func (v *plain) sent(e *journal.Entry) string {
	body := bodyOf[journal.SentBody](e)
	text := body.Name
	if body.ID != "" {
		text += " " + body.ID
	}
	if body.By != "" {
		text += " from " + body.By
	}
	if v.tree.again {
		text += ", which has come before: no effect"
	}
	return text
}

// replied says how a message was answered.
func replied(e *journal.Entry) (word, detail string) {
	body := bodyOf[journal.RepliedBody](e)
	which := "message"
	if body.ID != "" {
		which += " " + body.ID
	}
	if body.Error != "" {
		return "refuses", which + ": " + body.Error
	}
	return "replies", "to " + which
}

// ofNode says what an event of a node is in a word; "" for what is not worth a line.
func ofNode(ev *fermata.Event, r *Row) (word, detail string) {
	e := &ev.Entry
	switch e.Kind {
	case journal.NodeFinished:
		if d := r.took(ev.Time()); d >= worthSaying {
			detail = term.Duration(d)
		}
		return "done", detail
	case journal.NodeCached:
		return "cached", ""
	case journal.NodeSkipped:
		return "skipped", r.Note
	case journal.NodeFailed:
		return "failed", r.Error
	case journal.NodeRetrying:
		return "retrying", "attempt " + attemptOf(r) + " failed: " + r.Error
	case journal.RouteTaken:
		if body := bodyOf[journal.RouteBody](e); body.Of == 0 && e.Flags&journal.FlagItem == 0 {
			return "routed", "to " + targets(e, body)
		}
	case journal.InterruptOpened:
		if len(r.open) > 0 {
			return "waits", asked(r.open[len(r.open)-1])
		}
	case journal.InterruptUpdated:
		body := bodyOf[journal.UpdatedBody](e)
		return updated(&body)
	case journal.InterruptResolved:
		body := bodyOf[journal.ResolvedBody](e)
		return body.State, by(&body)
	case journal.MessageAwaited:
		if i := slices.IndexFunc(r.awaits, func(c mailbox.Call) bool { return c.Op == e.Op }); i >= 0 { // it has not come yet
			text := "for message " + r.awaits[i].Name
			if r.awaits[i].Due != 0 {
				text += " until " + term.Moment(micro(r.awaits[i].Due), time.Now())
			}
			return "waits", text
		}
	case journal.MessageReplied:
		return replied(e)
	case journal.Message, journal.Status:
		return "says", eventText(ev)
	case journal.Diagnostic:
		return "says", lastLine(eventText(ev))
	default:
	}
	return "", ""
}

func attemptOf(r *Row) string {
	if r.Attempts > 0 {
		return fmt.Sprintf("%d of %d", r.Attempt, r.Attempts)
	}
	return strconv.Itoa(r.Attempt)
}

func asked(q *journal.Interrupt) string {
	text := q.ID
	if q.Role != "" {
		text += " for " + q.Role
	}
	if q.Deadline != 0 {
		text += " until " + term.Moment(micro(q.Deadline), time.Now())
	}
	return text
}

func by(body *journal.ResolvedBody) string {
	who := identity.Shown(body.By, body.ByName)
	switch {
	case body.Default:
		return "by the deadline's default"
	case body.By != "" && body.Role != "":
		return withNote("by "+who+" as "+body.Role, body.Reason)
	case body.By != "":
		return withNote("by "+who, body.Reason)
	case body.Target != "":
		return "to " + body.Target
	}
	return body.Reason
}

// withNote puts why it was done behind what was done.
func withNote(text, note string) string {
	if note == "" {
		return text
	}
	return text + " (" + strings.Join(strings.Fields(note), " ") + ")"
}

// updated says what was done with a question: whether it was claimed, released, or who is asked now.
func updated(body *journal.UpdatedBody) (verb, rest string) {
	by := identity.Shown(body.By, body.ByName)
	if body.Do == "claim" || body.Do == "release" {
		return body.Do + "d", withNote(by, body.Note)
	}
	if body.Do == "token" {
		return "given a new token", by
	}
	to := identity.Shown(body.Assignee, body.AssigneeName)
	switch {
	case to == "":
		to = "the role " + body.Role
	case body.Role != "":
		to += " (" + body.Role + ")"
	}
	verb = "escalated"
	if body.Do == "reassign" {
		verb = "reassigned"
	}
	if body.By != "" {
		return verb, withNote("to "+to+" by "+by, body.Note)
	}
	return verb, "to " + to
}
