package remote

import (
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
)

const hidden = "[key]"

// Key is what opens a service. It prints, logs and encodes as "[key]".
type Key struct {
	// A function and no string: printing a struct that has a Key in an unexported field asks no method of it.
	reveal func() string
	from   string
}

// Secret is the key itself, "" for none. It goes into the header of a request, and nowhere else.
func (k Key) Secret() string {
	if k.reveal == nil {
		return ""
	}
	return k.reveal()
}

// From says where the key was found: "the variable OPENAI_API_KEY". It is "" for no key.
func (k Key) From() string { return k.from }

// String is "[key]", or "" for none.
func (k Key) String() string {
	if k.reveal == nil {
		return ""
	}
	return hidden
}

// GoString is like String.
func (k Key) GoString() string { return k.String() }

// Format prints String, whatever the verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// MarshalText is String; encoding/json uses it.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue is String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// masked is what services make of a key that they repeat: "sk-ab********xyz".
var masked = regexp.MustCompile(`[\w.\-]*\*{2,}[\w.\-]*`)

// Scrub is the text without the key, also where the key is repeated with asterisks in the middle.
func (k Key) Scrub(text string) string {
	secret := k.Secret()
	if len(secret) < 4 {
		return text // a word that a service without keys was given to be content
	}
	text = strings.ReplaceAll(text, secret, hidden)
	return masked.ReplaceAllStringFunc(text, func(word string) string {
		head, _, _ := strings.Cut(word, "*")
		tail := word[strings.LastIndex(word, "*")+1:]
		bare := strings.TrimRight(tail, ".") // the end of a sentence
		if head+bare != "" && strings.HasPrefix(secret, head) && strings.HasSuffix(secret, bare) {
			return hidden + tail[len(bare):]
		}
		return word
	})
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// findKey looks for the key: in the file, or else in the variable env, or else in the file that env_FILE names. The key
// is the zero Key where there is none, and sought says where it was looked for.
func findKey(env, file string) (key Key, sought string, err error) {
	if !variable.MatchString(env) { // it may be a key, and is not repeated
		return Key{}, "", invalid("KeyEnv is not the name of a variable of the environment; a key itself is not written in code")
	}
	sought = "the variable " + env
	if file == "" {
		if secret := strings.TrimSpace(os.Getenv(env)); secret != "" {
			key, err = newKey(secret, sought)
			return key, sought, err
		}
		sought += ", and no file by the variable " + env + "_FILE"
		if file = os.Getenv(env + "_FILE"); file == "" {
			return Key{}, sought, nil
		}
	}
	sought = "the file " + file
	data, err := os.ReadFile(file)
	if err != nil {
		return Key{}, sought, invalid("the key cannot be read: %v", err)
	}
	key, err = newKey(strings.TrimSpace(string(data)), sought)
	return key, sought, err
}

// newKey refuses what no header of a request can hold.
func newKey(secret, from string) (Key, error) {
	if secret == "" {
		return Key{}, invalid("no key is in %s: it is empty", from)
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			return Key{}, invalid("the text of %s is not a key: expected a single word, and it has a blank, a line break or "+
				"a letter beyond ASCII in the middle", from)
		}
	}
	return Key{reveal: func() string { return secret }, from: from}, nil
}
