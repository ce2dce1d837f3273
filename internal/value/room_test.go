package value_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

// Deltas that were given back leave their memory to the next ones, and no delta changes before that (law J7).
func TestJ7_DeltasTakeTurnsWithMemory(t *testing.T) {
	type kept struct {
		delta, was []byte
	}
	rapid.Check(t, func(t *rapid.T) {
		codec := sure(value.For[lines]())
		known, free := new(value.Known), new(value.Known)
		state := manyLines(2, 10)
		one, two := sure(codec.Copy(state)), sure(codec.Copy(state))
		var out []kept
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			for range rapid.IntRange(0, 2).Draw(t, "new lines") {
				state.Lines = append(state.Lines, line{strings.Repeat(string(rune(rapid.IntRange('a', 'z').Draw(t, "letter"))), rapid.IntRange(0, 3000).Draw(t, "length"))})
			}
			var got, want []byte
			var err error
			if got, one, _, err = value.Change(codec, one, state, known); err != nil {
				t.Fatal(err)
			}
			if want, two, _, err = value.Change(codec, two, state, free); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("the delta is %.60q, expected %.60q", got, want)
			}
			out = append(out, kept{got, bytes.Clone(got)})
			for _, x := range out {
				if !bytes.Equal(x.delta, x.was) {
					t.Fatalf("a delta that is in use has become %.60q, expected %.60q", x.delta, x.was)
				}
			}
			if n := rapid.IntRange(0, len(out)).Draw(t, "given back"); n > 0 {
				known.Reuse(out[n-1].delta)
				out = append(out[:n-1], out[n:]...)
			}
		}
	})
}

func TestJ7_ADeltaThatWasGivenBackCostsNoMemory(t *testing.T) {
	codec := sure(value.For[lines]())
	known, state := new(value.Known), manyLines(1, 10)
	snapshot := sure(codec.Copy(state))
	round := 0
	took := perCall(20, func() {
		round++
		state.Lines[0] = line{strings.Repeat(string(rune('a'+round%26)), 100_000)}
		delta, next, _, err := value.Change(codec, snapshot, state, known)
		if err != nil || len(delta) < 100_000 {
			t.Fatalf("a delta of %d bytes, %v", len(delta), err)
		}
		snapshot = next
		known.Reuse(delta)
	})
	if most := 150_000; took > most { // the text itself
		t.Errorf("a change of 100,000 bytes took %d bytes, expected at most %d", took, most)
	}
}

// A list that has grown by much is written where the delta stays, and copied once, for the snapshot.
func TestJ7_ALargeAdditionIsWrittenOnce(t *testing.T) {
	codec := sure(value.For[struct {
		Lines []line `json:"lines"`
		Any   []any  `json:"any"`
	}]())
	for name, changed := range map[string]string{
		"structs": `{"lines":[` + strings.Repeat(`{"text":"`+strings.Repeat("x", 1000)+`"},`, 999) + `{"text":"y"}],"any":[]}`,
		"any":     `{"lines":[],"any":[` + strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 999) + `"y"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			empty, full := sure(codec.Decode([]byte(`{"lines":[],"any":[]}`))), sure(codec.Decode([]byte(changed)))
			const calls = 4
			var snapshots [calls]any
			for i := range snapshots {
				snapshots[i] = sure(codec.Copy(empty))
			}
			i, most := 0, len(changed)*5/4
			took := perCall(calls, func() {
				if delta, _, _, err := value.Change(codec, snapshots[i], full, new(value.Known)); err != nil || len(delta) < len(changed)-100 {
					t.Fatalf("a delta of %d bytes, %v", len(delta), err)
				}
				i++
			})
			if took > most {
				t.Errorf("adding %d bytes allocated %d, expected at most %d", len(changed), took, most)
			}
		})
	}
}
