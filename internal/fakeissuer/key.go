package fakeissuer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
)

// Algorithms of keys.
const (
	RS256 = "RS256"
	ES256 = "ES256"
)

// Key signs tokens. It is written without the library that checks them.
type Key struct {
	ID, Algorithm string
	Use           string // "sig", unless a test wants another

	rsa *rsa.PrivateKey
	ec  *ecdsa.PrivateKey
}

// NewKey makes a key for an algorithm.
func NewKey(id, algorithm string) *Key {
	k := &Key{ID: id, Algorithm: algorithm, Use: "sig"}
	var err error
	if algorithm == ES256 {
		k.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		k.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		panic(err) // the system has no random numbers
	}
	return k
}

// Sign signs claims.
func (k *Key) Sign(c Claims) string {
	return k.SignWith(map[string]any{"alg": k.Algorithm, "kid": k.ID, "typ": "JWT"}, c)
}

// SignWith signs claims below a header of the test's, by the algorithm of the key.
func (k *Key) SignWith(header map[string]any, c Claims) string {
	input := part(header) + "." + part(c)
	sum := sha256.Sum256([]byte(input))
	var signature []byte
	if k.ec != nil {
		r, s, err := ecdsa.Sign(rand.Reader, k.ec, sum[:])
		if err != nil {
			panic(err)
		}
		signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	} else {
		var err error
		if signature, err = rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, sum[:]); err != nil {
			panic(err)
		}
	}
	return input + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// Unsigned is a token of the algorithm none.
func Unsigned(c Claims) string {
	return part(map[string]any{"alg": "none", "typ": "JWT"}) + "." + part(c) + "."
}

// SignShared signs claims with a secret that both sides have (HS256), under the id of a key.
func SignShared(secret []byte, id string, c Claims) string {
	input := part(map[string]any{"alg": "HS256", "kid": id, "typ": "JWT"}) + "." + part(c)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(input))
	return input + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Public is the public key as its JWK has it.
func (k *Key) Public() []byte {
	data, err := json.Marshal(k.public())
	if err != nil {
		panic(err)
	}
	return data
}

func (k *Key) public() map[string]any {
	number := func(n *big.Int, size int) string {
		return base64.RawURLEncoding.EncodeToString(n.FillBytes(make([]byte, size)))
	}
	if k.ec != nil {
		point, err := k.ec.PublicKey.Bytes()
		if err != nil {
			panic(err)
		}
		text := base64.RawURLEncoding.EncodeToString
		return map[string]any{"kty": "EC", "crv": "P-256", "kid": k.ID, "use": k.Use, "alg": k.Algorithm, "x": text(point[1:33]), "y": text(point[33:])}
	}
	return map[string]any{
		"kty": "RSA", "kid": k.ID, "use": k.Use, "alg": k.Algorithm, "n": number(k.rsa.N, k.rsa.Size()), "e": number(big.NewInt(int64(k.rsa.E)), 3),
	}
}

func part(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// PublicKey is the public key.
func (k *Key) PublicKey() crypto.PublicKey {
	if k.ec != nil {
		return k.ec.Public()
	}
	return k.rsa.Public()
}
