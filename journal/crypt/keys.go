package crypt

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

// SecretSize is how many bytes the secret of a key has.
const SecretSize = 32

// maxID is how many bytes the id of a key has at most: it is stored with every value.
const maxID = 32

// Key is a secret with a name. Two keys never have the same name, not even if one of them is not used any more.
type Key struct {
	ID     string // stored in clear text with each value: letters, digits and ._-, at most 32 bytes
	Secret []byte // SecretSize random bytes
}

// Keys are the keys of a store. To rotate them, make a new key the current one and move the one before to Older.
type Keys struct {
	Current Key   // seals what is written
	Older   []Key // open what was sealed with them; remove one when no run is left that needs it
	// AcceptClear reads values that are not sealed, from before the store was. Without it they are journal.ErrCorrupt:
	// anyone who can write to the database could have planted them.
	AcceptClear bool
}

// NewKey makes a key with a random secret.
func NewKey(id string) (Key, error) {
	k := Key{ID: id, Secret: make([]byte, SecretSize)}
	_, _ = rand.Read(k.Secret) // which never fails
	return k, k.check()
}

// String is the key's id. It does not show the secret.
func (k Key) String() string { return "key " + k.ID }

// GoString is String: no verb of package fmt shows the secret.
func (k Key) GoString() string { return k.String() }

// Line is the key as ParseKeys reads it, with its secret.
func (k Key) Line() string { return k.ID + " " + base64.StdEncoding.EncodeToString(k.Secret) }

func (k Key) check() error {
	switch {
	case k.ID == "" || len(k.ID) > maxID || strings.ContainsFunc(k.ID, func(r rune) bool { return !isIDRune(r) }):
		return fmt.Errorf("the id of a key: expected 1 to %d letters, digits and ._-, found %d bytes", maxID, len(k.ID))
	case len(k.Secret) != SecretSize:
		return fmt.Errorf("key %s: expected a secret of %d bytes, found %d", k.ID, SecretSize, len(k.Secret))
	case !slices.ContainsFunc(k.Secret, func(b byte) bool { return b != k.Secret[0] }):
		return fmt.Errorf("key %s: the secret is one byte %d times: expected random bytes", k.ID, SecretSize)
	}
	return nil
}

func isIDRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-'
}

func (k *Keys) check() error {
	var ids []string
	for _, key := range append([]Key{k.Current}, k.Older...) {
		if err := key.check(); err != nil {
			return err
		}
		if slices.Contains(ids, key.ID) {
			return fmt.Errorf("key %s is given twice: expected an id of its own for each key", key.ID)
		}
		ids = append(ids, key.ID)
	}
	return nil
}

// ParseKeys reads keys from a text, the current key first. Keys stand one a line, or with ; between them, as "ID SECRET"
// with the secret in base64. Empty lines and those that begin with # are passed over. Errors show no part of a secret.
func ParseKeys(text string) (Keys, error) {
	var all []Key
	n := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		n++
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
			continue
		case len(fields) != 2:
			return Keys{}, fmt.Errorf("key %d: expected two words, ID SECRET, found %d (not shown: one may be a secret)", n, len(fields))
		}
		secret, err := base64.StdEncoding.DecodeString(fields[1])
		if err != nil {
			secret, err = base64.RawStdEncoding.DecodeString(fields[1])
		}
		if err != nil { // which would say where, and nothing more that helps
			return Keys{}, fmt.Errorf("key %d: expected a secret of %d bytes in base64, as openssl rand -base64 %d writes it", n, SecretSize, SecretSize)
		}
		all = append(all, Key{ID: fields[0], Secret: secret})
	}
	if len(all) == 0 {
		return Keys{}, errors.New("found no key: expected lines of ID SECRET, the current key first")
	}
	keys := Keys{Current: all[0], Older: all[1:]}
	return keys, keys.check()
}

// KeyError says that a value is sealed with a key that was not given. It is a journal.ErrSealed.
type KeyError struct {
	ID    string   // the id of the key that is missing
	Known []string // the ids of those that were given
}

func (e *KeyError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("%v: key %s; no key was given", journal.ErrSealed, e.ID)
	}
	return fmt.Sprintf("%v: key %s is missing; found %s: add it to the older keys", journal.ErrSealed, e.ID, strings.Join(e.Known, ", "))
}

// Unwrap is journal.ErrSealed.
func (e *KeyError) Unwrap() error { return journal.ErrSealed }
