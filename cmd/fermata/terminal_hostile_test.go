//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// hostileForm has fields of every kind, with texts that act in all that a form shows: titles, helps, labels, defaults,
// patterns, members, the prompt and the evidence.
const hostileForm = `
metadata: {name: hostile}
interface: {outputs: {a: {}}}
entry_point: a
nodes:
  - type: human
    id: a
    prompt: "P\e]0;HOSTILE\a\u202eprompt\u2066\nFORGED"
    response:
      type: object
      required: [line, pick, many, flag, prose, n, either]
      properties:
        line: {type: string, title: "T\e[2Jt\u202e\nFORGED", description: "D\e]52;c;aGk=\a\u2067\u009b31m\nFORGED", default: "S\e[2Js\u202e\u009b31m"}
        pick: {enum: ["yes", "y\u200bes", "L\e[2Jl\u202e\r\nFORGED"], title: "pick\e]0;HOSTILE\a"}
        many: {type: array, items: {enum: ["M\e[31;41mm\u2066", "o"]}, title: "many\u202e"}
        flag: {type: boolean, title: "F\e[2Jf\u202e", description: "\e[31;41mh"}
        prose: {type: string, contentMediaType: text/plain, title: "Q\u202eq", default: "R\e[2Jr\u202e\nsecond"}
        n: {type: integer, minimum: 1, default: 7, title: "N\e[2Jn\u2069"}
        either:
          oneOf:
            - {title: "A\e[2Ja\u202e", type: object, required: [k], properties: {k: {type: string, pattern: "^[a-z]+$|\u202e\u001b"}}}
            - {title: "B\nFORGED", type: object, additionalProperties: false}
`

// nothingActs looks at all that was written, and at the lines that are seen.
func nothingActs(t *testing.T, s *session) {
	t.Helper()
	raw := string(s.written())
	for _, bad := range []string{"\x1b]0;", "\x1b]52;", "\x1b[31;41m", "\u009b", "\u202e", "\u2066", "\u2067", "\u2069", "\x07"} {
		if i := strings.Index(raw, bad); i >= 0 {
			t.Errorf("%q was written: %q", bad, raw[max(0, i-40):min(len(raw), i+40)])
		}
	}
	for line := range strings.SplitSeq(raw, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " │\r"), "FORGED") && !strings.ContainsAny(line, "│|") && strings.HasPrefix(line, "FORGED") {
			t.Errorf("a line is forged: %q", line)
		}
	}
}

// Forms on a terminal show what recipes and people wrote, and nothing of it acts: neither as fields nor line by line. A
// default that would act is the answer as it is, unless it is edited.
func TestH9_NoFormShowsWhatActs(t *testing.T) {
	t.Parallel()
	dir := place(t, hostileForm)
	s := sit(t, dir, "run", ".", "--id", "hostile-run", "--store", "runs.db")
	lacks := func(text string) {
		t.Helper()
		eventually(func() bool { return !strings.Contains(s.screen.Text(), text) }, func() { t.Fatalf("it still shows %q", text) })
	}
	for _, text := range []string{
		`F\u001b[2Jf\u202e`, `T\u001b[2Jt\u202e\u000aFORGED`, `S\u001b[2Js\u202e\u009b31m`, `M\u001b[31;41mm\u2066`, `N\u001b[2Jn\u2069`,
		`"y\u200bes"`, `L\u001b[2Jl\u202e\u000d\u000aFORGED`, `R\u001b[2Jr\u202e`,
	} {
		s.sees(text)
	}
	s.sees("choose") // the help of the flag
	s.types("y", enter)
	lacks("choose")
	s.types(enter)
	s.sees("space toggle")
	s.types(" ", enter)
	lacks("toggle")
	s.types(enter)
	s.sees("choose")
	s.types(down, down, enter)
	lacks("choose")
	s.types(enter)
	s.sees(`A\u001b[2Ja\u202e`)
	s.types("\u202e", enter)
	s.sees(`no option "\u202e"`)
	s.types("\x7f", "1", enter)
	s.sees("either: k")
	s.types("7", enter)
	s.sees(`expected a string that matches`)
	s.types("\x7f", "z", enter)
	s.ends(exitCompleted)
	nothingActs(t, s)
	show := exec.Command("fermata", "runs", "show", "hostile-run", "--json", "--store", "runs.db")
	show.Dir, show.Env = dir, environ(dir)
	data, err := show.Output()
	var run struct {
		Outputs struct {
			A struct {
				Line, Pick, Prose string
				Many              []string
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(data, &run)
	}
	if a := run.Outputs.A; err != nil || a.Line != "S\x1b[2Js\u202e\u009b31m" || a.Pick != "y\u200bes" || a.Prose != "R\x1b[2Jr\u202e\nsecond" || len(a.Many) != 1 {
		t.Errorf("the answer is not what was chosen: %+q %v", a, err)
	}
}

// Line by line it is the same.
func TestH9_NoFormInLinesShowsWhatActs(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, hostileForm), "$TERM=dumb", "run", ".")
	s.sees(`F\u001b[2Jf\u202e`)
	s.types("y", enter)
	s.sees(`T\u001b[2Jt\u202e\u000aFORGED`)
	s.sees(`[S\u001b[2Js\u202e`)
	s.types(enter)
	s.sees(`M\u001b[31;41mm\u2066`)
	s.types("1", enter)
	s.sees(`N\u001b[2Jn\u2069`)
	s.types(enter)
	s.sees(`L\u001b[2Jl\u202e\u000d\u000aFORGED`)
	s.types("9", enter)
	s.sees(`no option "9"`)
	s.types("2", enter)
	s.sees(`[R\u001b[2Jr\u202e`)
	s.types(enter)
	s.sees(`A\u001b[2Ja\u202e`)
	s.types("1", enter)
	s.sees("either: k")
	s.types("7", enter)
	s.sees("expected a string that matches")
	s.types("z", enter)
	s.ends(exitCompleted)
	nothingActs(t, s)
}

// Every command writes nothing that acts to a terminal either, where it draws and styles.
func TestH9_NoCommandShowsWhatActsOnATerminal(t *testing.T) {
	master, slave := openPTY(t, 100, 40)
	t.Cleanup(func() { _, _ = slave.Close(), master.Close() })
	var mu sync.Mutex
	var raw bytes.Buffer
	go func() {
		buffer := make([]byte, 1<<16)
		for {
			n, err := master.Read(buffer)
			mu.Lock()
			raw.Write(buffer[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	const end = "end of the command"
	styled := false
	shout(t, func(m *Main) sight {
		m.Stdout, m.Stderr = slave, slave
		variables := m.Getenv
		m.Getenv = func(name string) string {
			if name == "TERM" {
				return "xterm-256color"
			}
			return variables(name)
		}
		seen := func() string {
			mu.Lock()
			defer mu.Unlock()
			return raw.String()
		}
		return sight{seen, func() string {
			_, _ = slave.WriteString(end)
			var output string
			eventually(func() bool {
				mu.Lock()
				defer mu.Unlock()
				text, _, ended := strings.Cut(raw.String(), end)
				if ended {
					output = text
					raw.Reset()
				}
				return ended
			}, func() { t.Fatal("the terminal gets no end") })
			styled = styled || own.MatchString(output)
			return output
		}}
	}, false)
	if !styled {
		t.Error("nothing was drawn or styled: the command did not take it for a terminal")
	}
}
