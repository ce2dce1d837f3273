package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// encoded is what encoding/json writes.
func encoded(t *testing.T, s string, html bool) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// check compares both forms with encoding/json, and reads them back.
func check(t *testing.T, s string) {
	t.Helper()
	text, valid := AppendGo([]byte("x"), s)
	if want := "x" + encoded(t, s, true); string(text) != want || valid != utf8.ValidString(s) {
		t.Errorf("%q: got %s, %t; encoding/json writes %s", s, text, valid, want)
	}
	if n := GoLength(s, 6*len(s)); n != len(text)-len(`x""`) {
		t.Errorf("%q takes %d bytes, counted %d", s, len(text)-len(`x""`), n)
	}
	if !valid {
		return
	}
	least, back := Append(nil, s), ""
	if err := json.Unmarshal(least, &back); err != nil || back != s {
		t.Errorf("%q: %s is read as %q, %v", s, least, back, err)
	}
	if most := encoded(t, s, false); len(least) > len(most)+4*strings.Count(s, "\b")+4*strings.Count(s, "\f") {
		t.Errorf("%q: %s is longer than %s", s, least, most)
	}
	if other := Append(nil, []byte(s)); !bytes.Equal(other, least) {
		t.Errorf("%q: as bytes %s, as a string %s", s, other, least)
	}
}

// TestEveryByteAtEveryPlace holds the eight bytes at a time against one byte at a time.
func TestEveryByteAtEveryPlace(t *testing.T) {
	for b := range 256 {
		for _, around := range []string{"", "a", "ä", "€", "\U0001F600"} {
			for n := range 20 {
				check(t, strings.Repeat("a", n)+string([]byte{byte(b)})+around+"bcdefghijklmnop\x7f")
			}
		}
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "plain", "<&>\"\\\n\r\t\b\f\x00\x1f\x7f", "ä€\U0001F600\u2028\u2029", "\xff\xfe", strings.Repeat("a", 70) + "\""} {
		f.Add(s)
	}
	f.Fuzz(check)
}
