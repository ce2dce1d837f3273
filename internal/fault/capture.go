package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Patience is how long the methods of one error may take together. An error that takes longer is given up, and its
// goroutine is left behind.
const Patience = 5 * time.Second

// mostErrors is how many errors a tree may have: one that unwraps to itself has no end.
const mostErrors = 1000

// Captured is an error of foreign code: its recorded parts, and the error itself for errors.Is and As. Its methods
// never panic, and call those of the error only inside a recover.
type Captured struct {
	Recorded

	Others bool // a function of the program has said so: that code and journal do not fit is said of another run

	raw   error // nil where its methods misbehave
	stack []byte
}

// Stack is where a method of the error has panicked, nil where none has.
func (c *Captured) Stack() []byte { return c.stack }

// beginning is how much is kept of a text that is too long.
const beginning = 1000

// Within shortens the error's text if it exceeds limit bytes, and omits details that exceed it.
func (c *Captured) Within(limit int) *Captured {
	if c == nil {
		return nil
	}
	tooLong := func(_ string, detail json.RawMessage) bool { return len(detail) > limit }
	cut := *c
	if len(c.Text) > limit {
		begins := strings.ToValidUTF8(c.Text[:min(beginning, limit)], "")
		cut.Text = fmt.Sprintf("%s… (the text of the error has %d bytes, of which no more than the beginning is kept)", begins, len(c.Text))
	}
	if c.Marks != nil {
		marks := *c.Marks
		marks.Details = maps.Clone(c.Marks.Details)
		maps.DeleteFunc(marks.Details, tooLong)
		if len(marks.Details) < len(c.Marks.Details) {
			cut.Marks = &marks
		}
	}
	if cut.Text == c.Text && cut.Marks == c.Marks {
		return c
	}
	return &cut
}

// Is reports whether errors.Is finds target in the error.
func (c *Captured) Is(target error) bool {
	if c.Marks.Is(target) {
		return true
	}
	if c.raw == nil || codeOf(target) != "" {
		return false // what a journal keeps is known: the answer is the same for those who only read of it
	}
	return asked(func() bool { return errors.Is(c.raw, target) })
}

// As finds the first error of target's type, as errors.As does.
func (c *Captured) As(target any) bool {
	if c.raw != nil && asked(func() bool { return errors.As(c.raw, target) }) {
		return true
	}
	return c.Marks.As(target, c)
}

// asked is false where f panics.
func asked(f func() bool) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return f()
}

// Capture takes an error over; nil for nil. Each of its methods is called once, inside a recover and within a time. Where
// one of them panics, ends its goroutine, does not come back or unwraps without an end, the error counts as a panic that
// names the method.
func Capture(err error) *Captured {
	if err == nil {
		return nil
	}
	if c, ok := err.(*Captured); ok { //nolint:errorlint // only the error itself was captured
		return c
	}
	if code := codeOf(err); code != "" { // of the module's own
		return &Captured{Recorded: Recorded{Text: err.Error(), Marks: Of(code)}, raw: err}
	}
	g := &grab{}
	ended := make(chan *Captured, 1)
	go func() {
		defer func() { ended <- g.outcome(err, recover()) }()
		g.take(err)
		g.over = true
	}()
	patience := time.NewTimer(Patience)
	defer patience.Stop()
	select {
	case c := <-ended:
		return c
	case <-patience.C:
		return Crash(fmt.Sprintf("%s did not return within %s", g.method(err), Patience), nil)
	}
}

// Crash is the error of a panic with the given value.
func Crash(value string, stack []byte) *Captured {
	data, _ := json.Marshal(Crashed{value}) //nolint:errchkjson // a string always encodes
	return &Captured{
		Recorded: Recorded{
			Text: valid("panic: " + value), Marks: &Marks{Kinds: []string{Panic}, Details: map[string]json.RawMessage{Panic: data}},
		},
		stack: stack,
	}
}

// Crashed is what is kept of a panic beside its stack.
type Crashed struct {
	Value string `json:"value"`
}

// grab is an error that is being taken over.
type grab struct {
	at   atomic.Pointer[string] // the method that is being called
	over bool
	text string
	seen int
	m    Marks
}

// method names the method that was called last.
func (g *grab) method(err error) string {
	if at := g.at.Load(); at != nil {
		return *at
	}
	return typeName(err)
}

// outcome is the result of the call; v is the recovered value.
func (g *grab) outcome(err error, v any) *Captured {
	said := ""
	if g.text != "" {
		said = " (the error's text: " + g.text + ")"
	}
	switch {
	case v != nil:
		return Crash(g.method(err)+": "+Text(v)+said, debug.Stack())
	case !g.over:
		return Crash(g.method(err)+" called runtime.Goexit"+said, nil)
	case g.seen > mostErrors:
		return Crash(fmt.Sprintf("%s: the error wraps more than %d errors%s", g.method(err), mostErrors, said), nil)
	}
	c := &Captured{Recorded: Recorded{Text: g.text}, raw: err}
	if len(g.m.Kinds)+len(g.m.Details) > 0 {
		c.Marks = &g.m
	}
	return c
}

// calls notes which method is about to be called.
func (g *grab) calls(err any, method string) {
	name := method + " of " + fmt.Sprintf("%T", err)
	g.at.Store(&name)
}

// take calls each method once.
func (g *grab) take(err error) {
	g.calls(err, "Error")
	if g.text = valid(err.Error()); g.text == "" {
		g.text = typeName(err)
	}
	g.walk(err)
}

// walk looks at an error and all that it wraps, in the order of errors.Is.
func (g *grab) walk(err error) {
	if g.seen++; g.seen > mostErrors || err == nil {
		return
	}
	for _, of := range marked {
		g.merge(of(err))
	}
	g.kinds(err)
	g.details(err)
	switch e := err.(type) { //nolint:errorlint // each error of the tree by itself
	case *Captured: // what else it wraps is known by its marks
		g.merge(e.Marks)
	case *Recorded:
		g.merge(e.Marks)
	case interface{ Unwrap() error }:
		g.calls(err, "Unwrap")
		g.walk(e.Unwrap())
	case interface{ Unwrap() []error }:
		g.calls(err, "Unwrap")
		for _, inner := range e.Unwrap() {
			g.walk(inner)
		}
	}
}

// kinds finds the documented errors that one error is, or says that it is.
func (g *grab) kinds(err error) {
	if code := codeOf(err); code != "" {
		g.add(code)
	}
	is, ok := err.(interface{ Is(error) bool })
	if !ok {
		return
	}
	g.calls(err, "Is")
	for i := range kinds {
		if !g.m.Has(kinds[i].code) && is.Is(kinds[i].err) {
			g.add(kinds[i].code)
		}
	}
}

// details keeps the fields of documented types.
func (g *grab) details(err error) {
	as, _ := err.(interface{ As(any) bool })
	for i := range types {
		t := &types[i]
		if g.m.Details[t.name] != nil {
			continue
		}
		data, ok := t.encode(err)
		if !ok && as != nil {
			g.calls(err, "As")
			data, ok = t.ask(as.As)
		}
		if ok {
			g.set(t.name, data)
		}
	}
	if as == nil {
		return
	}
	for i := range families {
		if code, ok := families[i].ask(as.As); ok {
			g.add(code)
		}
	}
}

// merge takes what is known of an error that was taken over before.
func (g *grab) merge(m *Marks) {
	if m == nil {
		return
	}
	for _, code := range m.Kinds {
		g.add(code)
	}
	for name, data := range m.Details {
		if g.m.Details[name] == nil {
			g.set(name, data)
		}
	}
}

func (g *grab) add(code string) {
	if !g.m.Has(code) {
		g.m.Kinds = append(g.m.Kinds, code)
	}
}

func (g *grab) set(name string, data []byte) {
	if g.m.Details == nil {
		g.m.Details = make(map[string]json.RawMessage)
	}
	if g.m.Details[name] = data; name == Panic {
		g.add(Panic)
	}
}

func typeName(err error) string { return reflect.TypeOf(err).String() }

// valid is a text as it comes back from JSON.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

// Text is the text of a foreign value. It returns even if the value's methods panic or exit.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return valid(v)
	case bool, int, int64, uint64, float64, runtime.Error:
		return fmt.Sprint(v)
	}
	ended := make(chan string, 1)
	go func() {
		text := fmt.Sprintf("a %T whose methods end their goroutine", v)
		defer func() {
			if recover() != nil {
				text = fmt.Sprintf("a %T whose methods panic", v)
			}
			ended <- valid(text)
		}()
		text = fmt.Sprint(v)
	}()
	patience := time.NewTimer(Patience)
	defer patience.Stop()
	select {
	case text := <-ended:
		return text
	case <-patience.C:
		return fmt.Sprintf("a %T whose methods do not return", v)
	}
}

// Call calls foreign code on its own goroutine and turns a panic into an error. So does it with the end of the
// goroutine. The error starts with the function's name.
func Call(name string, f func() error) (err error) {
	ended := make(chan error, 1)
	go func() {
		failed := error(Crash(name+" called runtime.Goexit", nil))
		defer func() {
			if v := recover(); v != nil {
				failed = Crash(name+": "+Text(v), debug.Stack())
			}
			ended <- failed
		}()
		failed = f()
	}()
	return <-ended
}
