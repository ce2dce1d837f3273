package label

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of labels (law J13).
const (
	Most      = 16         // of one run, beside those of the engine
	MostValue = 255        // bytes of a value
	Own       = "fermata." // begins the keys of labels that the engine sets
)

// keys is what keys look like.
var keys = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,62}$`)

// Check returns why no label can have the key and the value (law J13).
//
// A key has 1 to 63 letters a to z, digits and
// _ . -, and begins with a letter; a value has at most 255 bytes of UTF-8 without NUL.
func Check(key, value string) error {
	if !keys.MatchString(key) {
		return fmt.Errorf("label %q: expected 1 to 63 letters a to z, digits, _ . and -, beginning with a letter", key)
	}
	if len(value) > MostValue {
		return fmt.Errorf("label %s: the value has %d bytes; expected %d at most", key, len(value), MostValue)
	}
	if !utf8.ValidString(value) {
		return fmt.Errorf("label %s: the value %q is no UTF-8", key, value)
	}
	if strings.ContainsRune(value, 0) {
		return fmt.Errorf("label %s: the value %q has a NUL in it", key, value)
	}
	return nil
}

// Given is Check of a label that is given from outside: keys of the engine's own are refused.
func Given(key, value string) error {
	if err := Check(key, value); err != nil {
		return err
	}
	if strings.HasPrefix(key, Own) {
		return fmt.Errorf("label %s: keys that begin with %s are the engine's", key, Own)
	}
	return nil
}
