package server_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// counts is a graph that adds up the messages "add", and answers each with the sum, until a zero comes.
func counts() *graph.Graph[draft] {
	return graph.New[draft]("counts").Node("a", func(ctx node.Context, d draft) (draft, error) {
		for sum := 0; ; {
			m, err := node.ReceiveMessage[int](ctx, "add")
			if err != nil {
				return d, err
			}
			if sum += m.Value; m.Value < 0 {
				err = m.Refuse(errors.New("below 0"))
			} else {
				err = m.Reply(map[string]any{"sum": sum, "from": m.From, "id": m.ID})
			}
			if err != nil || m.Value == 0 {
				return d, err
			}
		}
	}).Edge(graph.Start, "a").MustCompile()
}

// TestM3_MessagesOverHTTP checks what a sender is told: of messages that are stored, answered, refused, sent twice, broken, for a
// run that is not there or has ended, and not answered in time.
func TestM3_MessagesOverHTTP(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	w.start(t, counts(), fermata.WithID("run_1"))
	var got []string
	for _, c := range []struct{ path, body, id string }{
		{"/runs/run_1/messages/add?wait=1m", "5", "evt_1"},
		{"/runs/run_1/messages/add?wait=1m", "5", "evt_1"},
		{"/runs/run_1/messages/add?wait=1m", "-1", ""},
		{"/runs/run_1/messages/add?wait=1m", `"5"`, ""},
		{"/runs/run_1/messages/other?wait=1ms", "1", ""},
		{"/runs/run_1/messages/add", "{", ""},
		{"/runs/run_1/messages/add?wait=soon", "1", ""},
		{"/runs/run_2/messages/add", "1", ""},
		{"/runs/run_1/messages/add?wait=1m", "0", "evt_2"},
		{"/runs/run_1/messages/add?wait=1m", "0", "evt_2"},
		{"/runs/run_1/messages/add", "1", ""},
	} {
		res := w.do(t, "POST", c.path, c.body, "Idempotency-Key", c.id)
		data, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		got = append(got, res.Status[:3]+" "+strings.TrimSpace(string(data)))
	}
	want := []string{
		`200 {"run":"run_1","name":"add","reply":{"from":"","id":"evt_1","sum":5}}`,
		`200 {"run":"run_1","name":"add","reply":{"from":"","id":"evt_1","sum":5}}`,
		`422 {"error":"run run_1, task a#1: the message was refused: below 0","code":"invalid"}`,
		`422 {"error":"run run_1, task a#1: the message was refused: message \"add\": expected an integer, found the string \"5\"","code":"invalid"}`,
		`202 {"run":"run_1","name":"other"}`,
		`400 {"error":"expected the value of the message as JSON: it is no JSON at byte 1","code":"invalid"}`,
		`400 {"error":"wait=\"soon\": expected a time such as 30s","code":"invalid"}`,
		`404 {"error":"run run_2: no such run","code":"not_found"}`,
		`200 {"run":"run_1","name":"add","reply":{"from":"","id":"evt_2","sum":4}}`,
		`200 {"run":"run_1","name":"add","reply":{"from":"","id":"evt_2","sum":4}}`,
		`409 {"error":"run run_1: the run is completed and takes no more messages","code":"conflict"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestM1_MessagesThatWaitAreShown checks that the view of a run names the messages that no call has taken.
func TestM1_MessagesThatWaitAreShown(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	w.start(t, counts(), fermata.WithID("run_1"), fermata.WithMessage("ad", 5, fermata.MessageID("evt_1"), fermata.SentBy("Bo")))
	if res := w.do(t, "POST", "/runs/run_1/messages/add?wait=1m", "5"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	res := w.do(t, "GET", "/runs/run_1", "")
	var shown struct{ Messages []fermata.Untaken }
	if err := errors.Join(json.NewDecoder(res.Body).Decode(&shown), res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	for i := range shown.Messages {
		shown.Messages[i].Sent = time.Time{}
	}
	if diff := cmp.Diff([]fermata.Untaken{{Seq: 2, Name: "ad", ID: "evt_1", By: "Bo"}}, shown.Messages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestH8_OnlyWhoMaySendsMessages checks that a person sends the messages alone that Sends allows, under their own name.
func TestH8_OnlyWhoMaySendsMessages(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(map[string]server.Person{
		"reader": {ID: "Eve"},
		"sender": {ID: "Bo", Sends: func(_ fermata.RunInfo, name string) bool { return name == "add" }},
		"rascal": {ID: "Mallory", Sends: func(fermata.RunInfo, string) bool { panic("no") }},
	})})
	w.start(t, counts(), fermata.WithID("run_1"))
	for who, want := range map[string]int{"": http.StatusUnauthorized, "reader": http.StatusForbidden, "rascal": http.StatusForbidden, "sender": http.StatusOK} {
		res := w.do(t, "POST", "/runs/run_1/messages/add?wait=1m", "1", "Authorization", who)
		data, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != want || want == http.StatusOK && !strings.Contains(string(data), `"from":"Bo"`) {
			t.Errorf("%q: %d %s, expected %d", who, res.StatusCode, data, want)
		}
	}
	if res := w.do(t, "POST", "/runs/run_1/messages/other", "1", "Authorization", "sender"); res.StatusCode != http.StatusForbidden {
		t.Errorf("a message that Sends does not allow: %s", res.Status)
	}
}
