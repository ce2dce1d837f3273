package block_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/golden"
	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const start = 1_790_000_000_000_000 // microseconds: 2026-09-21

// some are n entries from a seq.
func some(first uint64, n int) (list []journal.Entry) {
	for i := range n {
		seq := first + uint64(i)
		e := journal.Entry{
			Seq: seq, At: start + int64(i)*1000, Kind: journal.NodeStarted, Attempt: 1, Visit: uint32(1 + i/3), Node: fmt.Sprint("node", i%4), Base: seq - 1,
		}
		switch i % 3 {
		case 1:
			e.Kind, e.Op, e.Value = journal.StepFinished, "step:ask#1", fmt.Appendf(nil, `{"text":"Thank you, that helped.","n":%d}`, i)
		case 2:
			e.Kind, e.Flags, e.Body = journal.NodeFinished, journal.FlagBase, []byte(`{"reason":"answer"}`)
		}
		list = append(list, e)
	}
	return list
}

func pack(t testing.TB, entries []journal.Entry) []byte {
	t.Helper()
	var p block.Packer
	data, err := p.Append(nil, entries)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Blocks of every release are read for ever. With -update, a block whose section is still empty is filled; those of releases
// are never rewritten.
func TestJ9_GoldenBlocksDecodeForEver(t *testing.T) {
	stored := golden.Open(t, "testdata/block-v*.txtar")
	blocks := map[string][]journal.Entry{"one": some(1, 1), "many": some(17, 250)}
	for name, entries := range blocks {
		stored.FillBytes(t, name+".block", pack(t, entries))
		stored.FillJSON(t, name+".json", entries)
	}
	names := stored.Names("*.block")
	if len(names) < len(blocks) {
		t.Fatalf("found %d golden blocks, expected at least %d", len(names), len(blocks))
	}
	for _, name := range names {
		data := stored.Bytes(t, name)
		var want []journal.Entry
		if err := json.Unmarshal([]byte(stored.Text(t, golden.Beside(name, ".json"))), &want); err != nil {
			t.Fatal(err)
		}
		var r block.Reader
		got, err := r.Decode(nil, data, "run_1")
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if _, err := journal.DecodeEntries(data, "run_1"); !errors.Is(err, journal.ErrNewer) {
			t.Errorf("%s: who knows no blocks finds %v, expected ErrNewer", name, err)
		}
	}
}

// Any entries come back as they were, from blocks and from frames, through one reader.
func TestJ9_BlocksHoldWhatIsPutIntoThem(t *testing.T) {
	var p block.Packer
	var r block.Reader
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Uint64Range(1, 1<<62).Draw(t, "first")
		want := some(first, rapid.IntRange(1, 400).Draw(t, "n"))
		for i := range want {
			if value := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "value"); len(value) > 0 {
				want[i].Value = value
			}
		}
		data, err := p.Append([]byte("before"), want)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{data[len("before"):], journal.AppendEntries(nil, want)} {
			got, err := r.Decode(want[:1:1], data, "run_1")
			if diff := cmp.Diff(append(want[:1:1], want...), got); err != nil || diff != "" {
				t.Fatalf("%v (-want +got):\n%s", err, diff)
			}
		}
	})
}

func TestWhatDoesNotFitIntoABlock(t *testing.T) {
	var p block.Packer
	large := some(1, 2)
	large[1].Value = make([]byte, block.Most)
	for name, entries := range map[string][]journal.Entry{"none": nil, "too much": large} {
		if data, err := p.Append(nil, entries); err == nil || data != nil {
			t.Errorf("%s: found %d bytes, %v", name, len(data), err)
		}
	}
	large[1].Value = large[1].Value[:block.Most-block.Weight(some(1, 2))]
	var r block.Reader
	if got, err := r.Decode(nil, pack(t, large), "run_1"); err != nil || len(got) != 2 || !bytes.Equal(got[1].Value, large[1].Value) {
		t.Errorf("as much as there may be: %d entries, %v", len(got), err)
	}
}

// sealed is a block with a check that is right.
func sealed(codec byte, first, count, size uint64, data []byte) []byte {
	b := []byte{2, codec}
	for _, n := range []uint64{first, count, size} {
		b = binary.AppendUvarint(b, n)
	}
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestJ6_DamageIsTyped(t *testing.T) {
	frame := journal.AppendEntries(nil, some(5, 2))
	raw := append(binary.AppendUvarint(nil, uint64(len(frame))), frame...)
	size := uint64(len(raw))
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	bomb := encoder.EncodeAll(make([]byte, 80<<20), nil)
	for _, tc := range []struct {
		name string
		data []byte
		is   error
		seq  uint64
		want string
	}{
		{"short", []byte{2, 1}, journal.ErrCorrupt, 0, "a block of 2 bytes"},
		{"a later codec", sealed(2, 5, 2, size, raw), journal.ErrNewer, 5, "codec 2, this version reads up to 1"},
		{"no seq", sealed(0, 0, 2, size, raw), journal.ErrCorrupt, 0, "2 entries from seq 0"},
		{"another seq", sealed(0, 4, 2, size, raw), journal.ErrCorrupt, 6, "expected seq 4, found seq 5"},
		{"no entry", sealed(0, 5, 0, size, raw), journal.ErrCorrupt, 5, "0 entries"},
		{"too few", sealed(0, 5, 1, size, raw), journal.ErrCorrupt, 7, "the block has 2 entries, expected 1"},
		{"too many", sealed(0, 5, 1<<40, size, raw), journal.ErrCorrupt, 5, "1099511627776 entries"},
		{"another size", sealed(0, 5, 2, size+1, raw), journal.ErrCorrupt, 5, "bytes unpacked, expected"},
		{"too large", sealed(1, 5, 2, 1<<40, raw), journal.ErrCorrupt, 5, "expected at most"},
		{"no zstd", sealed(1, 5, 2, size, raw), journal.ErrCorrupt, 5, "unpacking the block"},
		{"a bomb", sealed(1, 5, 2, size, bomb), journal.ErrCorrupt, 5, "unpacking the block"},
		{"a frame is cut", sealed(0, 5, 2, size-1, raw[:size-1]), journal.ErrCorrupt, 5, "a frame within the block ends too early"},
		{"a frame is spoilt", sealed(0, 5, 2, size, append(bytes.Clone(raw[:size-1]), 0)), journal.ErrCorrupt, 5, "the frame's check"},
	} {
		var r block.Reader
		got, err := r.Decode(nil, tc.data, "run_1")
		at, ok := errors.AsType[*journal.StoreError](err)
		if !ok || at.Run != "run_1" || at.Seq != tc.seq || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) || len(got) > 0 {
			t.Errorf("%s: found %v, expected run_1, seq %d, %v, %q", tc.name, err, tc.seq, tc.is, tc.want)
		}
	}
	whole := pack(t, some(3, 50))
	var r block.Reader
	for i := range whole { // no bit and no byte may be another one
		spoilt := bytes.Clone(whole)
		spoilt[i] ^= 1 << (i % 8)
		for what, data := range map[string][]byte{"changed at": spoilt, "cut at": whole[:i]} {
			if _, err := r.Decode(nil, data, "run_1"); !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrNewer) {
				t.Errorf("%s %d: found %v", what, i, err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(pack(f, some(1, 3)))
	f.Add(pack(f, some(9, 400)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r block.Reader
		inputs := [][]byte{data}
		if len(data) > 4 { // most of what is wrong lies behind the check
			body := bytes.Clone(data[:len(data)-4])
			inputs = append(inputs, binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))))
		}
		for _, data := range inputs {
			entries, err := r.Decode(nil, data, "run_1")
			if err != nil {
				if !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrNewer) {
					t.Fatalf("untyped error %v", err)
				}
				continue
			}
			again, err := r.Decode(nil, pack(t, entries), "run_1")
			if diff := cmp.Diff(entries, again); err != nil || diff != "" {
				t.Fatalf("packed again: %v (-want +got):\n%s", err, diff)
			}
		}
	})
}
