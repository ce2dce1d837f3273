package state_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/state"
)

// FuzzDecode reads any JSON as a list and as a map: they take what slices and maps take, and write it again.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{`[]`, `null`, `[1,"a",{"b":[null]}]`, `{"a":1,"a":2}`, `{"\ud800":1}`, `[1e400]`, `[`, `[]]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		readsAs[[]any, state.List[any]](t, text)
		readsAs[map[string]any, state.Map[string, any]](t, text)
		readsAs[map[int8]string, state.Map[int8, string]](t, text)
	})
}

func readsAs[P, H any](t *testing.T, text []byte) {
	var plain P
	var held, back H
	errPlain, errHeld := canonical.Decode(text, &plain), json.Unmarshal(text, &held)
	if (errPlain == nil) != (errHeld == nil) {
		t.Fatalf("%q: %v, and as %T %v", text, errPlain, held, errHeld)
	}
	if errPlain != nil {
		return
	}
	want, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(held)
	if empty := bytes.Equal(want, []byte("null")); err != nil || !empty && !bytes.Equal(got, want) {
		t.Fatalf("%q is written as %s (%v), expected %s", text, got, err, want)
	}
	if err := json.Unmarshal(got, &back); err != nil || !cmp.Equal(held, back) {
		t.Fatalf("%q: %s is read as another value (%v)", text, got, err)
	}
}
