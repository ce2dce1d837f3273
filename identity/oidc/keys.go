package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	freshKeys = 5 * time.Minute  // how long keys count before they are asked for again
	oldKeys   = time.Hour        // how long they count where the issuer does not answer
	restKeys  = 10 * time.Second // how long the issuer is left alone after it was asked
	mostKeys  = 1 << 20          // bytes of a set of keys
)

// errKeys says that a signature cannot be checked now, because the issuer does not answer.
var errKeys = errors.New("the keys of the issuer cannot be read")

// keys are the keys with which the issuer signs. A key that is not known is asked for once, and not more often than restKeys says:
// a stranger can name any key. One that the issuer has withdrawn counts no more after freshKeys.
type keys struct {
	url    string
	client *http.Client
	now    func() time.Time
	algs   []jose.SignatureAlgorithm

	asking sync.Mutex // held while the issuer is asked

	mu    sync.Mutex
	known []jose.JSONWebKey
	read  time.Time // when they were
	asked time.Time // when the issuer was asked last, also in vain
}

// VerifySignature returns what is signed. It is that of oidc.KeySet.
func (k *keys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(jwt, k.algs)
	if err != nil {
		return nil, err
	}
	if len(signed.Signatures) != 1 {
		return nil, fmt.Errorf("expected one signature, found %d", len(signed.Signatures))
	}
	header := signed.Signatures[0].Header
	known, err := k.current(ctx)
	if err != nil {
		return nil, err
	}
	fits := fitting(known, &header)
	if len(fits) == 0 {
		if known, err = k.again(ctx, known); err != nil {
			return nil, err
		}
		fits = fitting(known, &header)
	}
	for i := range fits {
		if payload, err := signed.Verify(&fits[i]); err == nil {
			return payload, nil
		}
	}
	if len(fits) == 0 {
		return nil, errors.New("the issuer has no key of that id for that algorithm")
	}
	return nil, errors.New("the signature is not the issuer's")
}

// fitting are the keys that may have made a signature.
func fitting(known []jose.JSONWebKey, header *jose.Header) (fits []jose.JSONWebKey) {
	for i := range known {
		key := &known[i]
		if (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == header.Algorithm) && (header.KeyID == "" || header.KeyID == key.KeyID) {
			fits = append(fits, *key)
		}
	}
	return fits
}

// current are the keys, asked for again where they are not fresh.
func (k *keys) current(ctx context.Context) ([]jose.JSONWebKey, error) {
	known, read := k.have()
	if !read.IsZero() && age(k.now(), read) < freshKeys {
		return known, nil
	}
	newer, err := k.again(ctx, known)
	if err != nil && !read.IsZero() && age(k.now(), read) < oldKeys {
		return known, nil
	}
	return newer, err
}

func (k *keys) have() ([]jose.JSONWebKey, time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known, k.read
}

// age is how long ago a time was. One that is ahead, by a clock that was set back, is long ago.
func age(now, then time.Time) time.Duration {
	if d := now.Sub(then); d >= 0 {
		return d
	}
	return oldKeys
}

// again asks the issuer for its keys, unless that was done a moment ago: by another request while this one waited, say.
func (k *keys) again(ctx context.Context, known []jose.JSONWebKey) ([]jose.JSONWebKey, error) {
	k.asking.Lock()
	defer k.asking.Unlock()
	k.mu.Lock()
	now, rests := k.now(), !k.asked.IsZero() && age(k.now(), k.asked) < restKeys
	have, read, asked := k.known, k.read, k.asked
	if !rests {
		k.asked = now
	}
	k.mu.Unlock()
	switch {
	case rests && read.IsZero():
		return nil, fmt.Errorf("%w: they could not be read %v ago, and are not asked for again yet", errKeys, age(now, asked).Round(time.Second))
	case rests && age(now, read) < oldKeys:
		return have, nil
	case rests:
		return known, errKeys
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience) // others wait for it, too
	defer cancel()
	newer, err := k.fetch(ctx)
	if err != nil {
		return known, fmt.Errorf("%w: %w", errKeys, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known, k.read = newer, now
	return newer, nil
}

func (k *keys) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, err
	}
	res, err := k.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, mostKeys))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers with status %d", k.url, res.StatusCode)
	}
	var set struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("%s answers with something that is no set of keys", k.url)
	}
	var all []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		// keys of kinds that are not known here are left out, and so are private and shared ones, which nobody should publish
		if json.Unmarshal(raw, &key) == nil && key.Valid() && key.IsPublic() {
			all = append(all, key)
		}
	}
	return all, nil
}
