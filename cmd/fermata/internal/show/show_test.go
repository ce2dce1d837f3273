package show_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/show"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

func layout(rows int) show.Layout {
	return show.Layout{Screen: term.New(&bytes.Buffer{}, func(string) string { return "" }), Width: 48, Rows: rows}
}

func TestLayout(t *testing.T) {
	tests := []struct {
		name string
		rows int
		in   string
		want string
	}{
		{"scalars", 0, `{"decision":"approve","paid":200,"ok":true,"none":null,"empty":"","list":[]}`, `
decision  approve
paid      200
ok        true
none      –
empty     ""
list      none`},
		{"a text", 0, `"two\nlines"`, "\ntwo\nlines"},
		{"no JSON", 0, `not {json`, "\nnot {json"},
		{"a list of texts", 0, `{"tags":["api","docs"],"n":1}`, `
tags  api, docs
n     1`},
		{"prose keeps its lines", 0, `{"a":1,"note":"First line.\n\n- one\n- two that is long enough to be wrapped at the end","b":2}`, `
a     1

note
  First line.

  - one
  - two that is long enough to be wrapped at the
  end

b     2`},
		{"a table", 0, `{"files":[{"path":"a.go","added":120,"removed":4},{"path":"check.go","added":4,"removed":31}]}`, `
files
  path      added  removed
  a.go        120        4
  check.go      4       31`},
		{"what is no table", 0, `[{"a":1,"b":2},{"a":1}]`, `
· a  1
  b  2
· a  1`},
		{"a long list", 2, `["one, with a comma","two","three","four"]`, `
· one, with a comma
· two
… 2 more`},
		{"deep", 0, `{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}`, `
a
  b
    c
      d
        {"e":{"f":1}}`},
		{"a name that is too long", 0, `{"a name of more than twenty-four columns":1,"b":2}`, `
a name of more than twenty-four columns
  1

b  2`},
		{"what steers terminals", 0, `{"x":"\u001b[2Jgone"}`, "\nx  " + `\u001b[2Jgone`},
		{"names that begin lines", 0, `{"a\nb":1,"c":[{"d\ne":1,"f\u202e":2},{"d\ne":3,"f\u202e":4}]}`, `
a\u000ab  1

c
  d\u000ae  f\u202e
         1        2
         3        4`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := "\n" + strings.Join(layout(tt.rows).JSON([]byte(tt.in)), "\n")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the value, no line is wider than asked for, except what cannot be broken.
func FuzzLayout(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":1,"c":"x"},{"b":2,"c":"y"}],"d":"long text to be wrapped somewhere"}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, rows int) {
		for _, line := range layout(rows).JSON(data) {
			if strings.ContainsAny(line, "\n\x1b") {
				t.Fatalf("%q has a line %q", data, line)
			}
		}
	})
}
