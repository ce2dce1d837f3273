package channels

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// SignatureWindow is how old or how far ahead a signed timestamp may be.
const SignatureWindow = 5 * time.Minute

// SameSecret compares two secrets in constant time. An empty secret equals nothing.
func SameSecret(found, secret string) bool {
	a, b := sha256.Sum256([]byte(found)), sha256.Sum256([]byte(secret)) // so that the length shows in no time either
	return secret != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// HexHMAC is the HMAC-SHA256 of the parts, in hexadecimal.
func HexHMAC(secret string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// Recent checks a timestamp in Unix seconds against SignatureWindow; an error is ErrForged.
func Recent(timestamp string, now time.Time) error {
	sec, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: expected a timestamp in seconds", ErrForged)
	}
	if age := now.Sub(time.Unix(sec, 0)).Abs(); age > SignatureWindow {
		return fmt.Errorf("%w: its timestamp is off by more than %s", ErrForged, SignatureWindow)
	}
	return nil
}
