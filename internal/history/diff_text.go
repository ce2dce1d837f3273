package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fermata-go/fermata/internal/question"
)

// compareJSON lists the places where two JSON texts differ, sorted by path. Lists are compared element by
// element.
func compareJSON(old, now []byte) ([]Change, error) {
	a, err := question.Exact(old)
	if err != nil {
		return nil, err
	}
	b, err := question.Exact(now)
	if err != nil {
		return nil, err
	}
	return appendChanges([]Change{}, "", a, b), nil
}

// nowhere stands for a missing value.
type nowhere struct{}

func appendChanges(list []Change, path string, a, b any) []Change {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		names := maps.Clone(x)
		maps.Copy(names, y)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			list = appendChanges(list, path+"/"+pointerName(name), member(x, name), member(y, name))
		}
		return list
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(x), len(y)) {
			list = appendChanges(list, path+"/"+strconv.Itoa(i), element(x, i), element(y, i))
		}
		return list
	}
	if reflect.DeepEqual(a, b) {
		return list
	}
	return append(list, Change{Path: path, Old: jsonOf(a), New: jsonOf(b)})
}

func member(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return nowhere{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nowhere{}
}

func pointerName(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func jsonOf(v any) json.RawMessage {
	if _, none := v.(nowhere); none {
		return nil
	}
	data, _ := json.Marshal(v) //nolint:errchkjson // it was JSON before
	return data
}

// String returns the difference as text for people.
func (d *Difference) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	line("A\t%s", d.A.text())
	line("B\t%s", d.B.text())
	_ = w.Flush() // a strings.Builder takes everything
	switch {
	case d.Same() && d.A.At == d.B.At:
		line("the same point of the same run")
	case d.Same():
		line("nothing differs but times and ids")
	default:
		line("alike up to seq %d", d.Common)
	}
	section := func(name string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		line("\n%s", name)
		for _, row := range rows {
			line("  %s", strings.Join(row, "\t"))
		}
		_ = w.Flush()
	}
	section("answers", d.answerRows())
	section("tasks", d.taskRows())
	section("state", changeRows(d.State))
	section("output", changeRows(d.Output))
	_ = w.Flush()
	return b.String()
}

func (s *Side) text() string {
	text := fmt.Sprintf("%s at seq %d\t%s\t%s", s.Run, s.Seq, s.Plan, s.Status)
	if s.Error != "" {
		text += ": " + s.Error
	}
	if s.Fork != nil {
		text += fmt.Sprintf("\ta fork of %s at seq %d", s.Fork.Run, s.Fork.Seq)
	}
	return text
}

// answerRows returns the answers as a table: the task, side A, side B.
func (d *Difference) answerRows() [][]string {
	var rows [][]string
	for _, a := range d.Answers {
		rows = append(rows, []string{a.Task, a.A.text(), "->", a.B.text(), a.Prompt})
	}
	return rows
}

func (a *AnswerSummary) text() string {
	switch {
	case a == nil:
		return "not asked"
	case a.State == "answered":
		return string(a.Answer)
	}
	return a.State
}

// taskRows returns the tasks as a table: the task, side A, side B. Rows with different outputs follow each
// task.
func (d *Difference) taskRows() [][]string {
	var rows [][]string
	for _, t := range d.Tasks {
		rows = append(rows, []string{t.Task, t.A.text(), "->", t.B.text()})
	}
	return rows
}

func (t *TaskSummary) text() string {
	if t == nil {
		return "not there"
	}
	text := t.State
	if t.Route != "" {
		text += ", to " + t.Route
	}
	if t.Attempts > 1 {
		text += fmt.Sprintf(", attempt %d", t.Attempts)
	}
	if t.Error != "" {
		text += ": " + t.Error
	}
	return text
}

// changeRows returns changes as a table: the path, the old value, the new one.
func changeRows(changes []Change) [][]string {
	var rows [][]string
	for _, c := range changes {
		path := c.Path
		if path == "" {
			path = "the whole value"
		}
		rows = append(rows, []string{path, orNothing(c.Old), "->", orNothing(c.New)})
	}
	return rows
}

func orNothing(data json.RawMessage) string {
	if data == nil {
		return "nothing"
	}
	return string(data)
}
