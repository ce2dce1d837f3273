package webwidget_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/webwidget"
	"github.com/fermata-go/fermata/dialogue"
)

const shop = "https://shop.example.com"

// serve shows the widget for a shop.
func serve(t *testing.T, bought *channeltest.Purchases, change ...func(*webwidget.Options)) *httptest.Server {
	t.Helper()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := webwidget.Options{
		Conversations: dialogue.NewConversations(rt, channeltest.Shop(t, bought), dialogue.ConversationOptions{}),
		Secret:        []byte(strings.Repeat("s", 32)), Origins: []string{shop, "https://other.example.com"},
	}
	for _, c := range change {
		c(&o)
	}
	h, err := webwidget.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() { _ = rt.Close(); s.CloseClientConnections(); s.Close() })
	return s
}

// ask makes a request of a page, and returns the status, the header and the body.
func ask(t *testing.T, method, address, origin, token, body string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}

type session struct{ Conversation, Token string }

func newSession(t *testing.T, s *httptest.Server, origin, token string) (out session) {
	t.Helper()
	status, _, body := ask(t, http.MethodPost, s.URL+"/widget/session", origin, token, "")
	if err := json.Unmarshal([]byte(body), &out); err != nil || status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	return out
}

// TestTokensAndOrigins asks for what a page may have and may not.
func TestTokensAndOrigins(t *testing.T) {
	s := serve(t, &channeltest.Purchases{})
	mine, yours := newSession(t, s, shop, ""), newSession(t, s, shop, "")
	if again := newSession(t, s, shop, mine.Token); again.Conversation != mine.Conversation || mine.Conversation == yours.Conversation {
		t.Errorf("a session is not renewed: %v, %v", mine, again)
	}
	if status, _, body := ask(t, http.MethodPost, s.URL+"/widget/conversations", shop, mine.Token, ""); status != http.StatusCreated {
		t.Fatalf("status %d: %s", status, body)
	}
	body, sum, _ := strings.Cut(mine.Token, ".")
	_, yoursSum, _ := strings.Cut(yours.Token, ".")
	say := `{"id":"1","text":"order something"}`
	mineURL := s.URL + "/widget/conversations/" + mine.Conversation + "/messages"
	yoursURL := s.URL + "/widget/conversations/" + yours.Conversation + "/messages"
	for _, c := range []struct {
		name, method, url, origin, token string
		want                             int
	}{
		{"a page of another origin gets no token", http.MethodPost, s.URL + "/widget/session", "https://evil.example.com", "", http.StatusForbidden},
		{"nor one without an origin", http.MethodPost, s.URL + "/widget/session", "", "", http.StatusForbidden},
		{"nor one of the opaque origin", http.MethodPost, s.URL + "/widget/session", "null", "", http.StatusForbidden},
		{"the page speaks", http.MethodPost, mineURL, shop, mine.Token, http.StatusOK},
		{"a token is refused to other origins", http.MethodPost, mineURL, "https://evil.example.com", mine.Token, http.StatusForbidden},
		{"also to those that have tokens of their own", http.MethodPost, mineURL, "https://other.example.com", mine.Token, http.StatusForbidden},
		{"and to none", http.MethodPost, mineURL, "", mine.Token, http.StatusForbidden},
		{"no token", http.MethodPost, mineURL, shop, "", http.StatusForbidden},
		{"a changed token", http.MethodPost, mineURL, shop, body + "." + sum[:len(sum)-2] + "AA", http.StatusForbidden},
		{"a signature of another token", http.MethodPost, mineURL, shop, body + "." + yoursSum, http.StatusForbidden},
		{"a token of another conversation", http.MethodPost, yoursURL, shop, mine.Token, http.StatusForbidden},
		{"nobody lists conversations", http.MethodGet, s.URL + "/widget/conversations", shop, mine.Token, http.StatusForbidden},
		{"a session is asked for by POST", http.MethodGet, s.URL + "/widget/session", shop, "", http.StatusMethodNotAllowed},
	} {
		if status, _, text := ask(t, c.method, c.url, c.origin, c.token, say); status != c.want {
			t.Errorf("%s: status %d, expected %d: %s", c.name, status, c.want, text)
		}
	}
	if _, header, _ := ask(t, http.MethodOptions, s.URL+"/widget/session", shop, "", ""); header.Get("Access-Control-Allow-Origin") != shop || header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("the preflight is answered with %v", header)
	}
	if _, header, _ := ask(t, http.MethodOptions, s.URL+"/widget/session", "https://evil.example.com", "", ""); header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("the preflight of another origin is answered with %v", header)
	}
}

// TestATokenEnds refuses one that is too old.
func TestATokenEnds(t *testing.T) {
	s := serve(t, &channeltest.Purchases{}, func(o *webwidget.Options) { o.Lifetime = time.Nanosecond })
	old := newSession(t, s, shop, "")
	if status, _, _ := ask(t, http.MethodPost, s.URL+"/widget/conversations", shop, old.Token, ""); status != http.StatusForbidden {
		t.Errorf("status %d", status)
	}
	if renewed := newSession(t, s, shop, old.Token); renewed.Conversation == old.Conversation {
		t.Error("a token that has ended is renewed")
	}
}

// TestTheScriptIsSmall keeps the script under 30 KB, and away from anything that makes markup of texts.
func TestTheScriptIsSmall(t *testing.T) {
	s := serve(t, &channeltest.Purchases{})
	status, header, body := ask(t, http.MethodGet, s.URL+"/widget/widget.js", "", "", "")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/javascript") || len(body) == 0 || len(body) > 30<<10 {
		t.Errorf("status %d, %v, %d bytes", status, header, len(body))
	}
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
		if strings.Contains(body, bad) {
			t.Errorf("the script uses %s", bad)
		}
	}
}

// TestTheScriptTalks runs the client of the script against the handler, whose connections are cut at random requests. It
// is loaded twice, as a page is, with the same storage.
func TestTheScriptTalks(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	bought := &channeltest.Purchases{}
	inner := serve(t, bought)
	var n atomic.Int64
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := inner.URL + r.URL.RequestURI()
		out, err := http.NewRequestWithContext(r.Context(), r.Method, to, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		out.Header = r.Header
		res, err := http.DefaultClient.Do(out)
		if err != nil {
			return
		}
		defer res.Body.Close()
		if r.Method == http.MethodPost && n.Add(1)%3 == 0 { // it was served, and nobody is told
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(res.StatusCode)
		buffer := make([]byte, 1<<10)
		for {
			got, err := res.Body.Read(buffer)
			_, _ = w.Write(buffer[:got])
			_ = http.NewResponseController(w).Flush()
			if err != nil {
				return
			}
		}
	}))
	outer.Config.ErrorLog = nil
	defer outer.Close()
	state := filepath.Join(t.TempDir(), "state")
	first := talk(t, node, outer.URL, state, "Is there anything else?", "order something", "tea & <b>milk</b>", "yes")
	want := []string{"What? []", "Order tea & <b>milk</b>? [yes no]", "Ordered tea & <b>milk</b>. []", "Is there anything else? []"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	again := talk(t, node, outer.URL, state, "Order bread? [yes no]", "order something", "bread")
	if diff := cmp.Diff(append(want, "What? []", "Order bread? [yes no]"), again); diff != "" {
		t.Error(diff)
	}
	if n := bought.Count("tea & <b>milk</b>"); n != 1 {
		t.Errorf("bought %d times", n)
	}
}

// TestTheScriptTellsTheLanguageOfThePage begins a conversation in it, and keeps to the language that the user has asked for.
func TestTheScriptTellsTheLanguageOfThePage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil, func(o *webwidget.Options) {
		o.Conversations = dialogue.NewConversations(rt, channeltest.Visit(t), dialogue.ConversationOptions{})
	})
	t.Cleanup(func() { _ = rt.Close() })
	t.Setenv("PAGE_LANG", "de-AT")
	state := filepath.Join(t.TempDir(), "state")
	first := talk(t, node, s.URL, state, "Which day?", "besuchen", "English please")
	if diff := cmp.Diff([]string{"Welcher Tag? []", "All right, in English. []", "Which day? []"}, first); diff != "" {
		t.Error(diff)
	}
	again := talk(t, node, s.URL, state, "Until then.", "tomorrow")
	if diff := cmp.Diff(append(first, "Until then. []"), again); diff != "" {
		t.Error(diff)
	}
	if kept, err := os.ReadFile(state); err != nil || !strings.Contains(string(kept), `"chosen":"en"`) {
		t.Errorf("the browser keeps %s, %v", kept, err)
	}
}

// TestTheScriptSpeaksTheLanguageOfThePage shows the widget on pages, with the texts of their language, and then of the conversation's.
func TestTheScriptSpeaksTheLanguageOfThePage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	type texts struct{ Open, Title, Input, Send, Waiting string }
	english := texts{"Open the chat", "Chat", "Message", "Send", "Connecting…"}
	german := texts{"Chat öffnen", "Chat", "Nachricht", "Senden", "Verbindung wird aufgebaut …"}
	french := texts{"Ouvrir la discussion", "Discussion", "Message", "Envoyer", "Connexion…"}
	named := german
	named.Title = "Laden"
	for _, c := range []struct {
		page, browser, attributes, asked string
		first                            texts
	}{
		{"de-AT", "en-US", `{}`, "de-AT", german},
		{"", "fr-CA", `{}`, "fr-CA", french},
		{"de", "fr", `{"lang": "en"}`, "en", english},
		{"de", "fr", `{"title": "Laden"}`, "de", named},
		{"es", "fr", `{}`, "es", english},
	} {
		out, err := exec.CommandContext(t.Context(), node, "testdata/show.mjs", "widget.js", c.page, c.browser, c.attributes).Output()
		var got struct {
			Asked       string
			First, Then texts
			Said        []string
		}
		if err == nil {
			err = json.Unmarshal(out, &got)
		}
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		then := french
		if c.first == named {
			then.Title = named.Title
		}
		if got.Asked != c.asked || got.First != c.first || got.Then != then {
			t.Errorf("a page in %q with %s: %s", c.page, c.attributes, out)
		}
		if diff := cmp.Diff([]string{"user: hello", "refused: Ce message n’a pas pu être envoyé."}, got.Said); diff != "" {
			t.Error(diff)
		}
	}
}

// talk loads the script, says texts, and returns all that was said until a line that begins with a text.
func talk(t *testing.T, node, url, state, last string, texts ...string) (said []string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	args := append([]string{"testdata/talk.mjs", "widget.js", url + "/widget", shop, state}, texts...)
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var line struct {
			Said    string
			Options []string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		if line.Said == "" {
			continue
		}
		said = append(said, fmt.Sprint(line.Said, " ", line.Options))
		if strings.HasPrefix(said[len(said)-1], last) {
			return said
		}
	}
	t.Fatalf("the script has ended; said was %q", said)
	return nil
}
