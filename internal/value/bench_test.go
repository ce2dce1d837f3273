package value_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

type counter struct {
	N     int
	Name  string
	Ratio float64
	Done  bool
	Last  string
}

type plainMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chat[M any] struct {
	Turn     int `json:"turn"`
	Messages []M `json:"messages"`
}

func codecOf[S any](b *testing.B) plan.Codec {
	b.Helper()
	codec, err := value.For[S]()
	noError(b, err)
	return codec
}

func BenchmarkFlat(b *testing.B) {
	codec := codecOf[counter](b)
	v := &counter{Name: "a counter", Ratio: 0.5, Last: "x"}
	_, snapshot, err := codec.Delta(nil, v)
	noError(b, err)
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, snapshot, err = codec.Delta(snapshot, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("changed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.N++
			if _, snapshot, err = codec.Delta(snapshot, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.Copy(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json.Marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchmarkAppend adds a message to a list of n, and takes it away again every so often, so that the list stays as long.
func benchmarkAppend[M any](b *testing.B, n int, made func(i int) M) {
	codec := codecOf[chat[M]](b)
	v := &chat[M]{}
	for i := range n {
		v.Messages = append(v.Messages, made(i))
	}
	_, snapshot, err := codec.Delta(nil, v)
	noError(b, err)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		size := 0
		for i := 0; b.Loop(); i++ {
			if len(v.Messages) > n+n/10+10 {
				b.StopTimer()
				v.Messages = v.Messages[:n]
				if _, snapshot, err = codec.Delta(snapshot, v); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			v.Messages = append(v.Messages, made(i))
			var delta []byte
			if delta, snapshot, err = codec.Delta(snapshot, v); err != nil {
				b.Fatal(err)
			}
			size = len(delta)
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(n), "ns/element")
		b.ReportMetric(float64(size), "delta-B")
	})
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, snapshot, err = codec.Delta(snapshot, v); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(n), "ns/element")
	})
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.Copy(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.Encode(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json.Marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkMessages(b *testing.B) {
	text := strings.Repeat("what was said ", 7)
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) {
			benchmarkAppend(b, n, func(i int) plainMessage { return plainMessage{"user", text} })
		})
		b.Run(fmt.Sprintf("tools/%d", n), func(b *testing.B) { // elements with lists and pointers of their own
			benchmarkAppend(b, n, func(i int) message {
				m := message{Role: "user", Content: text}
				if i%4 == 0 {
					m.Calls = []call{{Tool: "search"}}
				}
				return m
			})
		})
	}
}

func leaves() []any {
	var list []any
	for range 5 {
		list = append(list, strings.Repeat("hi?", 10), true, json.Number("1"), json.Number("6327816386138"), nil)
	}
	return list
}

func nested() map[string]any {
	outer := make(map[string]any)
	for i := range 3 {
		inner := make(map[string]any)
		for j := range 5 {
			inner[strings.Repeat(fmt.Sprint(j), 10)] = leaves()
		}
		outer[strings.Repeat(fmt.Sprint(i), 10)] = inner
	}
	return outer
}

func BenchmarkWide(b *testing.B) {
	type state struct {
		Messages  []string
		Rules     map[string]map[string][]any
		Documents map[string]any
		Bot       string
	}
	typed := &state{Rules: make(map[string]map[string][]any), Documents: nested()}
	for k, inner := range nested() {
		typed.Rules[k] = make(map[string][]any)
		for j, list := range inner.(map[string]any) {
			typed.Rules[k][j] = list.([]any)
		}
	}
	turn := 0
	b.Run("typed", func(b *testing.B) {
		benchmarkChange(b, codecOf[state](b), typed, func() { turn++; typed.Bot = fmt.Sprint(turn) })
	})
	dynamic := map[string]any{"messages": []any{}, "rules": nested(), "documents": nested(), "bot": ""}
	b.Run("dynamic", func(b *testing.B) {
		benchmarkChange(b, value.Dynamic(), dynamic, func() { turn++; dynamic["bot"] = fmt.Sprint(turn) })
	})
}

func benchmarkChange(b *testing.B, codec plan.Codec, v any, change func()) {
	_, snapshot, err := codec.Delta(nil, v)
	noError(b, err)
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, snapshot, err = codec.Delta(snapshot, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("changed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			change()
			if _, snapshot, err = codec.Delta(snapshot, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.Copy(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json.Marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	codec := codecOf[string](b)
	text := strings.Repeat("a line of ordinary text, with words.\n", 1000)
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.Encode(&text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json.Marshal", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(&text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkItems keeps a list of small objects, as rows of a table are.
func BenchmarkItems(b *testing.B) {
	items := make([]any, 1000)
	for i := range items {
		items[i] = map[string]any{"id": json.Number(fmt.Sprint(i)), "text": "a row of a table", "done": i%2 == 0}
	}
	turn := 0
	board := map[string]any{"items": items, "turn": ""}
	benchmarkChange(b, value.Dynamic(), board, func() { turn++; board["turn"] = fmt.Sprint(turn) })
}
