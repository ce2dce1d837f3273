package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
)

// live redraws the tree in place, ten times a second.
type live struct {
	screen *term.Screen
	area   *term.Area

	mu     sync.Mutex
	tree   *Tree
	paint  painter
	begun  bool // the heading has been printed
	held   bool
	frame  int
	stop   chan struct{}
	closed chan struct{}
}

const frameTime = 100 * time.Millisecond

func newLive(s *term.Screen, t *Tree) *live {
	v := &live{
		screen: s, area: s.NewArea(), tree: t, paint: newPainter(s, t),
		stop: make(chan struct{}), closed: make(chan struct{}),
	}
	go v.run()
	return v
}

func (v *live) run() {
	defer close(v.closed)
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	for {
		select {
		case <-v.stop:
			return
		case now := <-ticker.C:
			v.mu.Lock()
			v.frame++
			v.draw(now)
			v.mu.Unlock()
		}
	}
}

func (v *live) Load(ev *fermata.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tree.Apply(ev)
}

func (v *live) Show(ev *fermata.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.tree.Apply(ev)
	if r == nil {
		return
	}
	if ev.Entry.Kind != journal.Message {
		return
	}
	v.begin()
	name := term.Pad(v.screen.Cut(term.OneLine(r.Name()), v.paint.names), v.paint.names)
	for _, line := range term.Wrap(term.Plain(eventText(ev)), v.screen.Width()-v.paint.names-6) {
		v.area.Print("    " + v.paint.styles.Strong.Apply(name) + "  " + line)
		name = term.Pad("", v.paint.names)
	}
}

func (v *live) Print(lines ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.begin()
	v.area.Print(lines...)
}

func (v *live) begin() {
	if v.begun || v.tree.Run == "" {
		return
	}
	v.begun = true
	v.area.Print("", "  "+v.paint.styles.Strong.Apply(term.OneLine(v.tree.Plan))+"  "+v.paint.styles.Faint.Apply(v.tree.Run), "")
}

// Hold prints what is settled for good and takes the rest away.
func (v *live) Hold() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = true
	v.begin()
	v.area.Clear()
	now := time.Now()
	taken := v.tree.Take()
	for _, r := range taken {
		v.area.Print(v.screen.Cut(v.paint.row(r, now, 0), v.screen.Width()))
	}
	if len(taken) > 0 {
		v.area.Print("")
	}
}

func (v *live) Go() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = false
}

func (v *live) Close() {
	close(v.stop)
	<-v.closed
	v.mu.Lock()
	defer v.mu.Unlock()
	v.begin()
	v.area.Clear()
	now := time.Now()
	for _, r := range v.tree.Rows() {
		if r.State == Running {
			r.State, r.Ended = Left, now
		}
		v.area.Print(v.screen.Cut(v.paint.row(r, now, 0), v.screen.Width()))
	}
}

// draw shows what is going on. What is settled gives way to what is not where the terminal is too low for both.
func (v *live) draw(now time.Time) {
	if v.held || v.tree.Run == "" {
		return
	}
	v.begin()
	rows, pending := v.tree.Rows(), v.tree.Pending()
	_, height := v.screen.Size()
	room := max(height-2, 3)

	active := 0
	for _, r := range rows {
		if !r.State.Ended() {
			active++
		}
	}
	ahead := min(len(pending), max(room-active-min(len(rows)-active, 3), 0), 12)
	if ahead < len(pending) && ahead > 0 {
		ahead-- // for the line that counts the others
	}
	behind := max(room-active-ahead-1, 0)

	var lines []string
	hide := len(rows) - active - behind
	if hide > 0 {
		lines = append(lines, v.paint.styles.Faint.Apply(fmt.Sprintf("  %s %d done before", v.paint.glyphs.Ellipsis, hide)))
	}
	for _, r := range rows {
		if r.State.Ended() && hide > 0 {
			hide--
			continue
		}
		lines = append(lines, v.paint.row(r, now, v.frame))
	}
	for _, name := range pending[:ahead] {
		lines = append(lines, v.paint.styles.Faint.Apply("  "+v.paint.glyphs.Pending+" "+term.OneLine(name)))
	}
	if rest := len(pending) - ahead; rest > 0 && ahead > 0 {
		lines = append(lines, v.paint.styles.Faint.Apply(fmt.Sprintf("  %s and %d more", v.paint.glyphs.Ellipsis, rest)))
	}
	v.area.Draw(lines)
}
