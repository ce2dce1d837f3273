package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// theReport is what the model makes in the end; the first time it does not fit.
const (
	theReport  = `{"title":"A day in Oslo 😀","parts":[{"name":"morning","text":"The fjord, and a long walk."},{"name":"evening","text":"Home."}],"stars":5}`
	theMistake = `{"title":"A day in Os","parts":[{"name":"noon","text":"Lunch"}],"stars":"five"}`
)

type dayReport struct {
	Title string    `json:"title"`
	Parts []dayPart `json:"parts"`
	Stars int       `json:"stars"`
}

type dayPart struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// slowly is a model that calls a tool and asks a person, makes a mistake, and then what it was asked for; it says a few
// bytes whenever somebody has looked.
func slowly(looks map[string]func()) model.Func {
	replies := []scripted.Reply{
		{Calls: []model.ToolCall{
			{ID: "call_1", Name: "weather", Arguments: json.RawMessage(`{"place":"Oslo"}`)},
			{ID: "call_2", Name: "ask_person", Arguments: json.RawMessage(`{"question":"How long?"}`)},
		}},
		{Text: theMistake, Every: 5},
		{Text: theReport, Every: 3},
	}
	return func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		turn, look := 0, looks[req.Messages[0].Text()]
		for i := range req.Messages {
			if req.Messages[i].Role == model.Assistant {
				turn++
			}
		}
		said := scripted.New(scripted.Script{Replies: replies[turn : turn+1]})
		return func(yield func(model.Chunk, error) bool) {
			for chunk, err := range said.Generate(ctx, req) {
				if chunk.Text != "" {
					look()
				}
				if !yield(chunk, err) {
					return
				}
			}
		}
	}
}

// reported is what the client writes of a run that reasons.
type reported struct {
	State struct {
		Run, Status string
		Structured  []struct {
			OpID, SegmentID, DataType, SchemaID string
			Value                               dayReport
			Final                               bool
		}
		Tools []struct {
			CallID, Name, Status, Result string
		}
		Interrupts []json.RawMessage
	}
	Seqs []uint64
}

// What a model makes is put together by the client from its pieces, wherever connections break: through a tool, a
// question to a person and an answer that did not fit.
func TestE2_TheClientForJavaScriptFoldsWhatAModelMakes(t *testing.T) {
	looks := make(map[string]func())
	w := newWorld(t, fermata.Options{Services: []any{model.Model(slowly(looks))}}, server.Options{})
	proxy := &cutter{backend: w.http.URL, cuts: make(map[string]*cut)}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	weather, err := node.NewTool("weather", "tells the weather", func(_ node.Context, in struct {
		Place string `json:"place"`
	},
	) (string, error) {
		return "rain in " + in.Place, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"testdata/follow.js", front.URL, `{"days":2}`}
	const runs = 24
	for k := range runs {
		look, saw := pace(20 * time.Millisecond)
		id, here := fmt.Sprint("run_", k), &cut{events: k, bytes: k % 5 * 40, begun: make(chan struct{}), saw: saw}
		if k == 0 {
			here.events = 1 << 20
		}
		proxy.cuts["/runs/"+id+"/events"] = here
		looks[id] = func() { <-here.begun; look() }
		args = append(args, id)
	}
	for _, id := range args[3:] {
		w.start(t, graph.New[draft]("reasons").Node("reason", func(ctx node.Context, s draft) (draft, error) {
			_, err := node.Reason[dayReport](ctx, node.Reasoning{
				ID: "day", Prompt: id, Tools: []node.Tool{weather}, Stream: node.StreamPatch, DataType: "report",
				Interrupt: node.AskPerson[struct {
					Question string `json:"question"`
				}, struct {
					Days int `json:"days"`
				}](),
			})
			return s, err
		}).Edge(graph.Start, "reason").MustCompile(), fermata.WithID(id))
	}
	var report dayReport
	if err := json.Unmarshal([]byte(theReport), &report); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(runNode(t, args...)), []byte("\n"))
	if len(lines) != runs {
		t.Fatalf("%d runs were read, want %d", len(lines), runs)
	}
	for _, line := range lines {
		var got, want reported
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		run := got.State.Run
		want.State.Run, want.State.Status, want.Seqs = run, string(fermata.Completed), dense(w.head(t, run))
		want.State.Structured = append(want.State.Structured, struct {
			OpID, SegmentID, DataType, SchemaID string
			Value                               dayReport
			Final                               bool
		}{"op_reason#1/reason:day#1", "seg_reason#1/reason:day#1", "report", "dayReport", report, true})
		want.State.Tools = append(want.State.Tools, struct {
			CallID, Name, Status, Result string
		}{"call_1", "weather", "finished", "rain in Oslo"})
		want.State.Interrupts = []json.RawMessage{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	}
}
