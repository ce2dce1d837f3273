package crypt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal/crypt"
	"github.com/fermata-go/fermata/journal/memory"
)

func TestKeysAreRead(t *testing.T) {
	one, two := key("2026-11"), key("2025")
	text := "# the current key first\n\n  " + one.Line() + "\r\n" + strings.TrimRight(two.Line(), "=")
	want := crypt.Keys{Current: one, Older: []crypt.Key{two}}
	for _, text := range []string{text, one.Line() + ";" + two.Line()} {
		got, err := crypt.ParseKeys(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// An error about keys, and a key that is printed, show nothing of a secret.
func TestErrorsShowNoSecret(t *testing.T) {
	good := key("k")
	secret := strings.Fields(good.Line())[1]
	for text, want := range map[string]string{
		"":                                     "found no key",
		"# k":                                  "found no key",
		secret:                                 "key 1: expected two words, ID SECRET, found 1",
		good.Line() + " x":                     "found 3",
		good.Line() + "\n" + good.Line():       "key k is given twice",
		"k " + secret[4:]:                      "key k: expected a secret of 32 bytes, found 29",
		"k ?" + secret:                         "key 1: expected a secret of 32 bytes in base64",
		"k/ " + secret:                         "the id of a key: expected 1 to 32 letters",
		strings.Repeat("k", 33) + " " + secret: "found 33 bytes",
		"k " + strings.Repeat("A", 43):         "one byte 32 times",
	} {
		_, err := crypt.ParseKeys(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret[4:20]) {
			t.Errorf("%q: found %v, expected %q and no secret", text, err, want)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if shown := fmt.Sprintf(verb, crypt.Keys{Current: good}); strings.Contains(shown, "7 7 7") || strings.Contains(shown, "0x7") || strings.Contains(shown, "0707") || strings.Contains(shown, secret) {
			t.Errorf("%s shows %s", verb, shown)
		}
	}
	if _, err := crypt.Wrap(memory.New(), crypt.Keys{}); err == nil {
		t.Error("a store is sealed without a key")
	}
	if _, err := crypt.Wrap(nil, crypt.Keys{Current: good}); err == nil {
		t.Error("no store is sealed")
	}
	made, err := crypt.NewKey("new")
	if err != nil || len(made.Secret) != crypt.SecretSize {
		t.Errorf("%v, %v", made, err)
	}
}
