package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/crypt"
)

// The variables that name a file with keys, or hold the keys themselves. No flag takes a key: arguments are in the list of
// processes. Programs of recipes inherit neither.
const (
	keysFileVariable = "FERMATA_KEYS_FILE"
	keysVariable     = "FERMATA_KEYS"
)

// keysHelp is what --keys-file says of itself.
const keysHelp = "seal the store with the keys in a `file`: lines of ID SECRET, the current key first (default $FERMATA_KEYS_FILE; $FERMATA_KEYS holds the keys themselves)"

// keys are those that a store is sealed with, nil where none were given.
func (m *Main) keys() (*crypt.Keys, error) {
	file, from := m.global.keysFile, "--keys-file"
	if file == "" {
		file, from = m.Getenv(keysFileVariable), keysFileVariable
	}
	text := m.Getenv(keysVariable)
	switch {
	case file == "" && text == "" && m.global.acceptClear:
		return nil, usagef("--accept-clear: expected keys, in --keys-file, %s or %s", keysFileVariable, keysVariable)
	case file == "" && text == "":
		return nil, nil
	case file == "":
		from = keysVariable
	case isSecret(file):
		return nil, usagef("%s takes the name of a file with keys; what it was given looks like a key itself, and is not shown: "+
			"make a new key if others can see the arguments of processes", from)
	default:
		data, err := m.readFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		text = string(data)
	}
	keys, err := crypt.ParseKeys(text)
	if err != nil {
		return nil, usagef("%s: %v", from, err)
	}
	keys.AcceptClear = m.global.acceptClear
	return &keys, nil
}

// isSecret reports whether the name of a file looks like a key, or has one in it.
func isSecret(name string) bool {
	for field := range strings.FieldsSeq(name) {
		for _, code := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			if data, err := code.DecodeString(field); err == nil && len(data) == crypt.SecretSize {
				return true
			}
		}
	}
	return false
}

// openSealed opens a store, and seals it where there are keys. A sealed store is refused without any.
func (m *Main) openSealed(ctx context.Context, d dsn, looks bool) (journal.Store, error) {
	keys, err := m.keys()
	if err != nil {
		return nil, err
	}
	o := m.storeOptions()
	o.Looks = looks
	s, err := kinds().OpenAt(d.address(), o)
	if err != nil {
		return nil, err
	}
	if keys != nil {
		return crypt.Wrap(s, *keys) // which fails for keys that ParseKeys refuses
	}
	by, err := crypt.SealedBy(ctx, s)
	if err == nil && by == "" {
		return s, nil
	}
	if err == nil {
		err = &journal.StoreError{
			Op: "open", File: d.String(),
			Err: fmt.Errorf("%w: give it in --keys-file, %s or %s", &crypt.KeyError{ID: by}, keysFileVariable, keysVariable),
		}
	}
	_ = s.Close()
	return nil, err
}
