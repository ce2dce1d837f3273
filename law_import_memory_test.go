package fermata_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// peak is the most that the heap holds beside what it holds now, while do is at work.
func peak(do func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	held := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	var most atomic.Int64
	before, done, stopped := held(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most.Store(max(most.Load(), held()-before))
			select {
			case <-done:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	do()
	close(done)
	<-stopped
	return most.Load()
}

// bomb is a file that is made while it is read, so that it takes no memory itself. It ends as it has to.
type bomb struct {
	next    func(seq int) string // the line of an entry, "" behind the last
	pending []byte
	sum     hash.Hash
	seq     int
	ended   bool
}

func newBomb(header string, next func(seq int) string) *bomb {
	b := &bomb{next: next, sum: sha256.New(), pending: []byte(header + "\n")}
	b.sum.Write(b.pending)
	return b
}

func (b *bomb) Read(p []byte) (int, error) {
	if len(b.pending) == 0 {
		b.seq++
		line := b.next(b.seq)
		switch {
		case b.ended:
			return 0, io.EOF
		case line == "":
			b.ended = true
			line = fmt.Sprintf(`{"end":{"entries":%d,"sha256":"%x"}}`, b.seq-1, b.sum.Sum(nil))
		}
		b.pending = []byte(line + "\n")
		b.sum.Write(b.pending)
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

const (
	bombHeader = `{"format":"fermata-run","version":1,"run":"run_x","plan":"p"}`
	bombStart  = `{"entry":{"seq":1,"at":"2026-01-01T00:00:00Z","kind":"run.started","value":%s,"body":{"plan":"p"}}}`
	bombDelta  = `{"entry":{"seq":%d,"at":"2026-01-01T00:00:00Z","kind":"run.resumed","body":{"reason":"replan"},"flags":8,"base":%d,"value":%s}}`
)

// wide is a list of n elements, or an object of n members.
func wide(n int, object bool) string {
	var b strings.Builder
	for i := range n {
		if object {
			fmt.Fprintf(&b, `,"%d":0`, i)
		} else {
			b.WriteString(",0")
		}
	}
	if object {
		return "{" + b.String()[1:] + "}"
	}
	return "[" + b.String()[1:] + "]"
}

// Whatever a file holds, Import takes a small multiple of MaxBytes of memory, and no more: short lines that unfold to
// much, many entries, deep ones, long ones.
func TestJ6_ImportTakesBoundedMemory(t *testing.T) {
	const most = 4 << 20
	first := func(value string, more func(seq int) string) func(int) string {
		return func(seq int) string {
			if seq == 1 {
				return fmt.Sprintf(bombStart, value)
			}
			return more(seq)
		}
	}
	delta := func(last int, base func(seq int) int, text string) func(int) string {
		return func(seq int) string {
			if seq > last {
				return ""
			}
			return fmt.Sprintf(bombDelta, seq, base(seq), text)
		}
	}
	of1 := func(int) int { return 1 }
	// All values live until the end: the deltas of the second half use those of the first.
	kept := func(text string, n int) func(int) string {
		return func(seq int) string {
			switch {
			case seq <= n:
				return fmt.Sprintf(bombDelta, seq, 1, text)
			case seq <= 2*n:
				return fmt.Sprintf(bombDelta, seq, seq-n+1, text)
			}
			return ""
		}
	}
	long := strings.Repeat("a", 1<<18)
	for name, line := range map[string]func(int) string{
		"a wide list, copied often":   first(wide(20_000, false), kept(`[3,{"0":[0,1]},20000,[]]`, 3000)),
		"a wide object, copied often": first(wide(12_000, true), kept(`[1,{"0":[0,1]}]`, 3000)),
		"a long text, doubled often":  first(`"`+long+`"`, kept(`[4,262144,"x"]`, 3000)),
		"one list, opened":            first(wide(1_000_000, false), delta(2, of1, `[2,1000000,[1]]`)),
		"one delta with a wide tail":  first(`[]`, delta(2, of1, `[2,0,`+wide(1_000_000, false)+`]`)),
		"many tiny entries": first(`1`, func(seq int) string {
			return fmt.Sprintf(`{"entry":{"seq":%d,"at":"2026-01-01T00:00:00Z","kind":"status"}}`, seq)
		}),
		"one line without an end":       first(`"`+strings.Repeat("b", 3*most)+`"`, func(int) string { return "" }),
		"a header without an end":       func(int) string { return "" },
		"options without an end":        first(`1`, func(seq int) string { return bombQuestion(seq, `"options":["`+strings.Repeat(`","`, 80_000)+`"]`) }),
		"one question with all options": first(`1`, func(seq int) string { return bombQuestion(seq, `"options":["`+strings.Repeat(`","`, 1_000_000)+`"]`) }),
		"labels": func(int) string {
			return `{"entry":{"seq":1,"at":"2026-01-01T00:00:00Z","kind":"run.started","value":1,"body":{"plan":"p","labels":` + wide(300_000, true) + `}}}`
		},
		"deep": first(strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20), func(int) string { return "" }),
		"deepened": first(`[]`, func(seq int) string {
			return fmt.Sprintf(bombDelta, seq, seq-1, strings.Repeat(`[3,{"0":`, 4000)+`[0,[[]]]`+strings.Repeat(`},1,[]]`, 4000))
		}),
		"a frame of many entries": first(`1`, func(seq int) string {
			many := make([]journal.Entry, 100_000)
			for i := range many {
				many[i] = journal.Entry{Seq: uint64(seq + i), Kind: journal.Status}
			}
			return fmt.Sprintf(`{"entry":{"seq":%d,"frame":"%s"}}`, seq, base64.StdEncoding.EncodeToString(journal.AppendEntries(nil, many)))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			rt := newRuntime(t, fermata.Options{Store: memory.New()})
			header := bombHeader
			if name == "a header without an end" {
				header = strings.Repeat("{", 3*most)
			}
			var err error
			took := peak(func() {
				_, err = rt.Import(t.Context(), newBomb(header, line), fermata.ImportOptions{MaxBytes: most})
			})
			t.Logf("%.1f times MaxBytes: %v", float64(took)/most, shortened(err))
			if err == nil {
				t.Error("it is taken in")
			}
			if took > 16*most {
				t.Errorf("it took %d MB, %d times MaxBytes; expected 16 times at most", took>>20, took/most)
			}
		})
	}
}

func bombQuestion(seq int, more string) string {
	if seq == 2 { // what a migration leaves may ask anything
		return `{"entry":{"seq":2,"at":"2026-01-01T00:00:00Z","kind":"run.resumed","body":{"reason":"replan"}}}`
	}
	return fmt.Sprintf(`{"entry":{"seq":%d,"at":"2026-01-01T00:00:00Z","kind":"interrupt","visit":1,"node":"a","op":"int_%d","body":{"requestId":"int_%d","op":"%d",%s}}}`,
		seq, seq, seq, seq, more)
}

func shortened(err error) string {
	text := fmt.Sprint(err)
	return text[:min(len(text), 160)]
}

// A run that keeps changing a wide state is taken in: what its old values took is given back.
func TestJ6_LongRunsOfWideStatesAreTakenIn(t *testing.T) {
	const members, changes = 2000, 3000
	rt, store := inMemory(t)
	more := make([]journal.Entry, 0, changes)
	for i := range changes {
		base := uint64(i) + 1
		if i%3 == 2 {
			base-- // two of one value, as branches make them
		}
		more = append(more, leaves(journal.FlagBase, base, fmt.Sprintf(`[1,{"%d":[0,%d]}]`, i%members, i)))
	}
	file := written(t, startedOnly, append([]journal.Entry{leaves(0, 0, wide(members, true))}, shifted(more)...)...)
	if _, err := rt.Import(t.Context(), bytes.NewReader(file), fermata.ImportOptions{MaxBytes: int64(len(file))}); err != nil {
		t.Fatal(err)
	}
	if again := exports(t, store, "run_x"); !bytes.Equal(file, again) {
		t.Error("it is not what was exported")
	}
}

// shifted are entries whose bases are one later.
func shifted(list []journal.Entry) []journal.Entry {
	for i := range list {
		list[i].Base++
	}
	return list
}

// A document that may take so much takes no more, and what it holds is what is measured.
func TestJ7_DeltasOfStrangersTakeWhatTheyMay(t *testing.T) {
	doc, err := journal.ParseDocument([]byte(wide(1000, true)))
	if err != nil {
		t.Fatal(err)
	}
	little, much := int64(100), int64(1<<20)
	if err := doc.Clone().ApplyWithin([]byte(`[1,{"7":[0,1]}]`), &little); !errors.Is(err, journal.ErrTooLarge) {
		t.Errorf("it takes more than 100 bytes: %v", err)
	}
	if err := doc.ApplyWithin([]byte(`[1,{"7":[0,1]}]`), &much); err != nil || much == 1<<20 {
		t.Errorf("%v, and %d bytes are left", err, much)
	}
	one := journal.Footprint(func(yield func(*journal.Document) bool) { yield(doc) })
	two := journal.Footprint(func(yield func(*journal.Document) bool) { _ = yield(doc) && yield(doc.Clone()) })
	if one == 0 || one != two || one > 1<<20-much {
		t.Errorf("one document holds %d bytes, two that share it %d, and %d were taken", one, two, 1<<20-much)
	}
}
