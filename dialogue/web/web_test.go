package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal/memory"
)

// serve opens a conversation for each of some users. The header User says who asks; desk is an agent everywhere.
func serve(t *testing.T, users ...string) string {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "help",
		Flows: []dialogue.Flow{{
			Name: "hours", Description: "Opening hours", Trigger: []string{"when are you open"},
			Steps: []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: "From nine to five."}},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	talks := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	for _, user := range users {
		if _, _, err := talks.Open(t.Context(), user, nil); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(web.New(talks, web.Options{Authorize: func(r *http.Request, conversation string) (bool, error) {
		user := r.Header.Get("User")
		if user != conversation && user != "desk" {
			return false, errors.New("somebody else's")
		}
		return user == "desk", nil
	}}))
	t.Cleanup(func() {
		_ = rt.Close()
		s.Close()
	})
	return s.URL + "/conversations/"
}

func request(t *testing.T, method, url, user, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User", user)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func post(t *testing.T, url, user, body string) (status int, prompts []string) {
	t.Helper()
	res := request(t, http.MethodPost, url+"/messages", user, body)
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, said(string(data))
}

func said(text string) (prompts []string) {
	parts := regexp.MustCompile(`"said":\[.*?\]|"said":\{.*?\}`).FindString(text)
	for _, m := range regexp.MustCompile(`"prompt":"(.*?)"`).FindAllStringSubmatch(parts, -1) {
		prompts = append(prompts, m[1])
	}
	return prompts
}

// hears reads n deliveries of a stream.
func hears(t *testing.T, url, user string, n int, header ...string) (prompts []string, last string) {
	t.Helper()
	res := request(t, http.MethodGet, url+"/messages", user, "", header...)
	lines := bufio.NewScanner(res.Body)
	for len(prompts) < n && lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			last = id
		}
		prompts = append(prompts, said(lines.Text())...)
	}
	if len(prompts) < n && !errors.Is(lines.Err(), context.Canceled) {
		t.Errorf("the stream ended after %q: %v", prompts, lines.Err())
	}
	return prompts, last
}

// TestH2_UsersReadAndWriteTheirOwn lets nobody into another's conversation, and a stranger into none.
func TestH2_UsersReadAndWriteTheirOwn(t *testing.T) {
	url := serve(t, "ada", "bob")
	for _, user := range []string{"bob", ""} {
		if status, _ := post(t, url+"ada", user, `{"text":"when are you open"}`); status != http.StatusForbidden {
			t.Errorf("%q writes to ada's: %d", user, status)
		}
		if res := request(t, http.MethodGet, url+"ada/messages", user, ""); res.StatusCode != http.StatusForbidden {
			t.Errorf("%q reads ada's: %d", user, res.StatusCode)
		}
	}
	if status, _ := post(t, url+"nobody", "nobody", `{"text":"hello"}`); status != http.StatusNotFound {
		t.Errorf("a conversation that there is not: %d", status)
	}
	closed := httptest.NewRecorder()
	web.New(nil, web.Options{}).ServeHTTP(closed, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/conversations/ada/messages", nil))
	if closed.Code != http.StatusForbidden {
		t.Errorf("without Authorize: %d", closed.Code)
	}
}

// TestE1_AClientComesBackWhereItWas sends a message twice, and listens, goes away and comes back.
func TestE1_AClientComesBackWhereItWas(t *testing.T) {
	url := serve(t, "ada") + "ada"
	want := []string{"From nine to five.", "Is there anything else?"}
	for range 2 {
		status, got := post(t, url, "ada", `{"id":"1","text":"when are you open"}`)
		if diff := cmp.Diff(want, got); diff != "" || status != http.StatusOK {
			t.Error(status, diff)
		}
	}
	first, last := hears(t, url, "ada", 1)
	if _, got := post(t, url, "ada", `{"id":"2","text":"when are you open"}`); len(got) != 2 {
		t.Error(got)
	}
	rest, _ := hears(t, url, "ada", 3, "Last-Event-ID", last)
	if diff := cmp.Diff([]string{want[0], want[1], want[0], want[1]}, append(first, rest...)); diff != "" {
		t.Error(diff)
	}
	if status, _ := post(t, url, "ada", `{"id":"3"}`); status != http.StatusBadRequest {
		t.Errorf("a message that says nothing: %d", status)
	}
}

// TestH2_OnlyAnAgentSpeaksAsOne hands a conversation over. What its user says as an agent is said by the user.
func TestH2_OnlyAnAgentSpeaksAsOne(t *testing.T) {
	url := serve(t, "ada") + "ada"
	post(t, url, "ada", `{"commands":[{"type":"handoff"}]}`)
	if _, got := post(t, url, "ada", `{"text":"I am the desk","from":"agent","done":true}`); got != nil {
		t.Errorf("a user speaks as an agent: %q", got)
	}
	if _, got := post(t, url, "desk", `{"text":"Hello, this is Bob."}`); !cmp.Equal(got, []string{"Hello, this is Bob."}) {
		t.Errorf("the agent's message: %q", got)
	}
}

// all is all of a response.
func all(t *testing.T, res *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// TestH2_ADeskSeesWhoIsWithAPerson lists conversations that are with a person: none of those that wait for their users, none
// of another dialogue in the same store, and nothing to who is not let in.
func TestH2_ADeskSeesWhoIsWithAPerson(t *testing.T) {
	store := kept{memory.New()}
	desk := web.Options{Desk: func(r *http.Request) error {
		if r.Header.Get("User") != "desk" {
			return errors.New("not the desk")
		}
		return nil
	}}
	d := shop(t, func(string) {})
	other, err := dialogue.Compile(dialogue.Definition{
		Name: "other",
		Flows: []dialogue.Flow{{
			Name: "f", Description: "F", Trigger: []string{"f"},
			Steps: []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: "F."}},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, elsewhere := build(t, store, d, desk), build(t, store, other, web.Options{})
	h.open(t, "ada", "bob", "eve")
	elsewhere.open(t, "zoe")
	for user, url := range map[string]string{"bob": h.url, "zoe": elsewhere.url} {
		post(t, url+user, user, `{"text":"give me a person","commands":[{"type":"handoff"}]}`)
		post(t, url+user, user, `{"text":"are you there?"}`)
	}
	at := strings.TrimSuffix(h.url, "/")
	list := func() (got struct{ Handoffs []dialogue.HandedOff }) {
		res := request(t, http.MethodGet, at, "desk", "")
		if err := json.Unmarshal([]byte(all(t, res)), &got); err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res.StatusCode, err)
		}
		return got
	}
	got := list()
	if len(got.Handoffs) != 1 || got.Handoffs[0].Conversation != "bob" || got.Handoffs[0].Since.IsZero() ||
		got.Handoffs[0].Last != (dialogue.Line{By: "user", Text: "are you there?"}) {
		t.Errorf("with a person: %+v", got)
	}
	post(t, h.url+"bob", "desk", `{"text":"Goodbye.","done":true}`)
	if got := list(); len(got.Handoffs) != 0 {
		t.Errorf("after it was given back: %+v", got)
	}
	for handler, user := range map[string]string{at: "ada", strings.TrimSuffix(elsewhere.url, "/"): "desk"} {
		if res := request(t, http.MethodGet, handler, user, ""); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s is shown the conversations: %d", user, res.StatusCode)
		}
	}
}

// TestAnAnswerNamesItsQuestion says yes to a question of before, by POST and over a socket: nothing is bought.
func TestAnAnswerNamesItsQuestion(t *testing.T) {
	bought := 0
	h := build(t, nil, shop(t, func(string) { bought++ }), web.Options{})
	h.open(t, "ada")
	id := func(body string) string {
		res := request(t, http.MethodPost, h.url+"ada/messages", "ada", body)
		var r struct {
			Pending struct{ ID string } `json:"pending"`
		}
		if err := json.NewDecoder(res.Body).Decode(&r); err != nil || r.Pending.ID == "" {
			t.Fatalf("%s: no question: %v", body, err)
		}
		return r.Pending.ID
	}
	id(`{"text":"order something"}`)
	before := id(`{"text":"tea"}`)
	id(`{"text":"actually rice"}`)
	id(fmt.Sprintf(`{"text":"yes","question":%q}`, before))
	socket := connect(t, h.url+"ada", "ada", "")
	if err := socket.write(websocket.MessageText, fmt.Sprintf(`{"id":"s","text":"yes","question":%q}`, before)); err != nil {
		t.Fatal(err)
	}
	socket.until("reply")
	if bought != 0 {
		t.Fatalf("bought %d times", bought)
	}
	now := id(`{"text":"hm"}`)
	if err := socket.write(websocket.MessageText, fmt.Sprintf(`{"id":"t","text":"yes","question":%q}`, now)); err != nil {
		t.Fatal(err)
	}
	socket.until("reply")
	if bought != 1 {
		t.Errorf("a yes to the question that stands buys %d times", bought)
	}
}
