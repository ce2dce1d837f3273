package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/recipe"
)

// otherTrace is the trace that a run is compared with: of a run, or one that `trace --json` has written to a file.
func (m *Main) otherTrace(ctx context.Context, h *house, given string) (*recipe.Trace, error) {
	data, err := os.ReadFile(given)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return m.traceOf(ctx, h, given)
	}
	var t recipe.Trace
	if err := json.Unmarshal(data, &t); err != nil || t.Run == "" {
		return nil, invalidf("%s: expected a trace, as `%s` writes it", given, m.command("trace", "RUN", "--json"))
	}
	return &t, nil
}

func (m *Main) traceOf(ctx context.Context, h *house, given string) (*recipe.Trace, error) {
	info, err := m.findRun(ctx, h, given)
	if err != nil {
		return nil, err
	}
	return recipe.BuildTrace(info, h.History(ctx, info.ID))
}

func (m *Main) showTraceDiff(d *recipe.TraceDiff) {
	s, styles := m.out, m.out.Styles()
	sides := term.Table{}
	for i, side := range []recipe.TraceSide{d.A, d.B} {
		sides.Rows = append(sides.Rows, []string{
			styles.Strong.Apply(string(rune('A' + i))), term.OneLine(side.Run), m.statusStyle(styles, side.Outcome).Apply(side.Outcome), term.OneLine(side.Recipe),
		})
	}
	s.Println(s.Fit(sides.Lines(s))...)
	if len(d.Steps) == 0 {
		s.Println("", "all steps are alike, but for when they were")
		return
	}
	s.Println("", "they part at "+styles.Strong.Apply(term.OneLine(d.First)))
	for _, step := range d.Steps {
		var rows [][3]string
		switch step.Only {
		case "a":
			rows = append(rows, [3]string{"step", "done", none})
		case "b":
			rows = append(rows, [3]string{"step", none, "done"})
		}
		for _, c := range step.Changes {
			rows = append(rows, [3]string{c.What, orNone(c.A), orNone(c.B)})
		}
		m.diffSection(term.OneLine(step.ID), rows)
	}
}

// orNone is a value on one line; a text without its quotes.
func orNone(data json.RawMessage) string {
	var text string
	switch {
	case len(data) == 0:
		return none
	case json.Unmarshal(data, &text) == nil:
		return term.Flat(text)
	}
	return string(data)
}
