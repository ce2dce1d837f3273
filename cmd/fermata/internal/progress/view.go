package progress

import (
	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// View shows the progress of one run. Its methods are called by one goroutine; Print may be called by any.
type View interface {
	// Load folds in what happened before: it is known, and not told again.
	Load(ev *fermata.Event)
	// Show shows an event.
	Show(ev *fermata.Event)
	// Print writes lines that stay.
	Print(lines ...string)
	// Hold gives the terminal away, until Go: nothing is drawn meanwhile.
	Hold()
	Go()
	// Close shows how everything stands, for good.
	Close()
}

// New returns a view on a screen: a live one if the screen can be redrawn, else plain lines. With quiet, it shows
// nothing.
func New(screen *term.Screen, t *Tree, quiet bool) View {
	switch {
	case quiet:
		return &silent{screen: screen, tree: t}
	case screen.Live:
		return newLive(screen, t)
	}
	return &plain{screen: screen, tree: t}
}

// silent shows nothing but what is printed.
type silent struct {
	screen *term.Screen
	tree   *Tree
}

func (v *silent) Load(ev *fermata.Event) { v.tree.Apply(ev) }
func (v *silent) Show(ev *fermata.Event) { v.tree.Apply(ev) }
func (v *silent) Print(lines ...string)  { v.screen.Println(lines...) }
func (v *silent) Hold()                  {}
func (v *silent) Go()                    {}
func (v *silent) Close()                 {}
