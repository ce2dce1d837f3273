package term_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/cmd/fermata/internal/vt"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, pair := range pairs {
			if n, v, _ := strings.Cut(pair, "="); n == name {
				return v
			}
		}
		return ""
	}
}

// A stream that is no terminal is never styled or redrawn, unless styles are asked for.
func TestScreenOfAPipe(t *testing.T) {
	type can struct{ TTY, Live, Color, Unicode bool }
	tests := []struct {
		env  func(string) string
		want can
	}{
		{env("TERM=xterm"), can{Unicode: true}},
		{env("TERM=xterm", "CLICOLOR_FORCE=1"), can{Color: true, Unicode: true}},
		{env("CLICOLOR_FORCE=0"), can{Unicode: true}},
		{env("CLICOLOR_FORCE=1", "NO_COLOR=1"), can{Unicode: true}},
		{env("LANG=C"), can{}},
		{env("LANG=de_DE.UTF-8"), can{Unicode: true}},
		{env("LC_ALL=POSIX", "LANG=de_DE.UTF-8"), can{}},
		{env("TERM=linux"), can{}},
	}
	for _, tt := range tests {
		s := term.New(&bytes.Buffer{}, tt.env)
		if diff := cmp.Diff(tt.want, can{s.TTY, s.Live, s.Color, s.Unicode}); diff != "" {
			t.Errorf("TERM=%s LANG=%s (-want +got):\n%s", tt.env("TERM"), tt.env("LANG"), diff)
		}
	}
	if w := term.New(&bytes.Buffer{}, env("COLUMNS=60")).Width(); w != 60 {
		t.Errorf("Width with COLUMNS=60 is %d", w)
	}
}

func TestStyles(t *testing.T) {
	plain := term.New(&bytes.Buffer{}, env()).Styles()
	if got := plain.Bad.Apply("x"); got != "x" {
		t.Errorf("without styles: %q", got)
	}
	styled := term.New(&bytes.Buffer{}, env("CLICOLOR_FORCE=1")).Styles()
	var b bytes.Buffer
	s := term.New(&b, env("CLICOLOR_FORCE=1"))
	s.Print(styled.Bad.Apply("a\n\nb"))
	if got := b.String(); got != "\x1b[31ma\x1b[m\n\n\x1b[31mb\x1b[m" {
		t.Errorf("styled: %q", got)
	}
}

// Only styles that were applied here reach a terminal that shows styles; the same sequences within text are escaped. A line end
// within a line that is written begins no line.
func TestH9_OnlyOwnStylesAreWritten(t *testing.T) {
	const bad = "reject\x1b[8m\x1b[31;1m\x1b[m\x1b[1m hidden\nFORGED"
	for _, color := range []string{"", "1"} {
		var b bytes.Buffer
		s := term.New(&b, env("CLICOLOR_FORCE="+color))
		s.Println("  "+s.Styles().Good.Apply(s.Styles().Strong.Apply(bad)), bad)
		_, _ = s.Write([]byte(strings.ReplaceAll(bad, "\n", "")))
		got := b.String()
		for _, own := range []string{"\x1b[32m", "\x1b[1m", "\x1b[m"} {
			if color != "" && !strings.Contains(got, own) {
				t.Errorf("%q was not written: %q", own, got)
			}
			got = strings.ReplaceAll(got, own, "")
		}
		if strings.Contains(got, "\x1b") || strings.Count(got, `\u001b[8m\u001b[31;1m\u001b[m\u001b[1m hidden`) != 3 || strings.Contains(got, "\nFORGED") {
			t.Errorf("styles %q: written %q", color, got)
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three", []string{"one two", "three"}},
		{"  - one two three", []string{"  - one", "  two", "  three"}},
		{"a\n\n\tb\n", []string{"a", "", "    b"}},
		{"abcdefghijkl", []string{"abcdefgh", "ijkl"}},
		{"日本語日本語", []string{"日本語日", "本語"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, term.Wrap(tt.text, 8)); diff != "" {
			t.Errorf("Wrap(%q, 8) (-want +got):\n%s", tt.text, diff)
		}
	}
}

// What others wrote cannot steer the terminal.
func TestPlain(t *testing.T) {
	tests := []struct{ in, want string }{
		{"safe\n\ttext é", "safe\n\ttext é"},
		{"\x1b[2Jgone\x1b]0;title\x07", `\u001b[2Jgone\u001b]0;title\u0007`},
		{"a\rb\x00c\x7f\r\n", `a\u000db\u0000c\u007f` + "\n"},
		{"\u009b31mred", `\u009b31mred`},
	}
	for _, tt := range tests {
		got := term.Plain(tt.in)
		if strings.ContainsAny(got, "\x1b\r\x07\u009b") {
			t.Errorf("Plain(%q) = %q still steers", tt.in, got)
		}
		if got != tt.want {
			t.Errorf("Plain(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[31mb\u009b2Jc\x1b]0;t\x07")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range term.Plain(text) {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("Plain(%q) keeps %q", text, r)
			}
		}
	})
}

func TestDuration(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{-1, "0ms"},
		{999 * time.Millisecond, "999ms"},
		{1200 * time.Millisecond, "1.2s"},
		{59940 * time.Millisecond, "59.9s"},
		{59960 * time.Millisecond, "1m 00s"},
		{184 * time.Second, "3m 04s"},
		{2*time.Hour + 5*time.Minute, "2h 05m"},
		{76 * time.Hour, "3d 4h"},
	}
	for _, tt := range tests {
		if got := term.Duration(tt.d); got != tt.want {
			t.Errorf("Duration(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestWhenAndAgo(t *testing.T) {
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	tests := []struct {
		at        time.Time
		when, ago string
	}{
		{now.Add(-2 * time.Second), "14:59 +00:00", "just now"},
		{now.Add(-30 * time.Second), "14:59 +00:00", "30s ago"},
		{now.Add(-90 * time.Minute), "13:30 +00:00", "1h ago"},
		{now.Add(-26 * time.Hour), "Tue 13:00 +00:00", "26h ago"},
		{now.Add(-20 * 24 * time.Hour), "12 Feb 15:00 +00:00", "20d ago"},
		{now.Add(-400 * 24 * time.Hour), "28 Jan 2025", "400d ago"},
	}
	for _, tt := range tests {
		if got := term.When(tt.at, now); got != tt.when {
			t.Errorf("When(%v) = %q, want %q", tt.at, got, tt.when)
		}
		if got := term.Ago(tt.at, now); got != tt.ago {
			t.Errorf("Ago(%v) = %q, want %q", tt.at, got, tt.ago)
		}
	}
}

func TestWords(t *testing.T) {
	got := []string{
		term.Count(1, "answer"), term.Count(0, "answer"), term.OneLine("\n  \nfirst \nsecond"), term.Flat("a\n  b\tc"),
		term.Bytes(12), term.Bytes(4_040_000), term.Bytes(12_400_000_000),
	}
	want := []string{"1 answer", "0 answers", "first", "a b c", "12 B", "4.0 MB", "12 GB"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	table := term.Table{
		Head: []string{"NAME", "N", "NOTE"}, Indent: 2, Right: []bool{false, true, false},
		Rows: [][]string{{"日本", "7", "wide"}, {"longer", "120", ""}},
	}
	want := []string{
		"  NAME      N  NOTE",
		"  日本      7  wide",
		"  longer  120",
	}
	if diff := cmp.Diff(want, table.Lines(term.New(&bytes.Buffer{}, env()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// liveScreen is a screen that draws on a terminal for tests.
func liveScreen(v *vt.Terminal, width, height int) *term.Screen {
	s := term.New(v.Cooked(), env("LANG=C.UTF-8"))
	s.TTY, s.Live = true, true
	s.Measure = func() (int, int) { return width, height }
	return s
}

func TestAreaRedrawsInPlace(t *testing.T) {
	v := vt.New(20, 6)
	a := liveScreen(v, 20, 6).NewArea()
	a.Draw([]string{"one", "two"})
	a.Draw([]string{"one!", "a line that is longer than the screen", "three"})
	a.Print("above")
	a.Draw([]string{"four"})
	if diff := cmp.Diff("above\nfour\n", v.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !v.Hidden() {
		t.Error("the cursor is shown while something is redrawn")
	}
	a.Clear()
	a.Print("end")
	if diff := cmp.Diff("above\nend\n", v.Text()); diff != "" {
		t.Errorf("after Clear (-want +got):\n%s", diff)
	}
	if v.Hidden() {
		t.Error("the cursor is still hidden after Clear")
	}
}

// An area that is higher than the terminal shows its end, and leaves nothing behind.
func TestAreaHigherThanTheTerminal(t *testing.T) {
	v := vt.New(20, 4)
	a := liveScreen(v, 20, 4).NewArea()
	a.Draw([]string{"1", "2", "3", "4", "5", "6"})
	if diff := cmp.Diff("4\n5\n6\n", v.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a.Draw([]string{"x"})
	if diff := cmp.Diff("x\n", v.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A terminal that becomes narrower wraps what it shows; the area takes all of it back.
func TestAreaAfterResizing(t *testing.T) {
	for _, width := range []int{40, 19, 10, 7} {
		v := vt.New(20, 12)
		s := liveScreen(v, 20, 12)
		a := s.NewArea()
		a.Print("stays")
		a.Draw([]string{"nineteen columns ab", "short", "nineteen columns cd"})
		v.Resize(width)
		s.Measure = func() (int, int) { return width, 12 }
		a.Draw([]string{"new"})
		if diff := cmp.Diff("stays\nnew\n", v.Text()); diff != "" {
			t.Errorf("from 20 to %d columns (-want +got):\n%s", width, diff)
		}
	}
}

// On a stream that cannot be redrawn an area shows only what is printed.
func TestAreaOfAPipe(t *testing.T) {
	var b bytes.Buffer
	a := term.New(&b, env()).NewArea()
	a.Draw([]string{"drawn"})
	a.Print("printed")
	a.Clear()
	if b.String() != "printed\n" {
		t.Errorf("got %q", b.String())
	}
}

// A word of a million characters is broken in one go.
func TestWrap_aLongWord(t *testing.T) {
	word := strings.Repeat("ä界x", 250_000)
	lines := term.Wrap("so "+word+" it is", 80)
	if got := strings.Join(lines, ""); got != "so"+word+"it is" && got != "so"+word+" it is" {
		t.Errorf("%d lines lose something", len(lines))
	}
	for _, line := range lines {
		if term.Columns(line) > 80 {
			t.Fatalf("a line takes %d columns", term.Columns(line))
		}
	}
}
