package dialogue

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
)

// TestUnderstood reads tables of what users say and what phrases understand of it, in testdata/understood: one table for
// each dialogue of examples/dialogues, and one for a dialogue in German. A heading says where in the conversation it is said:
//
//	[transfer asks amount] payee=Grace       the flow transfer asks for the amount, and knows the payee
//	[transfer confirms] payee=Grace          it asks for a yes
//	[rent confirms], told age=25             what the flow knows was told in the order of its steps
//	[report tells] service=mail              it waits until something was read
//	[nothing]                                no flow is going on
//
// and each line below it has what is said, and what it means: "start" and a flow, a slot and its value ("?" behind one
// that is too doubtful to be taken, and the words that were left over before it where the user is asked), yes, no (and the slot that is wrong), cancel, skip, repeat, clear and a slot,
// handoff, chitchat, or nothing. It is Friday, 20 November 2026, 10:00 in London.
func TestUnderstood(t *testing.T) {
	tables, err := filepath.Glob("testdata/understood/*.txt")
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables", err)
	}
	total := 0
	for _, table := range tables {
		name := strings.TrimSuffix(filepath.Base(table), ".txt")
		t.Run(name, func(t *testing.T) {
			d := example(t, name)
			text, err := os.ReadFile(table)
			if err != nil {
				t.Fatal(err)
			}
			var turn *Turn
			for i, line := range strings.Split(string(text), "\n") {
				said, want, isCase := strings.Cut(line, " -> ")
				switch {
				case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
				case strings.HasPrefix(line, "["):
					turn = turnAt(t, d, line)
				case !isCase:
					t.Fatalf("%s:%d: %q is no heading and no line of the table", table, i+1, line)
				default:
					total++
					turn.Text = strings.TrimSpace(said)
					if got, want := understoodAs(t, d, turn), sorted(fields(want)); got != want {
						t.Errorf("%s:%d: %q\n  expected %s\n  found    %s", table, i+1, turn.Text, want, got)
					}
				}
			}
		})
	}
	if total < 200 {
		t.Errorf("%d lines in all tables, and at least 200 are promised", total)
	}
}

// example is one of the example dialogues, or one of the tables' own, with actions that do nothing.
func example(tb testing.TB, name string) *Dialogue {
	tb.Helper()
	path := filepath.Join("testdata", "understood", name+".yaml")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join("..", "examples", "dialogues", name, FileName)
	}
	d, err := Load(path, Options{ActionsFrom: func(name string, _ any) (Action, error) {
		return Action{Name: name, Run: func(node.Context, map[string]any) (any, error) { return nil, nil }}, nil
	}})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

var heading = regexp.MustCompile(`^\[(?:nothing|(\w+) (asks (\w+)|confirms|tells))\](.*)$`)

// turnAt is the turn that a heading describes.
func turnAt(t *testing.T, d *Dialogue, line string) *Turn {
	t.Helper()
	m := heading.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("%q is no heading", line)
	}
	turn := &Turn{Dialogue: d, Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).In(d.zone), Filled: map[string]any{}}
	for _, part := range fields(strings.TrimPrefix(m[4], ", told")) {
		name, value, _ := strings.Cut(part, "=")
		turn.Filled[name] = valueOf(value)
	}
	f := d.flows[m[1]]
	if f == nil {
		return turn
	}
	turn.Active = []string{f.Name}
	for _, st := range f.list {
		is := st.Type == CollectStep && st.Slot == m[3] || st.Type == ConfirmStep && m[2] == "confirms" || st.Type == InformStep && st.WaitForAck && m[2] == "tells"
		if is && turn.Pending == nil {
			turn.Pending = d.taskAt(t, st, f, turn.Filled)
		}
	}
	if turn.Pending == nil {
		t.Fatalf("no step of %s does what %q says", f.Name, line)
	}
	for _, st := range f.list { // the last one first
		if _, filled := turn.Filled[st.Slot]; filled && st.Type == CollectStep && strings.HasPrefix(m[4], ", told") {
			turn.Told = append([]string{st.Slot}, turn.Told...)
		}
	}
	return turn
}

// taskAt is what a step asks.
func (d *Dialogue) taskAt(t *testing.T, st *step, f *flow, filled map[string]any) *PendingTask {
	t.Helper()
	s := &State{Context: map[string]any{}, At: 1}
	for _, sl := range d.context {
		s.Context[sl.name] = sl.initial
	}
	frame := &Frame{Flow: f.Name, Slots: map[string]any{"dishes": []any{}, "price": 10}}
	maps.Copy(frame.Slots, filled)
	prompt, err := d.worded(st.message, s, 0, frame, d.scope(s, frame))
	if err != nil {
		prompt = st.Message
	}
	task := PendingTask{Prompt: prompt, Slot: st.Slot, Type: CollectTask, Options: st.Options}
	switch st.Type {
	case ConfirmStep:
		task = NewConfirm(prompt, st.Options...)
		task.Choices = st.taskChoices()
	case InformStep:
		task.Type, task.WaitForAck = InformTask, true
	}
	return &task
}

// understoodAs is what phrases make of a turn, as the tables have it.
func understoodAs(t *testing.T, d *Dialogue, turn *Turn) string {
	t.Helper()
	commands, err := d.defaults.NLU.Understand(node.Context{}, turn)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range commands {
		all = append(all, d.commandText(c))
	}
	if len(all) == 0 {
		return "nothing"
	}
	return sorted(all)
}

// sorted joins commands in an order of which nothing depends: one message's are acted on together.
func sorted(commands []string) string {
	slices.Sort(commands)
	return strings.Join(commands, ", ")
}

func (d *Dialogue) commandText(c Command) string {
	switch c.Type {
	case StartFlow:
		return "start " + c.Flow
	case SetSlot, CorrectSlot:
		text := c.Slot + "=" + valueText(c.Value)
		if c.sure() < d.settings.MinConfidence {
			text += "?"
		}
		if c.Left != "" {
			text += " (" + c.Left + ")?"
		}
		return text
	case ClearSlot:
		return "clear " + c.Slot
	case Affirm:
		return "yes"
	case Deny:
		return strings.TrimSpace("no " + c.SlotToChange)
	case CancelFlow:
		return "cancel"
	case Clarify:
		return "which of " + strings.Join(c.Options, " or ")
	}
	return string(c.Type)
}

var bare = regexp.MustCompile(`^[\p{L}\d:+.@-]+$`)

func valueText(v any) string {
	if s, ok := v.(string); ok && bare.MatchString(s) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return s
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// valueOf reads what valueText writes.
func valueOf(text string) any {
	if strings.ContainsAny(text[:min(1, len(text))], "[\"{") {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			return v
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return json.Number(text)
	}
	switch text {
	case "true", "false":
		return text == "true"
	case "null":
		return nil
	}
	return text
}

// fields parts a list at commas followed by a space, but not within quotes and parentheses.
func fields(text string) []string {
	var all []string
	quoted, from, deep := false, 0, 0
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '(':
			deep++
		case text[i] == ')':
			deep--
		case !quoted && deep == 0 && strings.HasPrefix(text[i:], ", "):
			all, from = append(all, strings.TrimSpace(text[from:i])), i+2
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		all = append(all, last)
	}
	return all
}
