package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// TestE1_ASocketIsCutAtEveryFrame cuts the connection behind each frame that is sent or read, one in each run. The client comes back
// with the last id that it has seen and says again what it has no reply to: all is said once, and in order.
func TestE1_ASocketIsCutAtEveryFrame(t *testing.T) {
	for n, cut := 1, true; cut; n++ {
		var bought []string
		h := build(t, nil, shop(t, func(what string) { bought = append(bought, what) }), web.Options{})
		h.open(t, "ada")
		var all []string
		last, frames := uint64(0), 0
		c := connect(t, h.url+"ada", "ada", "")
		cut = false
		behind := func() bool {
			if frames++; frames != n {
				return false
			}
			cut = true
			_ = c.conn.CloseNow()
			all, last = append(all, c.said...), max(last, c.last)
			c = connect(t, h.url+"ada", "ada", fmt.Sprint("?after=", last))
			c.last = last
			return true
		}
		for i, text := range order("tea") {
			for replied := false; !replied; {
				c.say(fmt.Sprint(i), text)
				for lost := behind(); !replied && !lost; lost = behind() {
					f, err := c.read()
					if err != nil || f.Event != "message" && f.Event != "reply" {
						t.Fatalf("cut %d: %+v, %v", n, f, err)
					}
					replied = f.Event == "reply" && f.Data.To == fmt.Sprint(i)
				}
			}
		}
		all = append(all, c.said...)
		if diff := cmp.Diff(told("tea"), all); diff != "" || !slices.Equal(bought, []string{"tea"}) {
			t.Errorf("cut %d: bought %q; %s", n, bought, diff)
		}
		if !cut && n < 10 {
			t.Errorf("only %d frames", n-1)
		}
		h.close()
	}
}

// mortal is a store that a process loses at its nth append, before it is made or, once it is, before anybody is told.
type mortal struct {
	journal.Store
	left  atomic.Int64
	after bool
}

func (m *mortal) Append(ctx context.Context, b journal.Batch) error {
	dead := errors.New("the process is dead")
	switch left := m.left.Add(-1); {
	case left < 0, left == 0 && !m.after:
		return dead
	case left == 0:
		return errors.Join(m.Store.Append(ctx, b), dead)
	}
	return m.Store.Append(ctx, b)
}

// kept is a store that outlives the runtime on it.
type kept struct{ journal.Store }

func (kept) Close() error { return nil }

// TestJ4_AServerIsKilledAtEveryAppend kills the server at each append of a conversation. Another one opens the store, and
// the client goes on there as after any cut.
func TestJ4_AServerIsKilledAtEveryAppend(t *testing.T) {
	d := shop(t, func(string) {})
	for n, deaths := int64(0), 1; deaths > 0; n++ { // until a server lives to the end of the conversation
		if deaths = 0; n > 100 {
			t.Fatal("a conversation of three turns makes more than 100 appends")
		}
		for _, after := range []bool{false, true} {
			inner := kept{memory.New()}
			first := build(t, inner, d, web.Options{})
			first.open(t, "ada")
			first.close()
			dying := &mortal{Store: inner, after: after}
			dying.left.Store(n + 1)
			h := build(t, dying, d, web.Options{})
			c := connect(t, h.url+"ada", "ada", "")
			died := false
			for i, text := range order("tea") {
				c.say(fmt.Sprint(i), text)
				for {
					f, err := c.read()
					if err == nil && f.Event == "reply" {
						break
					}
					if err == nil && f.Event == "message" {
						continue
					}
					if died {
						t.Fatalf("append %d: the second server: %+v, %v", n, f, err)
					}
					died = true
					deaths++
					h.close()
					h = build(t, inner, d, web.Options{})
					before := c
					c = connect(t, h.url+"ada", "ada", fmt.Sprint("?after=", c.last))
					c.last, c.said = before.last, before.said
					c.say(fmt.Sprint(i), text)
				}
			}
			if diff := cmp.Diff(told("tea"), c.said); diff != "" {
				t.Errorf("append %d, after it %v: %s", n, after, diff)
			}
			h.close()
		}
		if turns := int64(len(order("tea"))); deaths == 0 && n < 2*turns {
			t.Errorf("no server died at append %d, expected two appends in each of %d turns", n+1, turns)
		}
	}
}

// TestJ4_WhoeverListensHasATurnGoOn kills the server when it has just taken a message. Its client is gone, too; somebody
// who only listens hears what it leads to.
func TestJ4_WhoeverListensHasATurnGoOn(t *testing.T) {
	inner := kept{memory.New()}
	d := shop(t, func(string) {})
	first := build(t, inner, d, web.Options{})
	first.open(t, "ada")
	first.close()
	dying := &mortal{Store: inner, after: true}
	dying.left.Store(1)
	h := build(t, dying, d, web.Options{})
	if status, _ := post(t, h.url+"ada", "ada", `{"text":"order something"}`); status != http.StatusInternalServerError {
		t.Errorf("a server that dies answers %d", status)
	}
	h.close()
	h = build(t, inner, d, web.Options{})
	c := connect(t, h.url+"ada", "ada", "")
	if f, err := c.read(); err != nil || f.Data.Said.Prompt != "What?" {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestE2_ClientsSeePiecesWhileAnActionStreams has an action stream two pieces, the second one when a client of each kind has
// read the first.
func TestE2_ClientsSeePiecesWhileAnActionStreams(t *testing.T) {
	const clients = 2
	read := make(chan string, clients)
	action := dialogue.MustAction("write", "", func(ctx node.Context, _ struct{}) (string, error) {
		answer, err := node.Stream(ctx, "answer")
		for _, text := range []string{"A ", "poem."} {
			if err == nil {
				err = answer.Write(text)
			}
			for range clients {
				select {
				case got := <-read:
					if got != text {
						t.Errorf("a client has read %q, and not %q", got, text)
					}
				case <-time.After(soon):
					return "", errors.New("nobody has seen " + text)
				}
			}
		}
		return "A poem.", errors.Join(err, answer.Close())
	})
	action.Stream = true
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "writer",
		Flows: []dialogue.Flow{{
			Name: "poem", Description: "A poem", Trigger: []string{"a poem"},
			Steps: []dialogue.Step{
				{ID: "write", Type: dialogue.ActionStep, Call: "write", Outputs: []dialogue.Assignment{{Name: "text"}}},
				{ID: "say", Type: dialogue.InformStep, Message: "{{ text }}"},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{action}})
	if err != nil {
		t.Fatal(err)
	}
	h := build(t, nil, d, web.Options{})
	h.open(t, "ada")
	c := connect(t, h.url+"ada", "ada", "")
	stream := request(t, http.MethodGet, h.url+"ada/messages", "ada", "")
	streamed := make(chan string)
	go func() {
		defer close(streamed)
		lines, event := bufio.NewScanner(stream.Body), ""
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				event = name
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			switch {
			case ok && event == "piece":
				var p dialogue.Piece
				var of struct{ Text string }
				if err := errors.Join(json.Unmarshal([]byte(data), &p), json.Unmarshal(p.Data, &of)); err != nil {
					t.Errorf("%s: %v", data, err)
				}
				read <- of.Text
			case ok:
				streamed <- data
				return
			}
			if ok {
				event = ""
			}
		}
	}()
	c.say("1", "a poem")
	for range 2 {
		f, err := c.read()
		if err != nil || f.Event != "piece" || f.Data.Type != "text.delta" {
			t.Fatalf("expected a piece, found %+v, %v", f, err)
		}
		read <- f.Data.Data.Text
	}
	c.until("reply")
	if said := <-streamed; !strings.Contains(said, `"prompt":"A poem."`) {
		t.Errorf("the stream ends with %q", said)
	}
	if diff := cmp.Diff([]string{"A poem.", "Is there anything else?"}, c.said); diff != "" {
		t.Error(diff)
	}
}

// TestH2_TwoUsersOnOneRuntimeNeverSeeEachOthers holds two conversations at the same time, a message of one between two of
// the other, and messages of both at once. Each user hears their own and nothing else, and is let into no other.
func TestH2_TwoUsersOnOneRuntimeNeverSeeEachOthers(t *testing.T) {
	var mu sync.Mutex
	bought := make(map[string]int)
	h := build(t, nil, shop(t, func(what string) {
		mu.Lock()
		defer mu.Unlock()
		bought[what]++
	}), web.Options{})
	h.open(t, "ada", "bob")
	things := map[string]string{"ada": "tea", "bob": "rice"}
	clients := map[string]*client{}
	for user := range things {
		clients[user] = connect(t, h.url+user, user, "")
	}
	for i := range order("") {
		for user, c := range clients {
			c.say(fmt.Sprint(i), order(things[user])[i])
		}
		for _, c := range clients {
			if f := c.until("reply"); f.Data.To != fmt.Sprint(i) {
				t.Errorf("the reply to %d is %+v", i, f)
			}
		}
	}
	const rounds = 10
	var talking sync.WaitGroup
	for user, c := range clients {
		talking.Go(func() {
			for i := range rounds {
				for j, text := range order(things[user]) {
					c.say(fmt.Sprint(i, ".", j), text)
					c.until("reply")
				}
			}
		})
	}
	talking.Wait()
	for user, c := range clients {
		var want []string
		for range rounds + 1 {
			want = append(want, told(things[user])...)
		}
		if diff := cmp.Diff(want, c.said); diff != "" {
			t.Errorf("%s: %s", user, diff)
		}
		other := map[string]string{"ada": "bob", "bob": "ada"}[user]
		if _, res, err := dial(t, h.url+other, user, ""); err == nil || res == nil || res.StatusCode != http.StatusForbidden {
			t.Errorf("%s at the socket of %s: %v", user, other, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"tea": rounds + 1, "rice": rounds + 1}, bought); diff != "" {
		t.Error(diff)
	}
}

// TestH2_AMessageCountsOnceWhicheverWayItComes sends one over a socket, over another one, and by POST.
func TestH2_AMessageCountsOnceWhicheverWayItComes(t *testing.T) {
	h := build(t, nil, shop(t, func(string) {}), web.Options{})
	h.open(t, "ada")
	one, two := connect(t, h.url+"ada", "ada", ""), connect(t, h.url+"ada", "ada", "")
	for i, text := range order("tea") {
		id := fmt.Sprint("m", i)
		if i%2 == 0 {
			one.say(id, text)
			if f := one.until("reply"); f.Data.Again {
				t.Errorf("the first %s: %+v", id, f)
			}
		} else if status, _ := post(t, h.url+"ada", "ada", fmt.Sprintf(`{"id":%q,"text":%q}`, id, text)); status != http.StatusOK {
			t.Errorf("POST: %d", status)
		}
		two.say(id, text)
		if f := two.until("reply"); !f.Data.Again || f.Data.To != id {
			t.Errorf("%s over another socket: %+v", id, f)
		}
		if _, said := post(t, h.url+"ada", "ada", fmt.Sprintf(`{"id":%q,"text":%q}`, id, text)); !slices.Contains(told("tea"), said[0]) {
			t.Errorf("%s by POST is answered with %q", id, said)
		}
	}
	one.say("last", "order something")
	one.until("reply")
	for len(two.said) < len(one.said) {
		if _, err := two.read(); err != nil {
			t.Fatal(err)
		}
	}
	want := append(told("tea"), "What?")
	for name, c := range map[string]*client{"one": one, "two": two} {
		if diff := cmp.Diff(want, c.said); diff != "" {
			t.Errorf("socket %s: %s", name, diff)
		}
	}
}

// TestH2_MessagesWaitForTheirTurn sends what is too much while an action is made: what is taken is said in order, one
// after the other, also when the client has gone, and of what is not taken the client is told.
func TestH2_MessagesWaitForTheirTurn(t *testing.T) {
	begun, free := make(chan string), make(chan struct{})
	h := build(t, nil, shop(t, func(what string) { begun <- what; <-free }), web.Options{})
	h.open(t, "ada")
	c := connect(t, h.url+"ada", "ada", "")
	for i, text := range order("tea") {
		c.say(fmt.Sprint("m", i), text)
	}
	if what := <-begun; what != "tea" {
		t.Errorf("bought %q", what)
	}
	const waiting = 16
	var want []string
	for i := range waiting + 1 {
		text := fmt.Sprint("w", i)
		want = append(want, text)
		c.echo(text)
	}
	for i := range 2 {
		if f := c.until("reply"); f.Data.To != fmt.Sprint("m", i) {
			t.Errorf("the reply to m%d: %+v", i, f)
		}
	}
	if f := c.until("error"); f.Data.To != want[waiting] || f.Data.Status != http.StatusTooManyRequests || f.Data.Code != "limit" {
		t.Errorf("one too many: %+v", f)
	}
	_ = c.conn.CloseNow()
	close(free)
	listener := connect(t, h.url+"ada", "ada", "")
	want = slices.Concat(told("tea"), want[:waiting])
	for len(listener.said) < len(want) {
		if _, err := listener.read(); err != nil {
			t.Fatal(err)
		}
	}
	listener.echo("end")
	listener.until("reply")
	if diff := cmp.Diff(append(want, "end"), listener.said); diff != "" {
		t.Error(diff)
	}
}

// TestSocketsOfOtherPages opens sockets from pages: of the handler's own origin, of one that is listed, and of a stranger.
func TestSocketsOfOtherPages(t *testing.T) {
	h := build(t, nil, shop(t, func(string) {}), web.Options{
		Origins: []string{"https://shop.example.com"}, Hosts: []string{"shop.example.com"},
	})
	h.open(t, "ada")
	tests := []struct {
		name   string
		header []string
		want   int
	}{
		{"no page", nil, http.StatusSwitchingProtocols},
		{"its own", []string{"Origin", h.http.URL}, http.StatusSwitchingProtocols},
		{"a listed one", []string{"Origin", "https://shop.example.com", "Sec-Fetch-Site", "cross-site"}, http.StatusSwitchingProtocols},
		{"a stranger's", []string{"Origin", "https://evil.example.com"}, http.StatusForbidden},
		{"a stranger's that has none", []string{"Origin", "null"}, http.StatusForbidden},
		{"a stranger's of this machine", []string{"Origin", "http://127.0.0.1:1"}, http.StatusForbidden},
		{"what a browser says is a stranger's", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{"under the name of a stranger", []string{"Host", "evil.example.com", "Origin", "http://evil.example.com"}, http.StatusForbidden},
		{"under a listed name", []string{"Host", "shop.example.com", "Origin", "http://shop.example.com"}, http.StatusSwitchingProtocols},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, res, err := dial(t, h.url+"ada", "ada", "", tt.header...)
			if res == nil || res.StatusCode != tt.want {
				t.Fatalf("%v, %v; want %d", res, err, tt.want)
			}
			if err == nil {
				_ = conn.CloseNow()
			}
		})
	}
}

// TestSocketsThatAreNone asks for sockets that there are not.
func TestSocketsThatAreNone(t *testing.T) {
	h := build(t, nil, shop(t, func(string) {}), web.Options{})
	h.open(t, "ada")
	for query, want := range map[string]int{"?after=x": 400, "?after=-1": 400, "?after=99999": 400, "": 101} {
		if _, res, err := dial(t, h.url+"ada", "ada", query); res == nil || res.StatusCode != want {
			t.Errorf("ada%s: %v, %v; want %d", query, res, err, want)
		}
	}
	if _, res, err := dial(t, h.url+"nobody", "nobody", ""); res == nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("no such conversation: %v, %v", res, err)
	}
	if res := request(t, http.MethodGet, h.url+"ada/socket", "ada", ""); res.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("no WebSocket: %d", res.StatusCode)
	}
	for _, after := range []string{"99999", "x"} {
		if res := request(t, http.MethodGet, h.url+"ada/messages?after="+after, "ada", ""); res.StatusCode != http.StatusBadRequest {
			t.Errorf("a stream after %s: %d", after, res.StatusCode)
		}
	}
}

// TestFramesThatAreNoMessages are answered where they can be, and close the connection where they are too much.
func TestFramesThatAreNoMessages(t *testing.T) {
	h := build(t, nil, shop(t, func(string) {}), web.Options{})
	h.open(t, "ada")
	c := connect(t, h.url+"ada", "ada", "")
	for _, text := range []string{"", "{", "[]", "1", `{"text":1}`, `{"id":"e"}`, `{"id":"e","text":"","done":true}`, `{"id":"e","commands":[{"type":"silence"}]}`} {
		if err := c.write(websocket.MessageText, text); err != nil {
			t.Fatal(err)
		}
		if f := c.until("error"); f.Data.Status != http.StatusBadRequest || f.Data.Code != "invalid" || f.Data.Error == "" {
			t.Errorf("%q: %+v", text, f)
		}
	}
	c.say(strings.Repeat("m", 201), "hello")
	if f := c.until("error"); f.Data.Status != http.StatusBadRequest {
		t.Errorf("an id of 201 bytes: %+v", f)
	}
	c.say("1", "order something") // it is still there
	c.until("reply")
	tests := []struct {
		kind websocket.MessageType
		text string
		want websocket.StatusCode
	}{
		{websocket.MessageBinary, `{"text":"hello"}`, websocket.StatusUnsupportedData},
		{websocket.MessageText, `{"text":"` + strings.Repeat("a", 64<<10) + `"}`, websocket.StatusMessageTooBig},
	}
	for _, tt := range tests {
		c := connect(t, h.url+"ada", "ada", "")
		if err := c.write(tt.kind, tt.text); err != nil {
			t.Fatal(err)
		}
		if code, _ := c.closed(); code != tt.want {
			t.Errorf("%v of %d bytes: closed with %v, want %v", tt.kind, len(tt.text), code, tt.want)
		}
	}
}

// TestSocketsAreClosedWithReasons: the conversation is over, its user may speak no more, the runtime is closed.
func TestSocketsAreClosedWithReasons(t *testing.T) {
	var banned atomic.Bool
	h := build(t, nil, shop(t, func(string) {}), web.Options{Authorize: func(r *http.Request, conversation string) (bool, error) {
		if banned.Load() {
			return false, errors.New("banned")
		}
		return own(r, conversation)
	}})
	h.open(t, "ada", "bob", "eve")

	over := connect(t, h.url+"ada", "ada", "")
	if err := over.write(websocket.MessageText, `{"id":"1","commands":[{"type":"bye"}]}`); err != nil {
		t.Fatal(err)
	}
	over.say("2", "hello")
	if f := over.until("reply"); f.Data.To != "1" || !f.Data.Closed {
		t.Errorf("the last reply: %+v", f)
	}
	f, err := over.read()
	if err == nil && f.Event == "error" { // it was read before the end was there
		if f.Data.To != "2" || f.Data.Code != "closed" || f.Data.Status != http.StatusGone {
			t.Errorf("a message after the last: %+v", f)
		}
		f, err = over.read()
	}
	if err != nil || f.Event != "end" {
		t.Errorf("the end: %+v, %v", f, err)
	}
	if code, text := over.closed(); code != websocket.StatusNormalClosure || text != "the conversation is over" {
		t.Errorf("a conversation that is over: %v %q", code, text)
	}
	again := connect(t, h.url+"ada", "ada", "")
	again.until("end")
	if diff := cmp.Diff(over.said, again.said); diff != "" {
		t.Errorf("a conversation that was over: %s", diff)
	}

	eve := connect(t, h.url+"eve", "eve", "")
	banned.Store(true)
	eve.say("1", "hello")
	if f := eve.until("error"); f.Data.To != "1" || f.Data.Code != "forbidden" {
		t.Errorf("who may speak no more: %+v", f)
	}
	if code, _ := eve.closed(); code != websocket.StatusPolicyViolation {
		t.Errorf("who may speak no more: closed with %v", code)
	}
	banned.Store(false)

	bob := connect(t, h.url+"bob", "bob", "")
	stream := request(t, http.MethodGet, h.url+"bob/messages", "bob", "")
	if err := h.rt.Close(); err != nil {
		t.Fatal(err)
	}
	if code, text := bob.closed(); code != websocket.StatusGoingAway || text != "the server is shutting down" {
		t.Errorf("a runtime that is closed: %v %q", code, text)
	}
	if text := all(t, stream); strings.Contains(text, "event: end") {
		t.Errorf("a runtime that is closed ends the conversation: %q", text)
	}
}
