package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/journal"
)

// A frame is a sealed value (law J9):
//
//	format   1 byte: 1
//	length   1 byte: of the key's id, 1 to 32
//	key      the key's id
//	nonce    12 bytes
//	sealed   AES-256-GCM: the ciphertext, and 16 bytes of its tag
//
// The additional data of GCM is the frame up to the nonce, and then the place, see [place]. Neither JSON nor a delta
// begins with the byte of the format, so that clear values are told from sealed ones.
const formatVersion = 1

// lastFormat is the last byte that a later format may begin with: JSON may begin with a tab, which is 9.
const lastFormat = 8

const (
	nonceSize = 12
	tagSize   = 16
)

// textPrefix begins a frame where a store keeps a text. Base64 without padding follows.
const textPrefix = "sealed:"

// place is where a value belongs, as bytes. Strings in it have their lengths in front, so that no two places are the same.
type place []byte

// Kinds of places. They are part of the stored format.
const (
	ofEntry      = 'e'
	ofCheckpoint = 'c'
	ofRow        = 'r'
	ofInterrupt  = 'i'
	ofTimer      = 't'
)

func (p place) text(texts ...string) place {
	for _, s := range texts {
		p = append(binary.AppendUvarint(p, uint64(len(s))), s...)
	}
	return p
}

func (p place) number(numbers ...uint64) place {
	for _, n := range numbers {
		p = binary.AppendUvarint(p, n)
	}
	return p
}

func corrupt(text string, args ...any) error {
	return fmt.Errorf("%w: %w", journal.ErrCorrupt, fmt.Errorf(text, args...))
}

// errClear says that a value is in clear text.
var errClear = corrupt("expected a sealed value, found one that is not sealed; only keys that accept clear values read it (Keys.AcceptClear)")

// ring seals and opens with some keys.
type ring struct {
	keys    Keys
	header  []byte // of frames that are written
	mu      sync.Mutex
	ciphers map[which]*runKey // made for runs before
}

// which is a key for a run.
type which struct{ key, run string }

// runKey is a key for the values of one run.
type runKey struct {
	random cipher.AEAD // takes and makes nonces with the sealed text
	given  cipher.AEAD // is given the nonce
	mac    []byte      // the key that nonces of timers are made with
}

// maxCiphers bounds how many runs a ring remembers.
const maxCiphers = 1024

func newRing(keys Keys) (*ring, error) {
	if err := keys.check(); err != nil {
		return nil, err
	}
	return &ring{keys: keys, header: header(keys.Current.ID), ciphers: make(map[which]*runKey)}, nil
}

func header(id string) []byte {
	return append([]byte{formatVersion, byte(len(id))}, id...)
}

// all are the keys, the current one first.
func (r *ring) all() []Key { return append([]Key{r.keys.Current}, r.keys.Older...) }

// of is a key for a run. Values of different runs never share one, so nonces need to be unique within a run only.
func (r *ring) of(id, run string) (*runKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k, ok := r.ciphers[which{id, run}]; ok {
		return k, nil
	}
	missing := &KeyError{ID: id}
	for _, key := range r.all() {
		if key.ID != id {
			missing.Known = append(missing.Known, key.ID)
			continue
		}
		k, err := derive(key.Secret, run)
		if err != nil {
			return nil, err
		}
		if len(r.ciphers) >= maxCiphers {
			clear(r.ciphers)
		}
		r.ciphers[which{id, run}] = k
		return k, nil
	}
	return nil, missing
}

// derive makes the key of a run. What it is called is part of the stored format.
func derive(secret []byte, run string) (*runKey, error) {
	both, err := hkdf.Key(sha256.New, secret, nil, "fermata crypt 1, run "+run, 2*SecretSize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(both[:SecretSize])
	if err != nil {
		return nil, err
	}
	k := &runKey{mac: both[SecretSize:]}
	if k.random, err = cipher.NewGCMWithRandomNonce(block); err == nil {
		k.given, err = cipher.NewGCM(block)
	}
	return k, err
}

// seal is a frame of the current key, for a place of a run.
func (r *ring) seal(run string, at place, plain []byte) ([]byte, error) {
	k, err := r.of(r.keys.Current.ID, run)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, 0, len(r.header)+nonceSize+len(plain)+tagSize)
	frame = append(frame, r.header...)
	data := slices.Concat(r.header, []byte(at))
	return k.random.Seal(frame, nil, plain, data), nil //nolint:gosec // the cipher makes the nonce
}

// sealAlike is a frame of a key that is the same for the same text and place. Its nonce follows from both.
func (r *ring) sealAlike(key, run string, at place, plain string) ([]byte, error) {
	k, err := r.of(key, run)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, k.mac)
	mac.Write(place(nil).text(string(at), plain))
	nonce := mac.Sum(nil)[:nonceSize]
	head := header(key)
	frame := append(append(make([]byte, 0, len(head)+nonceSize+len(plain)+tagSize), head...), nonce...)
	return k.given.Seal(frame, nonce, []byte(plain), append(head, at...)), nil
}

// isFrame reports whether data is a frame, and no clear value.
func isFrame(data []byte) bool { return len(data) > 0 && data[0] >= 1 && data[0] <= lastFormat }

// keyOf is the id of the key that a frame is sealed with.
func keyOf(frame []byte) (string, error) {
	switch {
	case !isFrame(frame):
		return "", errClear
	case frame[0] != formatVersion:
		return "", fmt.Errorf("%w: a sealed value of format %d, this version reads up to %d", journal.ErrNewer, frame[0], formatVersion)
	case len(frame) < 2 || frame[1] == 0 || frame[1] > maxID || len(frame) < 2+int(frame[1])+nonceSize+tagSize:
		return "", corrupt("a sealed value of %d bytes ends too early", len(frame))
	}
	return string(frame[2 : 2+frame[1]]), nil
}

// open is what is in a frame, if it is of that place.
func (r *ring) open(run string, at place, frame []byte) ([]byte, error) {
	id, err := keyOf(frame)
	if err != nil {
		return nil, err
	}
	k, err := r.of(id, run)
	if err != nil {
		return nil, err
	}
	n := 2 + len(id)
	plain, err := k.random.Open(nil, nil, frame[n:], append(frame[:n:n], at...))
	if err != nil {
		return nil, corrupt("the seal of key %s is broken: the value was changed, or belongs to another place", id)
	}
	return plain, nil
}

// asText is a frame for a field that holds a text.
func asText(frame []byte) string { return textPrefix + base64.RawURLEncoding.EncodeToString(frame) }

// isText reports whether a text is a frame.
func isText(text string) bool { return strings.HasPrefix(text, textPrefix) }

// fromText is the frame in a text. There is one text for each frame.
func fromText(text string) ([]byte, error) {
	if !isText(text) {
		return nil, errClear
	}
	frame, err := base64.RawURLEncoding.DecodeString(text[len(textPrefix):])
	if err != nil || asText(frame) != text {
		return nil, corrupt("a sealed text of %d bytes is not in the form in which it was written", len(text))
	}
	return frame, nil
}

// openText is open for a text.
func (r *ring) openText(run string, at place, text string) ([]byte, error) {
	frame, err := fromText(text)
	if err != nil {
		return nil, err
	}
	return r.open(run, at, frame)
}
