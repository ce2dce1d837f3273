package insert_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/cmd/fermata/internal/insert"
	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
)

var phrase = insert.Element{Block: `"move it"`, JSON: `"move it"`}

func TestInto(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"a list on one line":         {`flows: {a: {trigger: ["x", 'it''s'] , steps: []}}`, `flows: {a: {trigger: ["x", 'it''s', "move it"] , steps: []}}`},
		"an empty one":               {"flows:\n  a:\n    trigger: [] # none\n", "flows:\n  a:\n    trigger: [\"move it\"] # none\n"},
		"plain words with a quote":   {"flows:\n  a:\n    trigger: [it's, that's it]\n", "flows:\n  a:\n    trigger: [it's, that's it, \"move it\"]\n"},
		"a block":                    {"flows:\n  a:\n    trigger:\n      - x # why\n      # more\n    steps: []\n", "flows:\n  a:\n    trigger:\n      - x # why\n      - \"move it\"\n      # more\n    steps: []\n"},
		"a block that is not set in": {"flows:\n  a:\n    trigger:\n    - x\n\n    # steps\n    steps: []\n", "flows:\n  a:\n    trigger:\n    - x\n    - \"move it\"\n\n    # steps\n    steps: []\n"},
		"no line end":                {"flows:\n  a:\n    trigger:\n      - x", "flows:\n  a:\n    trigger:\n      - x\n      - \"move it\""},
		"line ends of Windows":       {"flows:\r\n  a:\r\n    trigger:\r\n      - x\r\n", "flows:\r\n  a:\r\n    trigger:\r\n      - x\r\n      - \"move it\"\r\n"},
		"no list yet":                {"flows:\n  a:\n    # how\n    steps: []\n", "flows:\n  a:\n    trigger:\n      - \"move it\"\n    # how\n    steps: []\n"},
		"nothing in it":              {"flows:\n  a:\n    trigger:\n    steps: []\n", "flows:\n  a:\n    trigger:\n      - \"move it\"\n    steps: []\n"},
		"JSON":                       {"{\n  \"flows\": {\n    \"a\": {\n      \"trigger\": [\n        \"x\"\n      ]\n    }\n  }\n}\n", "{\n  \"flows\": {\n    \"a\": {\n      \"trigger\": [\n        \"x\",\n        \"move it\"\n      ]\n    }\n  }\n}\n"},
		"JSON without a list":        {"{\"flows\": {\"a\": {\"steps\": []}}}", "{\"flows\": {\"a\": {\"trigger\": [\"move it\"], \"steps\": []}}}"},
		"a comma at the end":         {"flows: {a: {trigger: [x, ]}}", "flows: {a: {trigger: [x, \"move it\" ]}}"},
		"a text of several lines":    {"flows:\n  a:\n    trigger:\n      - >\n        long\n\n        text\n\nsettings: {}\n", "flows:\n  a:\n    trigger:\n      - >\n        long\n\n        text\n      - \"move it\"\n\nsettings: {}\n"},
	} {
		got, err := insert.Into([]byte(c.before), []string{"flows", "a", "trigger"}, phrase, "steps")
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\ngot\n%s\nexpected\n%s", name, err, got, c.after)
		}
	}
}

func TestIntoAFileWithoutTheList(t *testing.T) {
	for before, after := range map[string]string{
		"flows: {}\n":                             "flows: {}\ntests:\n  - \"move it\"\n",
		"flows:\n  a: {}\n\n# the end\n":          "flows:\n  a: {}\ntests:\n  - \"move it\"\n\n# the end\n",
		"chitchat:\n- x\n- y\n":                   "chitchat:\n- x\n- y\ntests:\n  - \"move it\"\n",
		"{\n  \"kind\": \"Dialogue\"\n}\n":        "{\n  \"kind\": \"Dialogue\",\n  \"tests\": [\"move it\"]\n}\n",
		"a: |\n  text\n\n  more\nb: 'x\n\n  y'\n": "a: |\n  text\n\n  more\nb: 'x\n\n  y'\ntests:\n  - \"move it\"\n",
	} {
		got, err := insert.Into([]byte(before), []string{"tests"}, phrase)
		if err != nil || string(got) != after {
			t.Errorf("%v\ngot\n%s\nexpected\n%s", err, got, after)
		}
	}
}

// A file in which there is no place is not touched, whatever it holds.
func TestNoPlaceIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"an alias":      "x: &x [a]\nflows: {a: {trigger: *x}}\n",
		"a text":        "flows: {a: {trigger: text}}\n",
		"no flow":       "flows: {b: {}}\n",
		"nothing":       "",
		"a list":        "- a\n",
		"broken":        "flows: [\n",
		"an empty flow": "flows:\n  a:\n",
	} {
		if got, err := insert.Into([]byte(text), []string{"flows", "a", "trigger"}, phrase); err == nil {
			t.Errorf("%s: got\n%s", name, got)
		} else if name != "broken" && !errors.Is(err, insert.ErrPlace) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// file draws a file with a list at flows.a.trigger, in one of the ways to write it, among other things and comments.
func file(t *rapid.T) string {
	scalar := rapid.SampledFrom([]string{
		"plain", "it's here", `"quo\"ted # no comment"`, "'sin''gle, [x'", "überweise {amount}", "a: b"[:1], "12", `"\u00e9"`, "'{x}'", "x#y",
	})
	comment := rapid.SampledFrom([]string{"", "", " # why", " # it's [not, \"closed"})
	blank := rapid.SampledFrom([]string{"", "", "\n", "# a remark: [x\n", "\n\n"})
	var b strings.Builder
	b.WriteString(blank.Draw(t, "head") + "kind: Dialogue" + comment.Draw(t, "kind") + "\n")
	if rapid.Bool().Draw(t, "settings") {
		b.WriteString("settings:\n  greeting: |\n    Hello\n\n      there\n  zone: 'Europe/\n    Berlin'\n" + blank.Draw(t, "settings end"))
	}
	b.WriteString("flows:\n  first:\n    trigger: [one]\n  a:\n    description: A\n")
	items := rapid.SliceOfN(scalar, 0, 4).Draw(t, "items")
	for i, s := range items {
		items[i] = strings.NewReplacer("{amount}", "amount").Replace(s)
	}
	switch rapid.SampledFrom([]string{"flow", "lines", "block", "outdented", "none"}).Draw(t, "style") {
	case "flow":
		b.WriteString("    trigger: [" + strings.Join(items, rapid.SampledFrom([]string{", ", " ,", " , "}).Draw(t, "glue")) + "]" + comment.Draw(t, "c") + "\n")
	case "lines":
		b.WriteString("    trigger: [" + comment.Draw(t, "open") + "\n")
		for i, s := range items {
			b.WriteString("      " + s)
			if i < len(items)-1 || rapid.Bool().Draw(t, "comma") {
				b.WriteString(",")
			}
			b.WriteString(comment.Draw(t, "item") + "\n")
		}
		b.WriteString("    ]\n")
	case "block", "outdented":
		indent := rapid.SampledFrom([]string{"    ", "      ", "        "}).Draw(t, "indent")
		b.WriteString("    trigger:" + comment.Draw(t, "c") + "\n")
		for _, s := range items {
			b.WriteString(blank.Draw(t, "between") + indent + "- " + s + comment.Draw(t, "item") + "\n")
		}
	}
	b.WriteString(blank.Draw(t, "behind") + "    steps:\n      - {id: x, type: say, message: hello}\n" + blank.Draw(t, "steps"))
	if rapid.Bool().Draw(t, "more") {
		b.WriteString("  z: {trigger: [last]}\n" + blank.Draw(t, "end"))
	}
	text := b.String()
	if rapid.Bool().Draw(t, "windows") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if rapid.Bool().Draw(t, "cut") {
		text = strings.TrimRight(text, "\r\n")
	}
	return text
}

// TestIntoKeepsEverythingElse draws files, and adds several elements one behind the other: each addition is one piece
// of new text in the old one, and the file says what it said, and the element.
func TestIntoKeepsEverythingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := file(t)
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("the drawn file is broken: %v\n%s", err, text)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "additions") {
			path, before := []string{"flows", "a", "trigger"}, []string{"slots", "steps"}
			e := insert.Element{Block: fmt.Sprintf(`"new %d"`, i), JSON: fmt.Sprintf(`"new %d"`, i)}
			if rapid.Bool().Draw(t, "a test") {
				path, before = []string{"tests"}, nil
				e = insert.Element{Block: fmt.Sprintf("name: t%d\ntalk:\n  - user: \"x\"", i), JSON: fmt.Sprintf(`{"name": "t%d", "talk": [{"user": "x"}]}`, i)}
			}
			out, err := insert.Into([]byte(text), path, e, before...)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			head := 0
			for head < len(text) && text[head] == out[head] {
				head++
			}
			tail := len(text) - head
			if !strings.HasSuffix(string(out), text[len(text)-tail:]) || string(out[:head]) != text[:head] {
				t.Fatalf("more than one piece is new:\n%s\n--\n%s", text, out)
			}
			var was, is map[string]any
			if yaml.Unmarshal([]byte(text), &was) != nil || yaml.Unmarshal(out, &is) != nil {
				t.Fatalf("broken:\n%s", out)
			}
			if had, has := listAt(was, path), listAt(is, path); len(has) != len(had)+1 || !reflect.DeepEqual(had, has[:len(had)]) && len(had) > 0 {
				t.Fatalf("the list was %v and is %v", had, has)
			}
			if strings.Count(text, "#") != strings.Count(string(out), "#") {
				t.Fatalf("a comment is gone:\n%s", out)
			}
			text = string(out)
		}
	})
}

func listAt(doc map[string]any, path []string) []any {
	for _, key := range path[:len(path)-1] {
		doc, _ = doc[key].(map[string]any)
	}
	list, _ := doc[path[len(path)-1]].([]any)
	return slices.Clip(list)
}

// FuzzInto takes any text for a file: what is returned says what it said, and one element more.
func FuzzInto(f *testing.F) {
	for _, seed := range []string{"flows: {a: {trigger: [x]}}", "flows:\n  a:\n    trigger:\n    - x\n", "flows:\n a:\n  trigger: [x, # y\n ]\n", "{\"flows\":{\"a\":{}}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := insert.Into([]byte(text), []string{"flows", "a", "trigger"}, phrase, "steps")
		if err != nil {
			return
		}
		var is map[string]any
		if err := yaml.Unmarshal(out, &is); err != nil {
			t.Fatalf("%v\n%q", err, out)
		}
		if list := listAt(is, []string{"flows", "a", "trigger"}); len(list) == 0 || list[len(list)-1] != "move it" {
			t.Errorf("%q becomes %q", text, out)
		}
	})
}
