package form

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// The keys that the tests press, beside letters.
var keyCodes = map[string]rune{
	"enter": tea.KeyEnter, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "esc": tea.KeyEscape,
}

func pressed(name string) tea.KeyPressMsg {
	if code, ok := keyCodes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	r, _ := utf8.DecodeRuneInString(name)
	return tea.KeyPressMsg{Code: r, Text: name}
}

// asks is a field of a form as the terminal shows it, and what is filled in.
func asks(f *Form, unicode bool) (*pick, *bound) {
	b := &bound{}
	b.load(&f.Fields[0], f.Starts()[0])
	t := &Terminal{Unicode: unicode}
	p, ok := t.field(&f.Fields[0], b).(*pick)
	if !ok {
		panic("it is no choice")
	}
	p.WithTheme(huh.ThemeFunc(t.theme)).WithKeyMap(keys()).WithWidth(60).WithPosition(huh.FieldPosition{})
	_ = p.Focus()
	return p, b
}

// Nothing is answered that the person has not named: by the keys that came last, with arrow keys or in letters. No option is
// an answer because it is the first one.
func TestAnAnswerIsWhatTheLastKeysName(t *testing.T) {
	names := []string{"approve", "reject", "revise", "no", "not now", "No", "yes", "1", "2", "10", "r", "Überweisen", "go on"}
	typed := []string{"a", "r", "e", "v", "j", "n", "o", "N", " ", "y", "s", "t", "f", "1", "2", "0", "3", "ü", "m", "x", "q", "/"}
	special := []string{"enter", "enter", "enter", "up", "down", "home", "end", "backspace", "esc"}
	lawtest.Draw(t, 20_000, func(r *rand.Rand, i uint64) (bool, string) {
		f := &Form{Fields: []Field{{Kind: Flag, Required: true}}}
		labels := []string{"yes", "no"}
		if r.IntN(4) > 0 {
			labels = nil
			for _, at := range r.Perm(len(names))[:1+r.IntN(6)] {
				labels = append(labels, names[at])
			}
			made, err := New(nil, labels)
			if err != nil {
				return true, err.Error()
			}
			f = made
		}
		p, b := asks(f, true)
		var keys []string
		arrow, text := false, ""
		for range 1 + r.IntN(8) {
			key := typed[r.IntN(len(typed))]
			if r.IntN(3) == 0 {
				key = special[r.IntN(len(special))]
			}
			keys = append(keys, key)
			before := b.choice
			b.choice = -1
			_, cmd := p.Update(pressed(key))
			switch key {
			case "enter":
				got := b.choice
				if (cmd != nil) != (got >= 0) {
					return true, fmt.Sprintf("%q of %q: the form goes on: %v, and the choice is %d", keys, labels, cmd != nil, got)
				}
				if got < 0 {
					if p.Error() == nil {
						return true, fmt.Sprintf("%q of %q: nothing is chosen, and nothing is said", keys, labels)
					}
					b.choice = before
					continue
				}
				if !arrow && !isNamed(labels, got, text, f.Fields[0].Kind == Flag) {
					return true, fmt.Sprintf("%q of %q: the answer is %q", keys, labels, labels[got])
				}
				return true, ""
			case "up", "down", "home", "end":
				arrow, text = true, ""
			case "backspace":
				arrow = false
				if runes := []rune(text); len(runes) > 0 {
					text = string(runes[:len(runes)-1])
				}
			case "esc":
			default:
				arrow, text = false, strings.TrimLeft(text+key, " ")
			}
			b.choice = before
		}
		return true, ""
	})
}

// isNamed reports whether a text names one option and no other: in words of this test.
func isNamed(labels []string, at int, text string, flag bool) bool {
	text = strings.TrimSpace(text)
	low := strings.ToLower(text)
	label := strings.ToLower(labels[at])
	return text != "" && (strings.HasPrefix(label, low) || text == strconv.Itoa(at+1) ||
		flag && strings.HasPrefix(map[string]string{"yes": "true", "no": "false"}[label], low))
}

// What typed text selects, and what is said where it selects nothing.
func TestFind(t *testing.T) {
	for _, tc := range []struct {
		labels string
		text   string
		want   string
	}{
		{"approve reject", "", "nothing is chosen: approve or reject"},
		{"approve reject", "r", "reject"},
		{"approve reject", " APP ", "approve"},
		{"approve reject", "2", "reject"},
		{"approve reject", "no", `no option "no": approve or reject`},
		{"approve reject", "maybe", `no option "maybe": approve or reject`},
		{"approve reject", "3", `no option "3": approve or reject`},
		{"approve reject", "02", `no option "02": approve or reject`},
		{"approve reject revise", "re", `"re" may be reject or revise: type more`},
		{"no none", "no", "no"},
		{"No no", "no", "no"},
		{"No no", "NO", `"NO" may be No or no: type more`},
		{"20 10", "1", `"1" may be 20 or 10: type more`},
		{"20 10", "10", "10"},
		{"a b c d e f g h i", "x", `no option "x": a, b, c, d, e, f, g, h, …`},
	} {
		c := choices{labels: strings.Fields(tc.labels)}
		c.also = make([][]string, len(c.labels))
		i, err := c.find(tc.text)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = c.labels[i]
		}
		if got != tc.want {
			t.Errorf("of %s, %q: %s; want %s", tc.labels, tc.text, got, tc.want)
		}
	}
	flag := choicesOf(&Field{Kind: Flag})
	for text, want := range map[string]int{"y": 0, "yes": 0, "true": 0, "t": 0, "1": 0, "n": 1, "No": 1, "false": 1, "2": 1} {
		if got, err := flag.find(text); got != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// What is seen: nothing selected, an option that typed letters select, what is wrong, a default.
func TestPickFrames(t *testing.T) {
	schema := `{"enum": ["approve", "edit", "reject"]}`
	for _, tc := range []struct{ name, schema, keys, want string }{
		{"at first", schema, "", "│   1 approve\n│   2 edit\n│   3 reject"},
		{"Enter", schema, "enter", "│   1 approve\n│   2 edit\n│   3 reject\n! nothing is chosen: type the beginning of an option or its number, or press ↑↓"},
		{"a letter", schema, "r", "│   1 approve\n│   2 edit\n│ ❯ 3 reject"},
		{"another word", schema, "n o", "│   1 approve\n│   2 edit\n│   3 reject\n! no option \"no\": approve, edit or reject"},
		{"a word after an arrow", schema, "down n", "│   1 approve\n│   2 edit\n│   3 reject\n! no option \"n\": approve, edit or reject"},
		{"up from nothing", schema, "up", "│   1 approve\n│   2 edit\n│ ❯ 3 reject"},
		{"a default", `{"enum": ["approve", "reject"], "default": "reject"}`, "", "│   approve\n│ ❯ reject (default)"},
		{"yes or no", `{"type": "boolean"}`, "f a", "│   yes\n│ ❯ no"},
		{"no default of another type", `{"type": "boolean", "default": "perhaps"}`, "", "│   yes\n│   no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := New([]byte(tc.schema), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, _ := asks(f, true)
			for key := range strings.FieldsSeq(tc.keys) {
				p.Update(pressed(key))
			}
			if diff := cmp.Diff(tc.want, frame(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// frame is what a field shows, without its styles.
func frame(p *pick) string {
	var lines []string
	for line := range strings.SplitSeq(ansi.Strip(p.View()), "\n") {
		if line = strings.TrimSpace(line); line != "│" {
			lines = append(lines, line)
		}
	}
	if p.Error() != nil {
		lines = append(lines, "! "+p.Error().Error())
	}
	return strings.Join(lines, "\n")
}

// A list that is higher than the terminal shows the part in which something is selected.
func TestPickInFewRows(t *testing.T) {
	labels := make([]string, 30)
	for i := range labels {
		labels[i] = "option " + strconv.Itoa(i+1)
	}
	f, err := New(nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := asks(f, false)
	p.WithHeight(6)
	for _, keys := range []string{"1 7", "2 0", "end", "home", "5"} {
		p.Update(pressed("down"))
		for key := range strings.FieldsSeq(keys) {
			p.Update(pressed(key))
		}
		if got := ansi.Strip(p.View()); strings.Count(got, "\n") > 6 || p.at < 0 || !strings.Contains(got, "> ") || !strings.Contains(got, labels[p.at]) {
			t.Errorf("after %s:\n%s", keys, got)
		}
	}
}
