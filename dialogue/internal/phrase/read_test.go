package phrase_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// slots are what the tables ask for.
var slots = map[string]phrase.Slot{
	"text":     {},
	"plate":    {Pattern: regexp.MustCompile(`[A-Z]{2} \d+`)},
	"code":     {Pattern: regexp.MustCompile(`a|ab`)},
	"number":   {Kind: phrase.Number},
	"integer":  {Kind: phrase.Integer},
	"money":    {Kind: phrase.Money},
	"boolean":  {Kind: phrase.Boolean},
	"date":     {Kind: phrase.Date},
	"start":    {Kind: phrase.Date, Names: []string{"start"}},
	"time":     {Kind: phrase.Time},
	"datetime": {Kind: phrase.DateTime},
	"duration": {Kind: phrase.Duration},
	"percent":  {Kind: phrase.Percent},
	"phone":    {Kind: phrase.Phone},
	"email":    {Kind: phrase.Email},
	"fraction": {Kind: phrase.Fraction},
	"range":    {Kind: phrase.Range},
	"wholes":   {Kind: phrase.Range, Items: &phrase.Slot{Kind: phrase.Integer}},
	"prices":   {Kind: phrase.Range, Items: &phrase.Slot{Kind: phrase.Money}},
	"shares":   {Kind: phrase.Range, Items: &phrase.Slot{Kind: phrase.Percent}},
	"stay":     {Kind: phrase.Range, Items: &phrase.Slot{Kind: phrase.Date}},
	"zone":     {Kind: phrase.TimeZone},
	"choice":   {Kind: phrase.Single, Choices: accounts},
	"amounts":  {Kind: phrase.Single, Choices: []phrase.Choice{{Value: "50"}, {Value: "100"}, {Value: "more"}}},
	"list":     {Kind: phrase.List},
	"numbers":  {Kind: phrase.List, Items: &phrase.Slot{Kind: phrase.Integer}},
	"several":  {Kind: phrase.List, Items: &phrase.Slot{Kind: phrase.Single, Choices: accounts}},
}

// line is a line of a table: what is asked for, what was said, and what it is.
type line struct{ kind, said, want string }

// lines are those of a table in testdata.
func lines(t *testing.T, path string) []line {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []line
	for row := range strings.Lines(string(text)) {
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "# ") {
			continue
		}
		kind, rest, ok := strings.Cut(row, ":")
		said, want, arrow := strings.Cut(rest, "->")
		if _, known := slots[kind]; !known || !ok || !arrow {
			t.Fatalf("%s: no line of the table: %q", path, row)
		}
		all = append(all, line{kind, strings.TrimSpace(said), strings.TrimSpace(want)})
	}
	return all
}

func TestRead(t *testing.T) {
	for _, path := range []string{"testdata/read.txt", "testdata/kinds.txt"} {
		for _, row := range lines(t, path) {
			checkRead(t, euros, row)
		}
	}
}

func checkRead(t *testing.T, loc phrase.Locale, row line) {
	t.Helper()
	v, ok := loc.Read(slots[row.kind], row.said, now)
	got := "-"
	switch {
	case !ok && (v.Value != nil || v.Reason != "" || v.Text != ""):
		t.Errorf("%s %q is no value and has one: %+v", row.kind, row.said, v)
	case ok && v.Reason != "":
		got = "! " + v.Reason
		if v.Value != nil {
			t.Errorf("%s %q has a reason and a value: %+v", row.kind, row.said, v)
		}
	case ok:
		got = marshal(t, v.Value)
		if v.Score < 0.5 {
			got = "~" + got
		}
		if v.Left != "" {
			got += " ? " + v.Left
		}
	}
	if got != row.want {
		t.Errorf("%s %q is %s, want %s", row.kind, row.said, got, row.want)
	}
	if ok && (v.Start < 0 || v.End > len(row.said) || row.said[v.Start:v.End] != v.Text || v.Text == "" || v.Score <= 0 || v.Score > 1) {
		t.Errorf("%s %q has no good place or score: %+v", row.kind, row.said, v)
	}
	if ok && v.Reason == "" {
		checkRendered(t, loc, row.kind, v)
	}
}

// What a value is written as is read as the same value, and surely.
func checkRendered(t *testing.T, loc phrase.Locale, kind string, v phrase.Value) {
	t.Helper()
	said := render(v.Value)
	if ends, ok := v.Value.(map[string]any); ok {
		said = renderRange(loc.Spoken(), ends)
	}
	if said == "" {
		return // an empty list
	}
	again, ok := loc.Read(slots[kind], said, now)
	if !ok || marshal(t, again.Value) != marshal(t, v.Value) || again.Score < 0.5 || again.Left != "" {
		t.Errorf("%s %q is %v, and %q is %+v", kind, v.Text, v.Value, said, again)
	}
}

// renderRange says a range in the words of a language.
func renderRange(l *phrase.Language, ends map[string]any) string {
	args := phrase.Args{}
	for end, v := range ends {
		args[end] = render(v)
	}
	_, days := ends["from"].(string)
	if _, until := ends["to"].(string); until {
		days = true
	}
	switch {
	case len(args) == 2:
		return l.Say(phrase.RangeBoth, args)
	case args["from"] != nil && days:
		return l.Say(phrase.RangeSince, args)
	case args["from"] != nil:
		return l.Say(phrase.RangeLeast, args)
	case days:
		return l.Say(phrase.RangeUntil, args)
	}
	return l.Say(phrase.RangeMost, args)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// render writes a value so that Read reads the same value.
func render(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var all []string
		for _, m := range v {
			all = append(all, render(m))
		}
		return strings.Join(all, ", ")
	}
	return ""
}
