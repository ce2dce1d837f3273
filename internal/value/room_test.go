package value_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

// lines is a state of many texts.
type lines struct {
	Lines []line         `json:"lines"`
	Bag   map[string]any `json:"bag"`
}

type line struct {
	Text string `json:"text"`
}

func manyLines(n, length int) *lines {
	s := &lines{Bag: map[string]any{}}
	for i := range n {
		text := strings.Repeat(string(rune('a'+i%26)), length)
		s.Lines = append(s.Lines, line{text})
		s.Bag[text[:1]] = []any{text, true, map[string]any{text[:1]: text}}
	}
	return s
}

// perCall is how many bytes a call allocates, with nothing left in pools.
func perCall(calls int, f func()) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range calls {
		f()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / calls
}

// A large value is written where it stays: not to a buffer that grows, and is copied in the end.
func TestJ7_ALargeValueIsWrittenOnce(t *testing.T) {
	typed, err := value.For[lines]()
	if err != nil {
		t.Fatal(err)
	}
	objects := value.Dynamic()
	state := manyLines(200, 5000)
	object, err := objects.Decode(sure(typed.Encode(state)))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		codec plan.Codec
		v     any
	}{"a struct": {typed, state}, "an object": {objects, object}} {
		t.Run(name, func(t *testing.T) {
			text := sure(of.codec.Encode(of.v))
			took := perCall(1, func() { sure(of.codec.Encode(of.v)) })
			if took > len(text)*5/4 {
				t.Errorf("encoding %d bytes allocated %d", len(text), took)
			}
		})
	}
}

// What was handed out stays as it is, whatever is written next, and whether or not the size was guessed well.
func TestJ7_WhatWasWrittenStays(t *testing.T) {
	codec, err := value.For[lines]()
	if err != nil {
		t.Fatal(err)
	}
	var texts, want [][]byte
	for i, v := range []*lines{
		manyLines(200, 5000), manyLines(3, 40_000), manyLines(100, 10), manyLines(1, 90_000),
		{Lines: []line{{strings.Repeat("<", 50_000)}, {"x"}}}, // it takes six times its length
		manyLines(3000, 100),
		{},
		manyLines(20, 5000),
	} {
		text := sure(codec.Encode(v))
		texts, want = append(texts, text), append(want, bytes.Clone(text))
		delta, _, err := codec.Delta(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		texts, want = append(texts, delta), append(want, bytes.Clone(delta))
		for k := range texts {
			if !bytes.Equal(texts[k], want[k]) {
				t.Fatalf("text %d has changed when value %d was written", k, i)
			}
		}
	}
}

// A node that changes nothing costs no copy of its state: whoever needs one makes it (law N9).
func TestN9_AChangeCopiesNothingThatStayed(t *testing.T) {
	codec, err := value.For[lines]()
	if err != nil {
		t.Fatal(err)
	}
	state := manyLines(10_000, 10)
	snapshot := sure(codec.Copy(state))
	most := 16 * len(state.Lines) / 4
	took := perCall(4, func() {
		_, next, final, err := value.Change(codec, snapshot, state, new(value.Known))
		if err != nil || final != nil {
			t.Fatalf("there is a value to give away: %t, %v; expected none beside the snapshot", final != nil, err)
		}
		snapshot = next
	})
	if took > most {
		t.Errorf("a change of nothing allocated %d bytes, expected at most %d", took, most)
	}
}
