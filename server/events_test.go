package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// writes streams two segments at once, says something in between, asks a person, and writes once more. Before each
// chunk it lets readers have a look.
func writes(look func()) *graph.Graph[draft] {
	return graph.New[draft]("writes").
		Node("write", func(ctx node.Context, d draft) (draft, error) {
			answer, err := node.Stream(ctx, "answer")
			if err != nil {
				return d, err
			}
			reasoning, err := node.Stream(ctx, "reasoning")
			if err != nil {
				return d, err
			}
			for i, word := range strings.SplitAfter("To be, or not to be: that is the question. ‚Sein oder Nichtsein‘", " ") {
				look()
				if err := errors.Join(answer.Write(word), reasoning.Write(fmt.Sprintf("[%d]\n", i))); err != nil {
					return d, err
				}
				if i == 5 {
					if err := node.Emit(ctx, node.EventStatus, "half of it"); err != nil {
						return d, err
					}
				}
			}
			d.Text = "written"
			return d, errors.Join(answer.Close(), reasoning.Close())
		}).
		Node("ask", func(ctx node.Context, d draft) (draft, error) {
			is, err := node.Interrupt[decision](ctx, nil, node.ID("ok"))
			d.Approved = is.Approve
			return d, err
		}).
		Node("thank", func(ctx node.Context, d draft) (draft, error) {
			s, err := node.Stream(ctx, "answer")
			if err != nil {
				return d, err
			}
			for _, word := range []string{"Thank ", "you."} {
				look()
				if err := s.Write(word); err != nil {
					return d, err
				}
			}
			return d, s.Close()
		}).
		Edge(graph.Start, "write").Edge("write", "ask").Edge("ask", "thank").MustCompile()
}

const (
	theAnswer = "To be, or not to be: that is the question. ‚Sein oder Nichtsein‘"
	theThanks = "Thank you."

	theReasoning = "[0]\n[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n[7]\n[8]\n[9]\n[10]\n[11]\n[12]\n"
)

// pace lets a writer go on when a reader has seen something, or has not for so long.
func pace(patience time.Duration) (look, saw func()) {
	tokens := make(chan struct{}, 1)
	look = func() {
		select {
		case <-tokens:
		case <-time.After(patience):
		}
	}
	return look, func() {
		select {
		case tokens <- struct{}{}:
		default:
		}
	}
}

// A client whose connection is cut after every k events comes back with the last id it saw. It sees every stored event
// once and in order, and puts the text together as it is.
func TestE1_AClientResumesAfterEveryCut(t *testing.T) {
	for k := 1; k <= 40; k++ {
		t.Run(fmt.Sprintf("cut after every %d events", k), func(t *testing.T) {
			w := newWorld(t, fermata.Options{}, server.Options{})
			look, saw := pace(2 * time.Millisecond)
			run := w.start(t, writes(look))
			f, after := newFolded(), ""
			answered, over := false, false
			for !over {
				var header []string
				if after != "" {
					header = []string{"Last-Event-ID", after}
				}
				r := w.read(t, "/runs/"+run.ID()+"/events", header...)
				for range k {
					s, err := r.next()
					if err != nil {
						t.Fatal(err)
					}
					saw()
					if over = s.Name == "end"; over {
						break
					}
					if s.Name != "" {
						t.Fatalf("the stream ends with %q %s", s.Name, s.Raw)
					}
					if err := f.add(s); err != nil {
						t.Fatal(err)
					}
					if s.ID != "" {
						after = s.ID
					}
					if e := s.Envelope; e.Type == "interrupt" && !answered {
						answered = true
						w.accepts(t, e.Data.RequestID, `{"value":{"approve":true}}`)
					}
				}
				_ = r.res.Body.Close()
				if !over && after == fmt.Sprint(w.head(t, run.ID())) && w.ended(t, run.ID()) {
					if status, _ := w.request(t, http.MethodGet, "/runs/"+run.ID()+"/events", "", resumed(after)...); status != http.StatusNoContent {
						t.Errorf("a client that has seen all gets status %d, want 204", status)
					}
					over = true
				}
			}
			ends(t, run, fermata.Completed)
			if diff := cmp.Diff(dense(w.head(t, run.ID())), f.seqs); diff != "" {
				t.Errorf("stored events (-want +seen):\n%s", diff)
			}
			want := map[string]string{
				"seg_write#1/stream:answer#1":    theAnswer,
				"seg_write#1/stream:reasoning#1": theReasoning,
				"seg_thank#1/stream:answer#1":    theThanks,
			}
			if diff := cmp.Diff(want, f.whole); diff != "" {
				t.Errorf("text (-want +seen):\n%s", diff)
			}
		})
	}
}

func resumed(after string) []string { return []string{"Last-Event-ID", after} }

func (w *world) ended(t *testing.T, run string) bool {
	t.Helper()
	info, err := w.rt.Info(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return fermata.Status(info.Status).Ended()
}

// accepts answers a question and expects that this is taken.
func (w *world) accepts(t testing.TB, id, body string) {
	t.Helper()
	if status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/answer", body); status != http.StatusOK {
		t.Fatalf("the answer is refused: %d %s", status, reply)
	}
}

// Text is seen while it is written: the writer goes on only when the client has what was written before.
func TestE2_TextIsShownAsItComes(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	leave := make(chan struct{})
	run := w.start(t, writes(func() { <-leave }))
	r := w.read(t, "/runs/"+run.ID()+"/events")
	shown := make(map[string]string)
	for i, word := range strings.SplitAfter(theAnswer, " ") {
		leave <- struct{}{}
		for shown["seg_write#1/stream:answer#1"] != theAnswer[:len(shown["seg_write#1/stream:answer#1"])] ||
			!strings.HasSuffix(shown["seg_write#1/stream:answer#1"], word) || !strings.HasSuffix(shown["seg_write#1/stream:reasoning#1"], fmt.Sprintf("[%d]\n", i)) {
			s, err := r.next()
			if err != nil || s.Name != "" {
				t.Fatalf("%q, %v", s.Name, err)
			}
			if s.Envelope.Type == "text.delta" {
				shown[s.Envelope.Data.SegmentID] += s.Envelope.Data.Text
			}
		}
	}
	close(leave)
	w.accepts(t, question(t, run), `{"value":{"approve":false}}`)
	ends(t, run, fermata.Completed)
	if last := r.all(t); last[len(last)-1].Name != "end" {
		t.Errorf("the stream ends with %+v", last[len(last)-1])
	}
}

// The stream has an end of its own, whenever the client came, and nothing more is told to one that comes back.
func TestTheEndOfAStream(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	look, _ := pace(2 * time.Millisecond)
	run := w.start(t, writes(look), fermata.WithID("run_e"))
	early := w.read(t, "/runs/run_e/events")
	if !strings.HasPrefix(early.res.Header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("headers: %v", early.res.Header)
	}
	w.accepts(t, question(t, run), `{"value":{"approve":true}}`)
	ends(t, run, fermata.Completed)
	head := w.head(t, "run_e")
	end := seen{Name: "end", Raw: fmt.Sprintf(`{"run":"run_e","seq":%d,"status":"completed"}`, head)}
	late := w.read(t, "/runs/run_e/events?after="+fmt.Sprint(head-2)).all(t)
	if len(late) != 3 {
		t.Errorf("after %d: %d events, want 3", head-2, len(late))
	}
	for name, all := range map[string][]seen{"early": early.all(t), "late": late} {
		if diff := cmp.Diff(end, all[len(all)-1]); diff != "" {
			t.Errorf("the end for the %s client (-want +got):\n%s", name, diff)
		}
	}
	status, body := w.request(t, http.MethodGet, fmt.Sprintf("/runs/run_e/events?after=%d", head), "")
	if status != http.StatusNoContent || body != "" {
		t.Errorf("after the end: %d %q, want 204", status, body)
	}
}

// Without following, a stream ends at what is stored, and says how the run stands.
func TestWithoutFollowing(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	run := w.start(t, asks(), fermata.WithID("run_q"))
	question(t, run)
	all := w.read(t, "/runs/run_q/events?follow=false&after=2").all(t)
	want := seen{Name: "end", Raw: `{"run":"run_q","seq":5,"status":"paused"}`}
	if diff := cmp.Diff(want, all[len(all)-1]); diff != "" || len(all) != 4 {
		t.Errorf("%d events; the end (-want +got):\n%s", len(all), diff)
	}
	for _, s := range all {
		if strings.Contains(s.Raw, "tokenHash") || strings.Contains(s.Raw, "resumeToken") {
			t.Errorf("a stored event holds a resume token, or its hash: %s", s.Raw)
		}
	}
}

// A resume token is shown to the opener alone: to nobody who watches the question being opened, and in no log (law H5).
func TestH5_TheTokenIsShownToNoReader(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	hold := make(chan struct{})
	run := w.start(t, graph.New[draft]("held").
		Node("hold", func(_ node.Context, d draft) (draft, error) { <-hold; return d, nil }).
		Node("ask", func(ctx node.Context, d draft) (draft, error) {
			_, err := node.Interrupt[decision](ctx, nil, node.RequireToken())
			return d, err
		}).
		Edge(graph.Start, "hold").Edge("hold", "ask").MustCompile())
	r := w.read(t, "/runs/"+run.ID()+"/events")
	if _, err := r.next(); err != nil { // the client is there
		t.Fatal(err)
	}
	close(hold)
	q := ends(t, run, fermata.Paused).Interrupts[0]
	token, id := q.Token, q.ID
	if token == "" || q.TokenHash == "" {
		t.Fatalf("the opener has no token: %+v", q)
	}
	for seen := false; !seen; {
		s, err := r.next()
		if err != nil || s.Name != "" {
			t.Fatalf("no question came: %q %v", s.Name, err)
		}
		if strings.Contains(s.Raw, token) || strings.Contains(s.Raw, "tokenHash") || strings.Contains(s.Raw, "resumeToken") {
			t.Errorf("a reader is shown the token, or its hash: %s", s.Raw)
		}
		seen = s.Envelope.Data.RequestID == id
	}
	path := "/interrupts/" + id + "/answer"
	for _, body := range []string{
		`{"value":1,"token":"` + token + `"}`, `{"value":1,"token":"` + token + `"`, `{"values":1,"token":"` + token + `"}`,
		`{"value":{"approve":true},"token":"` + q.TokenHash + `"}`, `{"value":{"approve":true},"token":"guessed"}`,
		`{"value":{"approve":true}}`,
	} {
		if status, reply := w.request(t, http.MethodPost, path, body); status < 400 || strings.Contains(reply, token) {
			t.Errorf("%s: %d %s", body, status, reply)
		}
	}
	w.accepts(t, id, `{"value":{"approve":true},"token":"`+token+`"}`)
	ends(t, run, fermata.Completed)
	for _, get := range []string{"/runs/" + run.ID(), "/runs/" + run.ID() + "/events?follow=false", "/interrupts"} {
		if _, reply := w.request(t, http.MethodGet, get, ""); strings.Contains(reply, token) || strings.Contains(reply, "okenHash") {
			t.Errorf("%s shows the token or its hash: %s", get, reply)
		}
	}
	if logged := w.log.String(); strings.Contains(logged, token) || !strings.Contains(logged, run.ID()) {
		t.Errorf("the log holds the token, or nothing:\n%s", logged)
	}
}

// Many clients see the same.
func TestE1_ManyClients(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	look, saw := pace(2 * time.Millisecond)
	run := w.start(t, writes(look))
	const clients = 50
	var wg sync.WaitGroup
	results := make([]*folded, clients)
	for i := range clients {
		r := w.read(t, "/runs/"+run.ID()+"/events")
		wg.Go(func() {
			results[i] = newFolded()
			for {
				s, err := r.next()
				if err != nil || s.Name != "" && s.Name != "end" {
					t.Errorf("client %d: %q %v", i, s.Name, err)
					return
				}
				saw()
				if s.Name == "end" {
					return
				}
				if err := results[i].add(s); err != nil {
					t.Errorf("client %d: %v", i, err)
				}
			}
		})
	}
	w.accepts(t, question(t, run), `{"value":{"approve":true}}`)
	wg.Wait()
	want := dense(w.head(t, run.ID()))
	for i, f := range results {
		if diff := cmp.Diff(want, f.seqs); diff != "" {
			t.Errorf("client %d (-want +seen):\n%s", i, diff)
		}
		if f.whole["seg_write#1/stream:answer#1"] != theAnswer {
			t.Errorf("client %d: %q", i, f.whole)
		}
	}
}

// flood writes more than fits into any buffer on the way to a client that does not read.
func flood(chunks int) *graph.Graph[draft] {
	chunk := strings.Repeat("all work and no play ", 50)
	return graph.New[draft]("flood").Node("a", func(ctx node.Context, d draft) (draft, error) {
		s, err := node.Stream(ctx, "answer")
		if err != nil {
			return d, err
		}
		for range chunks {
			if err := s.Write(chunk); err != nil {
				return d, err
			}
		}
		return d, s.Close()
	}).Edge(graph.Start, "a").MustCompile()
}

// A client that reads nothing holds nobody up, and when it reads at last nothing stored is missing.
func TestE3_ASlowClientDoesNotHoldTheRun(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{WriteTimeout: time.Hour}) // a slow machine takes long to write all this
	const chunks = 20_000
	run := w.start(t, flood(chunks))
	r := w.read(t, "/runs/"+run.ID()+"/events")
	ends(t, run, fermata.Completed) // although nobody reads
	f := newFolded()
	for _, s := range r.all(t) {
		if s.Name == "end" {
			break
		}
		if s.Name != "" {
			t.Fatalf("the events end with %q: %s", s.Name, s.Raw)
		}
		if err := f.add(s); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(dense(w.head(t, run.ID())), f.seqs); diff != "" {
		t.Errorf("stored events (-want +seen):\n%s", diff)
	}
	if got := len(f.whole["seg_a#1/stream:answer#1"]); got != chunks*1050 {
		t.Errorf("the text has %d bytes, want %d", got, chunks*1050)
	}
}

// A client that never reads is cut off, and its handler ends.
func TestE3_AClientThatDoesNotReadIsCutOff(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{WriteTimeout: 20 * time.Millisecond})
	run := w.start(t, flood(20_000))
	r := w.read(t, "/runs/"+run.ID()+"/events")
	ends(t, run, fermata.Completed)
	time.Sleep(200 * time.Millisecond) // longer than the client may take
	for {
		s, err := r.next()
		if err != nil || s.Name == "end" {
			t.Fatalf("a client that did not read got to the end: %+v, %v", s, err)
		}
		if s.Name != "" {
			return
		}
	}
}

// A stream in which nothing happens says that it is there.
func TestHeartbeats(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{Heartbeat: time.Millisecond, Retry: 70 * time.Millisecond})
	run := w.start(t, asks())
	question(t, run)
	r := w.read(t, "/runs/"+run.ID()+"/events?after=5")
	want := []string{"retry: 70\n", "\n", ": still here\n", "\n", ": still here\n", "\n"}
	var got []string
	for range want {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Closing the runtime ends the streams without the end of the run: clients come back.
func TestStreamsEndWithTheRuntime(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	run := w.start(t, asks())
	question(t, run)
	r := w.read(t, "/runs/"+run.ID()+"/events")
	if err := w.rt.Close(); err != nil {
		t.Fatal(err)
	}
	all := r.all(t)
	if last := all[len(all)-1]; last.Name != "end of stream" || len(all) != 6 {
		t.Errorf("%d events, and then %+v", len(all), last)
	}
}

// What cannot be streamed is refused before anything is.
func TestRefusedStreams(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	run := w.start(t, asks(), fermata.WithID("run_q"))
	question(t, run)
	digest, err := w.rt.SaveDefinition(t.Context(), "recipe", []byte("kind: Recipe"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path, header string
		status       int
		body         string
	}{
		{"/runs/run_x/events", "", 404, `{"error":"run run_x: no such run","code":"not_found"}`},
		{"/runs/" + digest + "/events", "", 404, ""},
		{"/runs/run_q/events", "five", 400, `{"error":"header Last-Event-ID: expected the seq of an event, found \"five\"","code":"invalid"}`},
		{"/runs/run_q/events", "-1", 400, `{"error":"header Last-Event-ID: expected the seq of an event, found \"-1\"","code":"invalid"}`},
		{"/runs/run_q/events?after=1.5", "", 400, `{"error":"parameter after: expected the seq of an event, found \"1.5\"","code":"invalid"}`},
		{"/runs/run_q/events?after=1", "6", 400, `{"error":"run run_q has no event 6 yet: its last one is 5","code":"invalid"}`},
		{"/runs/run_q/events?follow=maybe", "", 400, `{"error":"parameter follow: expected true or false, found \"maybe\"","code":"invalid"}`},
	}
	for _, tt := range tests {
		var header []string
		if tt.header != "" {
			header = resumed(tt.header)
		}
		status, body := w.request(t, http.MethodGet, tt.path, "", header...)
		if status != tt.status || tt.body != "" && strings.TrimSpace(body) != tt.body {
			t.Errorf("%s %s: %d %s, want %d %s", tt.path, tt.header, status, body, tt.status, tt.body)
		}
	}
}

// A store that fails in the middle ends the stream with an error that tells clients nothing of it, and the log all.
func TestAFailingStoreEndsTheStream(t *testing.T) {
	store := &failing{Store: memory.New()}
	w := newWorld(t, fermata.Options{Store: store}, server.Options{})
	run := w.start(t, asks())
	id := question(t, run)
	r := w.read(t, "/runs/"+run.ID()+"/events?after=4")
	if s, err := r.next(); err != nil || s.ID != "5" {
		t.Fatalf("%+v, %v", s, err)
	}
	store.broken.Store(true)
	_ = w.rt.Answer(context.Background(), id, true) // it fails; what matters is that the reader looks
	all := r.all(t)
	want := []seen{{Name: "error", Raw: `{"error":"the store failed","code":"store"}`}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if logged := w.log.String(); !strings.Contains(logged, "a request failed") || !strings.Contains(logged, "disk 7 is on fire") {
		t.Errorf("the log does not say what failed:\n%s", logged)
	}
}
