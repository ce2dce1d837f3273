package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Prefix begins every token.
const Prefix = "ft_"

// sessionPrefix begins the secret of a session, which is as long as that of a token.
const sessionPrefix = "fs_"

// The lengths of the parts of a token, in characters.
const (
	idLength     = 26 // base32 of 16 random bytes
	secretLength = 43 // base64url of 32 random bytes
	tokenLength  = len(Prefix) + idLength + secretLength
)

// Secret is a token in full. No verb of package fmt, no log line and no JSON shows it: only Reveal does.
type Secret struct{ text string }

// Reveal returns the token, to be handed to its owner once.
func (s Secret) Reveal() string { return s.text }

// String shows the public beginning of the token.
func (s Secret) String() string {
	if len(s.text) < len(Prefix)+idLength {
		return "(no token)"
	}
	return s.text[:len(Prefix)+idLength] + "…"
}

// Format implements fmt.Formatter: every verb writes String.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// newSecret makes a token, or the secret of a session, and its id.
func newSecret(prefix string) (s Secret, id string) {
	var random [48]byte
	_, _ = rand.Read(random[:]) // which never fails
	id = strings.ToLower(letters.EncodeToString(random[:16]))
	return Secret{prefix + id + base64.RawURLEncoding.EncodeToString(random[16:])}, id
}

// digest is how a token is kept: 256 random bits need no slow hash.
func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// errForm says that a text is no token.
var errForm = errors.New("no token")

// idOf returns the id in a token. It fails for a text that no token is.
func idOf(token string) (string, error) { return idBehind(Prefix, token) }

// idBehind returns the id in a secret that begins with a prefix, one of the two.
func idBehind(prefix, token string) (string, error) {
	if len(token) != tokenLength || !strings.HasPrefix(token, prefix) {
		return "", errForm
	}
	id, secret := token[len(Prefix):len(Prefix)+idLength], token[len(Prefix)+idLength:]
	if strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") != "" || !isBase64(secret) {
		return "", errForm
	}
	return id, nil
}

func isBase64(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// holdsToken reports whether a token is anywhere in a text.
func holdsToken(text string) bool {
	for {
		_, rest, found := strings.Cut(text, Prefix)
		if !found {
			return false
		}
		if end := tokenLength - len(Prefix); len(rest) >= end {
			if _, err := idOf(Prefix + rest[:end]); err == nil {
				return true
			}
		}
		text = rest
	}
}
