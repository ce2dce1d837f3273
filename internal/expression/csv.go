package expression

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of a table: the bytes of its text, and its rows.
const (
	maxTable = 16 << 20
	maxRows  = 100_000
)

// fromCSV reads a table of comma-separated values (RFC 4180) whose first line names the columns: a list of objects, whose
// values are texts.
func fromCSV(args ...any) (any, error) {
	text, ok := args[0].(string)
	switch {
	case !ok:
		return nil, fmt.Errorf("fromCSV: expected text, found %s", Describe(numberText(args[0])))
	case len(text) > maxTable:
		return nil, fmt.Errorf("fromCSV: the text has %d bytes; at most %d are read", len(text), maxTable)
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	names, err := r.Read()
	if errors.Is(err, io.EOF) {
		return []any{}, nil
	}
	if err == nil {
		names = slices.Clone(names)
		err = columnFault(names)
	}
	rows := []any{}
	for err == nil {
		var fields []string
		if fields, err = r.Read(); errors.Is(err, io.EOF) {
			return rows, nil
		}
		switch {
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("fromCSV: line %d has %d fields, and the first line names %d columns", line, len(fields), len(names))
		case err != nil:
			continue
		case len(rows) == maxRows:
			return nil, fmt.Errorf("fromCSV: the table has more than %d rows", maxRows)
		}
		row := make(map[string]any, len(names))
		for i, name := range names {
			row[name] = fields[i]
		}
		rows = append(rows, row)
	}
	if at, ok := errors.AsType[*csv.ParseError](err); ok {
		err = fmt.Errorf("line %d, column %d: %w", at.Line, at.Column, at.Err)
	}
	return nil, fmt.Errorf("fromCSV: %w", err)
}

// columnFault says what is wrong with the names of columns.
func columnFault(names []string) error {
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("the first line names no column %d; expected a name for each", i+1)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the first line names the column %q twice", name)
		}
	}
	return nil
}
