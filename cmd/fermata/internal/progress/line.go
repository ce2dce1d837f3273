package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/journal"
)

// painter draws rows for a screen.
type painter struct {
	screen *term.Screen
	styles term.Styles
	glyphs term.Glyphs
	names  int // columns for names
}

func newPainter(s *term.Screen, t *Tree) painter {
	p := painter{screen: s, styles: s.Styles(), glyphs: s.Glyphs(), names: 8}
	for i := range t.flat {
		f := &t.flat[i]
		p.names = max(p.names, term.Columns(f.Name)+2*strings.Count(f.Path, "/"))
	}
	p.names = min(p.names, 28)
	return p
}

// Static draws the rows of a tree as they stand.
func Static(s *term.Screen, t *Tree, now time.Time) []string {
	p := newPainter(s, t)
	for _, r := range t.Rows() {
		p.names = min(max(p.names, term.Columns(r.Name())+2*r.Depth), 28)
	}
	lines := make([]string, len(t.Rows()))
	for i, r := range t.Rows() {
		lines[i] = p.row(r, now, 0)
	}
	return lines
}

// row is the line of one node.
func (p *painter) row(r *Row, now time.Time, frame int) string {
	glyph, style := p.glyph(r.State, frame)
	name := strings.Repeat("  ", r.Depth) + term.OneLine(r.Name())
	name = term.Pad(p.screen.Cut(name, p.names), p.names)
	if r.State == Skipped || r.State == Cached {
		name = p.styles.Faint.Apply(name)
	}
	var took string
	if d := r.took(now); d >= worthSaying {
		took = p.styles.Faint.Apply(term.Duration(d))
	}
	line := "  " + style.Apply(glyph) + " " + name + "  " + term.PadLeft(took, 7) + "  " + p.detail(r, now)
	return strings.TrimRight(line, " ")
}

// worthSaying is how long something takes at least for its duration to be shown.
const worthSaying = 10 * time.Millisecond

// took is how long the visit took, or has been going on; negative where that is not worth saying.
func (r *Row) took(now time.Time) time.Duration {
	switch {
	case r.Started.IsZero() || r.State == Skipped || r.State == Cached:
		return -1
	case !r.Ended.IsZero():
		return r.Ended.Sub(r.Started)
	}
	return max(now.Sub(r.Started), 0).Truncate(100 * time.Millisecond)
}

func (p *painter) glyph(s State, frame int) (string, term.Style) {
	g, st := &p.glyphs, &p.styles
	switch s {
	case Running:
		return g.Spinner[frame%len(g.Spinner)], st.Busy
	case Waiting:
		return g.Ask, st.Wait
	case Sleeping:
		return g.Timer, st.Wait
	case Retrying:
		return g.Retry, st.Wait
	case Done:
		return g.Done, st.Good
	case Cached:
		return g.Cached, st.Good
	case Failed:
		return g.Failed, st.Bad
	case Skipped:
		return g.Skipped, st.Faint
	case Left:
		return g.Stopped, st.Faint
	default:
		return g.Pending, st.Faint
	}
}

// detail says what a name and a duration do not.
func (p *painter) detail(r *Row, now time.Time) string {
	var parts []string
	add := func(style term.Style, text string) {
		if text != "" {
			parts = append(parts, style.Apply(term.Flat(text)))
		}
	}
	if r.Visits > 1 {
		add(p.styles.Faint, fmt.Sprintf("%d visits", r.Visits))
	}
	if text := r.attempts(); text != "" {
		add(p.styles.Faint, text)
	}
	switch r.State {
	case Waiting:
		add(p.styles.Wait, r.waitsFor(now))
	case Sleeping:
		add(p.styles.Faint, "until "+clock(r.Due, now))
	case Retrying:
		add(p.styles.Faint, "next try "+clock(r.Due, now))
		add(p.styles.Bad, r.Error)
	case Failed:
		add(p.styles.Bad, r.Error)
	case Left:
		add(p.styles.Faint, "not finished")
	case Running, Skipped:
		add(p.styles.Faint, r.Note)
	default:
	}
	text := strings.Join(parts, p.styles.Faint.Apply(" "+p.glyphs.Dot+" "))
	if r.Route != "" {
		route := p.styles.Faint.Apply(p.glyphs.Arrow) + " " + term.OneLine(r.Route)
		text = strings.TrimSpace(route + "  " + text)
	}
	return text
}

func (r *Row) attempts() string {
	switch {
	case r.Attempt <= 1 && r.State != Retrying:
		return ""
	case r.State.Ended():
		return term.Count(r.Attempt, "attempt")
	case r.Attempts > 0:
		return fmt.Sprintf("attempt %d of %d", r.Attempt, r.Attempts)
	}
	return fmt.Sprintf("attempt %d", r.Attempt)
}

// waitsFor says who is asked or which message is expected, and until when.
func (r *Row) waitsFor(now time.Time) string {
	switch asked, awaited := len(r.open), len(r.awaits); {
	case asked+awaited == 0:
		return "waits"
	case asked == 1 && awaited == 0:
		return Awaits(r.open[0], now)
	case awaited == 1 && asked == 0:
		return AwaitsMessage(&r.awaits[0], now)
	case awaited == 0:
		return "waits for " + term.Count(asked, "answer")
	case asked == 0:
		return "waits for " + term.Count(awaited, "message")
	default:
		return "waits for " + term.Count(asked, "answer") + " and " + term.Count(awaited, "message")
	}
}

// AwaitsMessage says which message a call waits for: "waits for message payments, until 14:03 +02:00".
func AwaitsMessage(c *mailbox.Call, now time.Time) string {
	text := "waits for message " + c.Name
	if c.Due != 0 {
		text += ", until " + term.When(micro(c.Due), now)
	}
	return text
}

// Awaits says who may answer a question and until when, as in "waits for ada, until 14:03 +02:00".
func Awaits(q *journal.Interrupt, now time.Time) string {
	text := "waits for an answer"
	switch {
	case q.State == journal.Claimed && q.ClaimedBy != "":
		text = "waits for " + identity.Shown(q.ClaimedBy, q.ClaimedByName)
	case q.Assignee != "":
		text = "waits for " + identity.Shown(q.Assignee, q.AssigneeName)
	case q.Role != "":
		text = "waits for the role " + q.Role
	}
	switch {
	case q.Deadline == 0:
	case Overdue(q, now):
		text += ", overdue since " + term.When(micro(q.Deadline), now)
	default:
		text += ", until " + term.When(micro(q.Deadline), now)
	}
	return text
}

// Overdue reports whether the deadline of an open question has passed. No process has applied it yet.
func Overdue(q *journal.Interrupt, now time.Time) bool {
	return q.IsOpen() && q.Deadline != 0 && q.Deadline <= now.UnixMicro()
}

// clock says a moment near to now to the second: "in 4s", else the time of day.
func clock(t, now time.Time) string {
	switch left := t.Sub(now); {
	case t.IsZero():
		return "later"
	case left <= 0:
		return "now"
	case left < time.Minute:
		return fmt.Sprintf("in %ds", int(left.Seconds())+1)
	}
	return term.When(t, now)
}
