package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// vocabulary is made up anew for each journal: text in it packs about as well as English does.
func vocabulary(r *rand.Rand) []string {
	words := make([]string, 4000)
	for i := range words {
		var b strings.Builder
		for range 2 + r.IntN(8) {
			b.WriteByte("etaoinshrdlucmfwypvbgkjqxz"[min(r.IntN(26), r.IntN(26))])
		}
		words[i] = b.String()
	}
	return words
}

// prose is n words, the first ones of the vocabulary more often than the others.
func prose(r *rand.Rand, words []string, n int) string {
	said := make([]string, n)
	for i := range said {
		said[i] = words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())]
	}
	return strings.Join(said, " ")
}

func quoted(text string) []byte {
	b, _ := json.Marshal(text) //nolint:errchkjson // a string
	return b
}

// conversation is a journal of a bot: for each turn a question to a person, an answer, a call of a model, and the two
// messages that are appended to the state.
func conversation(r *rand.Rand, entries int) (list []journal.Entry) {
	words, turn := vocabulary(r), 0
	add := func(e journal.Entry) {
		e.Seq, e.At, e.Attempt, e.Visit = uint64(len(list)+1), 1_790_000_000_000_000+int64(len(list))*731_113, 1, uint32(turn)
		list = append(list, e)
	}
	for len(list) < entries {
		turn++
		said, reply := prose(r, words, 8+r.IntN(15)), prose(r, words, 30+r.IntN(60))
		id := fmt.Sprintf("int_%016x%016x", r.Uint64(), r.Uint64())
		add(journal.Entry{Kind: journal.NodeStarted, Node: "listen", Base: uint64(max(len(list)-1, 0))})
		add(journal.Entry{Kind: journal.InterruptOpened, Node: "listen", Op: id, Body: fmt.Appendf(nil,
			`{"requestId":%q,"run":"run_01991a2b3c4d7e8f9a0b","task":"listen#%d","op":"interrupt:ask#1","responseSchema":{"type":"string"},"state":"open"}`, id, turn)})
		add(journal.Entry{Kind: journal.NodeSuspended, Node: "listen"})
		add(journal.Entry{Kind: journal.RunPaused})
		add(journal.Entry{Kind: journal.InterruptResolved, Node: "listen", Op: id, Value: quoted(said), Body: []byte(`{"state":"answered","by":"ann"}`)})
		add(journal.Entry{Kind: journal.RunResumed, Body: []byte(`{"reason":"answer"}`)})
		add(journal.Entry{
			Kind: journal.NodeFinished, Node: "listen", Flags: journal.FlagBase, Base: uint64(len(list) - 5),
			Value: fmt.Appendf(nil, `[1,{"messages":[2,%d,[{"role":"user","text":%s}]]}]`, 2*turn, quoted(said)),
		})
		add(journal.Entry{Kind: journal.NodeStarted, Node: "reply", Base: uint64(len(list))})
		add(journal.Entry{
			Kind: journal.StepFinished, Node: "reply", Op: "model:chat#1", Value: fmt.Appendf(nil, `{"text":%s,"stop":"end"}`, quoted(reply)),
			Body: fmt.Appendf(nil, `{"usage":{"input":%d,"output":%d}}`, 500+40*turn, len(reply)/4),
		})
		add(journal.Entry{
			Kind: journal.NodeFinished, Node: "reply", Flags: journal.FlagBase, Base: uint64(len(list) - 2),
			Value: fmt.Appendf(nil, `[1,{"messages":[2,%d,[{"role":"assistant","text":%s}]]}]`, 2*turn+1, quoted(reply)),
		})
	}
	return list[:entries]
}

// research is a journal of an agent that thinks and calls tools in turn: steps of one long task, with results as
// programs return them.
func research(r *rand.Rand, entries int) (list []journal.Entry) {
	words := vocabulary(r)
	for len(list) < entries {
		turn := len(list)/3 + 1
		var rows []string
		for range 3 + r.IntN(8) {
			rows = append(rows, fmt.Sprintf(`{"id":"doc-%06d","title":%s,"score":%.4f,"url":"https://example.org/%x"}`,
				r.IntN(1e6), quoted(prose(r, words, 6)), r.Float64(), r.Uint64()))
		}
		args := fmt.Sprintf(`{"query":%s,"limit":10}`, quoted(prose(r, words, 4)))
		for _, e := range []journal.Entry{
			{
				Kind: journal.StepFinished, Op: fmt.Sprintf("model:think#%d", turn), Value: fmt.Appendf(nil,
					`{"text":%s,"calls":[{"id":"call_%016x","tool":"search","args":%s}]}`, quoted(prose(r, words, 40)), r.Uint64(), args),
				Body: fmt.Appendf(nil, `{"usage":{"input":%d,"output":%d}}`, 900+80*turn, 60+r.IntN(90)),
			},
			{Kind: journal.StepStarted, Op: fmt.Sprintf("tool:search#%d", turn), Body: []byte(`{"input":` + args + `}`)},
			{Kind: journal.StepFinished, Op: fmt.Sprintf("tool:search#%d", turn), Value: []byte(`{"results":[` + strings.Join(rows, ",") + `]}`)},
		} {
			e.Seq, e.At, e.Attempt, e.Visit, e.Node = uint64(len(list)+1), 1_790_000_000_000_000+int64(len(list))*912_345, 1, 1, "agent"
			list = append(list, e)
		}
	}
	return list[:entries]
}

var journals = []struct {
	name string
	make func(r *rand.Rand, entries int) []journal.Entry
}{{"chat", conversation}, {"react", research}}

// store writes a journal as a run does, two entries at a time.
func store(tb testing.TB, s journal.Store, run string, list []journal.Entry) {
	tb.Helper()
	for n := 0; n < len(list); n += 2 {
		b := journal.Batch{Run: run, After: uint64(n), Entries: list[n:min(n+2, len(list))], Durability: journal.Async}
		if n == 0 {
			b.Row = &journal.RunRow{ID: run, Plan: "plan", Status: "completed"}
		}
		if err := s.Append(context.Background(), b); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkCompact compacts runs, and says how many bytes an entry took and takes in the file.
func BenchmarkCompact(b *testing.B) {
	for _, j := range journals {
		for _, entries := range []int{20, 100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/entries=%d", j.name, entries), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "a.db")
				s := openFile(b, path, sqlite.Options{Sync: sqlite.Normal})
				list := j.make(rand.New(rand.NewPCG(1, 1)), entries)
				var total journal.Compaction
				n := 0
				for b.Loop() {
					b.StopTimer()
					run := fmt.Sprint("run_", n)
					store(b, s, run, list)
					if _, err := s.Runs(context.Background(), journal.RunFilter{ID: run}); err != nil { // all is written
						b.Fatal(err)
					}
					n++
					b.StartTimer()
					did, err := s.Compact(context.Background(), run)
					if err != nil {
						b.Fatal(err)
					}
					total.Before, total.After = total.Before+did.Before, total.After+did.After
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(total.Before)/float64(n*entries), "before-B/entry")
				b.ReportMetric(float64(total.After)/float64(n*entries), "after-B/entry")
			})
		}
	}
}

// BenchmarkReadCompacted reads a run of ten thousand entries as it was written and compacted: all of it, its last
// entries, and one from its middle.
func BenchmarkReadCompacted(b *testing.B) {
	const entries = 10_000
	for _, form := range []string{"plain", "compacted"} {
		s := openFile(b, filepath.Join(b.TempDir(), "a.db"), sqlite.Options{Sync: sqlite.Normal})
		store(b, s, "run_1", conversation(rand.New(rand.NewPCG(1, 1)), entries))
		if form == "compacted" {
			if _, err := s.Compact(context.Background(), "run_1"); err != nil {
				b.Fatal(err)
			}
		}
		for _, part := range []struct {
			name     string
			after, n int
		}{{"all", 0, entries}, {"last=10", entries - 10, 10}, {"middle=1", entries / 2, 1}} {
			b.Run(form+"/"+part.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					for _, err := range s.Read(context.Background(), "run_1", uint64(part.after)) {
						if err != nil {
							b.Fatal(err)
						}
						if n++; n == part.n {
							break
						}
					}
				}
			})
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
