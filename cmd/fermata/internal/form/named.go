package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// choices are what there is to choose from, as it is shown.
type choices struct {
	labels []string
	also   [][]string // further names of an option: "true" of yes
	out    bool       // the first one leaves the field out, and has no number
}

// choicesOf are the choices of a field, in the places of its options. Those of a Flag are yes and no, as in its entries.
func choicesOf(f *Field) choices {
	if f.Kind == Flag {
		return choices{labels: []string{"yes", "no"}, also: [][]string{{"true"}, {"false"}}}
	}
	c := choices{labels: make([]string, len(f.Options)), also: make([][]string, len(f.Options))}
	shown := f.shown()
	for i, o := range shown.Options {
		c.labels[i] = o.Label
		switch {
		case f.Options[i].Label != o.Label:
			c.also[i] = []string{f.Options[i].Label}
		case f.Options[i].Value == true:
			c.also[i] = []string{"true"}
		case f.Options[i].Value == false:
			c.also[i] = []string{"false"}
		}
	}
	return c
}

// leaveOut names the choice of nothing.
const leaveOut = "leave out"

// orNone are the choices with one in front that leaves the field out.
func (c choices) orNone() choices {
	return choices{append([]string{leaveOut}, c.labels...), append([][]string{nil}, c.also...), true}
}

// find is the choice that a text names: the one that it equals, else the only one that begins with it or has that
// number. A text that names none, or several, is an error.
func (c choices) find(text string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return -1, fmt.Errorf("nothing is chosen: %s", c.list("or", nil))
	}
	for _, equal := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if at := c.which(func(name string) bool { return equal(name, text) }); len(at) == 1 {
			return at[0], nil
		}
	}
	at := c.which(func(name string) bool { return begins(name, text) })
	if place := c.place(text); place >= 0 && !slices.Contains(at, place) {
		at = append(at, place)
	}
	switch len(at) {
	case 0:
		return -1, fmt.Errorf("no option %q: %s", text, c.list("or", nil))
	case 1:
		return at[0], nil
	}
	return -1, fmt.Errorf("%q may be %s: type more", text, c.list("or", at))
}

// which are the choices one of whose names is meant.
func (c choices) which(meant func(name string) bool) []int {
	var at []int
	for i, label := range c.labels {
		if meant(label) || slices.ContainsFunc(c.also[i], meant) {
			at = append(at, i)
		}
	}
	return at
}

// place is the choice with a number; -1 for none.
func (c choices) place(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || strconv.Itoa(n) != text {
		return -1
	}
	if !c.out {
		n--
	}
	if n >= len(c.labels) {
		return -1
	}
	return n
}

// begins reports whether a name begins with a text, in any case of letters.
func begins(name, text string) bool {
	of, with := []rune(name), []rune(text)
	return len(of) >= len(with) && strings.EqualFold(string(of[:len(with)]), text)
}

// mostListed is how many options an error lists.
const mostListed = 8

// list names choices, all of them for none: "approve, edit or reject".
func (c choices) list(word string, at []int) string {
	names := make([]string, 0, len(c.labels))
	for i, label := range c.labels {
		if at == nil || slices.Contains(at, i) {
			names = append(names, label)
		}
	}
	if len(names) > mostListed {
		return strings.Join(names[:mostListed], ", ") + ", …"
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " " + word + " " + names[n-1]
	}
	return strings.Join(names, "")
}
