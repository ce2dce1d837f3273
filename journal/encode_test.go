package journal_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/journal"
)

const start = 1_790_000_000_000_000 // microseconds: 2026-09-21

// pair is what a run writes most often: one node has finished, the next one starts.
func pair() []journal.Entry {
	return []journal.Entry{
		{
			Seq: 4, At: start, Kind: journal.NodeFinished, Flags: journal.FlagBase, Attempt: 1, Visit: 1, Node: "review",
			Base: 1,
		},
		{Seq: 5, At: start + 12, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "close", Base: 4},
	}
}

// frames are the golden frames: one for each way in which entries differ.
func frames() map[string][]journal.Entry {
	return map[string][]journal.Entry{
		"pair": pair(),
		"start": {
			{
				Seq: 1, At: start, Kind: journal.RunStarted, Value: []byte(`{"text":"hello"}`),
				Body: []byte(`{"plan":"triage","fingerprint":"f00"}`),
			},
			{Seq: 2, At: start, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "classify", Base: 1},
		},
		"full": {
			{
				Seq: math.MaxUint64 - 1, At: math.MinInt64, Kind: journal.RouteTaken,
				Flags: journal.FlagFinal | journal.FlagCatch | journal.FlagExpired, Attempt: math.MaxUint16,
				Visit: math.MaxUint32, Node: "inner/überprüfung", Op: "step:charge#1", To: "\x00end",
				Base: math.MaxUint64, Value: []byte("1"), Body: []byte("{}"),
			},
			{Seq: math.MaxUint64, At: math.MaxInt64, Kind: journal.Diagnostic, Attempt: 1, Visit: 1, Base: 1},
		},
		"names":   manyNames(),
		"blocked": blocked(),
		"bodies": {
			{
				Seq: 7, At: start, Kind: journal.InterruptOpened, Attempt: 1, Visit: 1, Node: "review", Op: "int_1",
				Body: []byte(`{"requestId":"int_1","run":"run_1","task":"review#1","op":"interrupt:ask#1","input":{"a":[1]},` +
					`"responseSchema":{"type":"string"},"prompt":"Sure?","options":["yes","no"],"opened":1790000000000000,"state":"open"}`),
			},
			{
				Seq: 8, At: start, Kind: journal.RunFinished,
				Body: []byte("{\n\t\"status\": \"failed\",\n\t\"error\": \"it broke in the middle\"\n}"),
			},
			{Seq: 9, At: start, Kind: journal.Diagnostic, Body: []byte("no JSON, but \x01\x02 and {\"plan\":\" all the same")},
		},
	}
}

// blocked is a run that was blocked for each of the reasons there are, and taken up again (law J11).
func blocked() []journal.Entry {
	body := func(v any) []byte {
		data, _ := json.Marshal(v) //nolint:errchkjson // texts and numbers
		return data
	}
	block := func(seq uint64, b journal.BlockedBody) journal.Entry {
		return journal.Entry{Seq: seq, At: start + int64(seq), Kind: journal.RunBlocked, Body: body(b)}
	}
	resume := func(seq uint64, b journal.ResumedBody) journal.Entry {
		return journal.Entry{Seq: seq, At: start + int64(seq), Kind: journal.RunResumed, Body: body(b)}
	}
	return []journal.Entry{
		{Seq: 1, At: start, Kind: journal.RunStarted, Value: []byte(`{}`), Body: []byte(`{"plan":"triage","fingerprint":"f00"}`)},
		{Seq: 2, At: start, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "classify", Base: 1},
		resume(3, journal.ResumedBody{Reason: "recovered", By: "ann", Takeover: true, Lost: []string{"classify#1"}}),
		block(4, journal.BlockedBody{
			Code: "diverged", Error: "task classify#1: the journal holds step:a#1 here, the code asked for step:b#1",
			Task: "classify#1", RetryAt: start + 1_000_004,
		}),
		resume(5, journal.ResumedBody{Reason: "recovered", By: "bob"}),
		block(6, journal.BlockedBody{Code: "plan_changed", Error: "node classify is gone", RetryAt: start + 1_000_006}),
		resume(7, journal.ResumedBody{Reason: "recovered", By: "bob"}),
		block(8, journal.BlockedBody{
			Code: "takeovers", Error: "its process was lost 6 times, with classify#1 at work, and nothing got done in between",
			Task: "classify#1", Tasks: []string{"classify#1"}, Takeovers: 5,
		}),
		resume(9, journal.ResumedBody{Reason: "retry", By: "carla"}),
	}
}

func manyNames() (entries []journal.Entry) {
	for i := range 40 {
		name := "node-" + string(rune('a'+i%20))
		entries = append(entries, journal.Entry{
			Seq: uint64(i + 1), At: start - int64(i), Kind: journal.StepFinished, Node: name, Op: "step#1", To: name,
		})
	}
	return entries
}

// With -update, a frame whose section is still empty is filled; those of releases are never rewritten.
func TestJ9_GoldenFramesDecodeForEver(t *testing.T) {
	stored := golden.Open(t, "testdata/journal-v*.txtar")
	for name, entries := range frames() {
		stored.FillBytes(t, name+".frame", journal.AppendEntries(nil, entries))
		stored.FillJSON(t, name+".json", entries)
	}
	names := stored.Names("*.frame")
	if len(names) < len(frames()) {
		t.Fatalf("found %d golden frames, expected at least %d", len(names), len(frames()))
	}
	for _, name := range names {
		var want []journal.Entry
		if err := json.Unmarshal([]byte(stored.Text(t, golden.Beside(name, ".json"))), &want); err != nil {
			t.Fatal(err)
		}
		got, err := journal.DecodeEntries(stored.Bytes(t, name), "run_1")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestJ7_AStepCostsFewBytes(t *testing.T) {
	if got := len(journal.AppendEntries(nil, pair())); got > 40 {
		t.Errorf("the pair takes %d bytes, expected at most 40", got)
	}
}

func TestFrameRoundTrip(t *testing.T) {
	for name, entries := range frames() {
		t.Run(name, func(t *testing.T) {
			prefix := []byte("before")
			frame := journal.AppendEntries(prefix, entries)
			got, err := journal.DecodeEntries(frame[len(prefix):], "run_1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entries, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFrameRoundTripProperty(t *testing.T) {
	kinds := []journal.Kind{journal.RunStarted, journal.NodeFinished, journal.StepFinished, journal.Definition}
	body := rapid.Custom(func(t *rapid.T) []byte {
		text, err := json.Marshal(journal.Interrupt{
			ID: rapid.String().Draw(t, "id"), Prompt: rapid.String().Draw(t, "prompt"), State: journal.Open,
		})
		if err != nil {
			t.Fatal(err)
		}
		return append(text, rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "more")...)
	})
	bytesOrNil := rapid.Custom(func(t *rapid.T) []byte {
		if b := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"); len(b) > 0 {
			return b
		}
		return nil
	})
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Uint64Range(1, 1<<40).Draw(t, "first")
		var entries []journal.Entry
		for i := range rapid.Uint64Range(1, 30).Draw(t, "n") {
			entries = append(entries, journal.Entry{
				Seq: first + i, At: rapid.Int64().Draw(t, "at"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				Flags: rapid.Uint8().Draw(t, "flags"), Attempt: rapid.Uint16().Draw(t, "attempt"),
				Visit: rapid.Uint32().Draw(t, "visit"), Node: rapid.StringN(0, 3, 9).Draw(t, "node"),
				Op: rapid.StringN(0, 3, 9).Draw(t, "op"), To: rapid.StringN(0, 3, 9).Draw(t, "to"),
				Base: rapid.Uint64().Draw(t, "base"), Value: bytesOrNil.Draw(t, "value"), Body: rapid.OneOf(body, bytesOrNil).Draw(t, "body"),
			})
		}
		got, err := journal.DecodeEntries(journal.AppendEntries(nil, entries), "run_1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(entries, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// sealed is a frame with that body and the right check.
func sealed(body ...byte) []byte {
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

func TestJ6_ADamagedFrameIsATypedError(t *testing.T) {
	whole := journal.AppendEntries(nil, pair())
	flipped := bytes.Clone(whole)
	flipped[10] ^= 1
	for _, tc := range []struct {
		name  string
		frame []byte
		is    error
		want  string
	}{
		{"empty", nil, journal.ErrCorrupt, "an empty frame"},
		{"format 0", sealed(0, 1, 1, 10, 0), journal.ErrCorrupt, "format 0 does not exist"},
		{"newer", append([]byte{2}, whole[1:]...), journal.ErrNewer, "frame format 2, this version reads up to 1"},
		{"three bytes", whole[:3], journal.ErrCorrupt, "a frame of 3 bytes"},
		{"cut", whole[:len(whole)-1], journal.ErrCorrupt, "the frame's check is"},
		{"flipped", flipped, journal.ErrCorrupt, "the frame's check is"},
		{"no entries", sealed(1, 0, 1), journal.ErrCorrupt, "0 entries in 0 bytes"},
		{"too many entries", sealed(1, 0xff, 0xff, 0xff, 0x7f, 1, 10, 0), journal.ErrCorrupt, "268435455 entries in 2 bytes"},
		{"seq 0", sealed(1, 1, 0, 10, 0), journal.ErrCorrupt, "first seq 0"},
		{"unknown kind", sealed(1, 1, 7, 99, 0), journal.ErrNewer, "run run_1, seq 7: the stored data has a newer format: an entry of kind 99"},
		{"transient kind", sealed(1, 1, 7, 61, 0), journal.ErrNewer, "an entry of kind 61"},
		{"unknown field", sealed(1, 1, 7, 10, 0x80, 0x10), journal.ErrNewer, "with fields 0x800"},
		{"long string", sealed(1, 1, 7, 10, 1, 0, 99, 'a'), journal.ErrCorrupt, "run run_1, seq 7: the stored data is damaged: node: the frame ends too early"},
		{"no such string", sealed(1, 1, 7, 10, 1, 1), journal.ErrCorrupt, "node: string 1 of 0"},
		{"large visit", sealed(1, 1, 7, 10, 0x80, 0x02, 0xff, 0xff, 0xff, 0xff, 0x7f), journal.ErrCorrupt, "visit: 34359738367 is more than"},
		{"endless number", sealed(1, 1, 7, 10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), journal.ErrCorrupt, "mask"},
		{"more", sealed(1, 1, 7, 10, 0, 0), journal.ErrCorrupt, "1 bytes after the last entry"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			entries, err := journal.DecodeEntries(tc.frame, "run_1")
			store, ok := errors.AsType[*journal.StoreError](err)
			if !ok || store.Run != "run_1" || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) || len(entries) > 0 {
				t.Errorf("found %v, %v; expected %v with %q", entries, err, tc.is, tc.want)
			}
		})
	}
}

func TestDecoderKeepsWhatItHadOnAnError(t *testing.T) {
	var d journal.Decoder
	entries, err := d.Decode(nil, journal.AppendEntries(nil, pair()), "run_1")
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.Decode(entries, sealed(1, 2, 7, 10, 0, 99, 0), "run_1")
	if !errors.Is(err, journal.ErrNewer) {
		t.Fatalf("found %v, expected ErrNewer", err)
	}
	if diff := cmp.Diff(pair(), again); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzDecodeEntries(f *testing.F) {
	for _, entries := range frames() {
		frame := journal.AppendEntries(nil, entries)
		f.Add(frame)
		f.Add(frame[:len(frame)-4])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, frame := range [][]byte{data, sealed(bytes.Clone(data)...)} { // most of what is wrong lies behind the check
			entries, err := journal.DecodeEntries(frame, "run_1")
			if err != nil {
				if !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrNewer) {
					t.Fatalf("untyped error %v", err)
				}
				continue
			}
			again, err := journal.DecodeEntries(journal.AppendEntries(nil, entries), "run_1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entries, again, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("encoded again (-want +got):\n%s", diff)
			}
		}
	})
}

func BenchmarkAppendEntries(b *testing.B) {
	b.ReportAllocs()
	entries := pair()
	var buf []byte
	for b.Loop() {
		buf = journal.AppendEntries(buf[:0], entries)
	}
}

func BenchmarkDecodeEntries(b *testing.B) {
	b.ReportAllocs()
	frame := journal.AppendEntries(nil, pair())
	var d journal.Decoder
	var entries []journal.Entry
	for b.Loop() {
		var err error
		if entries, err = d.Decode(entries[:0], frame, "run_1"); err != nil {
			b.Fatal(err)
		}
	}
}
