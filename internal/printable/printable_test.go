package printable_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/printable"
)

// TestH9_TextIsShownAndDoesNotAct: what people wrote comes out in full, and nothing in it acts.
func TestH9_TextIsShownAndDoesNotAct(t *testing.T) {
	for _, tt := range []struct{ in, text, line string }{
		{"plain äöü 日本 🏳️‍🌈", "plain äöü 日本 🏳️‍🌈", "plain äöü 日本 🏳️‍🌈"},
		{"a\nb\tc", "a\nb\tc", `a\u000ab\u0009c`},
		{"\x1b[2J\x1b]0;title\x07", `\u001b[2J\u001b]0;title\u0007`, `\u001b[2J\u001b]0;title\u0007`},
		{"\u009b31m\x7f\r", `\u009b31m\u007f\u000d`, `\u009b31m\u007f\u000d`},
		{"\u202egpj.exe\u2066\u200f", `\u202egpj.exe\u2066\u200f`, `\u202egpj.exe\u2066\u200f`},
		{"a\u2028b\xffc", "a\\u2028b\uFFFDc", "a\\u2028b\uFFFDc"},
	} {
		if text, line := printable.Escape(tt.in), printable.Line(tt.in); text != tt.text || line != tt.line {
			t.Errorf("%q: %q and %q, expected %q and %q", tt.in, text, line, tt.text, tt.line)
		}
		if got := printable.Check("it", tt.in); (got == nil) != (tt.line == tt.in) || got != nil && !errors.Is(got, printable.ErrControl) {
			t.Errorf("%q: %v", tt.in, got)
		}
	}
}

// TestH9_WhatNobodySeesIsShown: characters of no width are escaped, and left where they shape what is seen.
func TestH9_WhatNobodySeesIsShown(t *testing.T) {
	for in, want := range map[string]string{
		"yes\u200b": `yes\u200b`, "a\u200db\u200cc": `a\u200db\u200cc`, "\ufeffx\u2060\u00ad": `\ufeffx\u2060\u00ad`, "\u3164\u2800": `\u3164\u2800`,
		"a\ufe0f\ufe0f": `a\ufe0f\ufe0f`, "\U000e0041\U000e0020": `\udb40\udc41\udb40\udc20`, "\u2764\ufe0f\ufe0e": "\u2764\ufe0f" + `\ufe0e`,
		"😀\u200d\u200d😀": `😀\u200d\u200d😀`, "نمی\u200cشود": "نمی\u200cشود", "👩\u200d🚀 1\ufe0f\u20e3 ❤\ufe0f 葛\U000e0100": "👩\u200d🚀 1\ufe0f\u20e3 ❤\ufe0f 葛\U000e0100",
	} {
		if text, line := printable.Escape(in), printable.Line(in); text != want || line != want {
			t.Errorf("%+q: %+q and %+q, expected %+q", in, text, line, want)
		}
		if err := printable.Check("it", in); err != nil {
			t.Errorf("%+q is refused as a name: %v", in, err)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[31mb\u009b2Jc\u202e\x1b]0;t\x07")
	f.Add("1\ufe0f\u20e3 👩\u200d🚀\u200b\ufe0f\u200d\U000e0100\xff\u200d")
	f.Fuzz(func(t *testing.T, text string) {
		shown := printable.Escape(text)
		if strings.ContainsFunc(shown, func(r rune) bool { return printable.Acts(r) && r != '\n' && r != '\t' }) || !utf8.ValidString(shown) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		if strings.ContainsFunc(printable.Line(text), printable.Acts) || printable.IsClean(text) != (shown == text) || printable.Escape(shown) != shown {
			t.Fatalf("%q: a line is %q", text, printable.Line(text))
		}
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		if json.Unmarshal(data, &before) != nil || json.Unmarshal([]byte(printable.Escape(string(data))), &after) != nil || before != after {
			t.Fatalf("%s is other JSON when it is escaped: %q", data, after)
		}
	})
}
