package webwidget

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
)

//go:embed widget.js
var script []byte

// Options configure the widget. Conversations, Secret and Origins are required.
type Options struct {
	Conversations *dialogue.Conversations
	Secret        []byte   // signs tokens: 32 random bytes, the same in all processes
	Origins       []string // of pages that may show the widget: "https://shop.example.com"
	// Open says what a conversation begins with. An error refuses it. Defaults to nothing.
	Open func(r *http.Request, conversation string) (map[string]any, error)
	// Lifetime is how long a token lasts; the script renews it when a page is loaded. Defaults to 30 days.
	Lifetime time.Duration
	// Logger gets what failed. Defaults to discarding it.
	Logger *slog.Logger
}

type widget struct {
	o   Options
	now func() time.Time
}

// New makes the handler of everything under /widget/.
func New(o Options) (http.Handler, error) {
	w, err := newWidget(o)
	if err != nil {
		return nil, err
	}
	return w.handler(), nil
}

func newWidget(o Options) (*widget, error) {
	if o.Conversations == nil || len(o.Secret) < 32 || len(o.Origins) == 0 {
		return nil, errors.New("webwidget: expected Options with Conversations, a Secret of 32 bytes or more, and Origins")
	}
	for _, origin := range o.Origins {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("webwidget: the origin %q: expected a scheme and a host as in https://shop.example.com", origin)
		}
	}
	if o.Lifetime <= 0 {
		o.Lifetime = 30 * 24 * time.Hour
	}
	return &widget{o: o, now: time.Now}, nil
}

func (w *widget) handler() http.Handler {
	talks := web.New(w.o.Conversations, web.Options{Authorize: w.authorize, Open: w.open, Origins: w.o.Origins, Logger: w.o.Logger})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /widget/widget.js", w.script)
	mux.HandleFunc("/widget/session", w.session)
	mux.Handle("/widget/conversations", http.StripPrefix("/widget", talks))
	mux.Handle("/widget/conversations/", http.StripPrefix("/widget", talks))
	return mux
}

func (*widget) script(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(script) // a browser that has gone asks again
}

// token is what a page shows to speak in a conversation.
type token struct {
	Conversation string `json:"c"`
	Origin       string `json:"o"`
	Until        int64  `json:"u"` // Unix seconds
}

func (w *widget) sign(t token) string {
	data, _ := json.Marshal(t) //nolint:errchkjson // texts and a number
	return base64.RawURLEncoding.EncodeToString(data) + "." + base64.RawURLEncoding.EncodeToString(w.mac(data))
}

func (w *widget) mac(data []byte) []byte {
	mac := hmac.New(sha256.New, w.o.Secret)
	mac.Write([]byte("webwidget\x00"))
	mac.Write(data)
	return mac.Sum(nil)
}

var errToken = errors.New("the token is not valid here")

// check reads the token of a request.
func (w *widget) check(r *http.Request) (t token, err error) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, sum, cut := strings.Cut(text, ".")
	data, err1 := base64.RawURLEncoding.Strict().DecodeString(body)
	mac, err2 := base64.RawURLEncoding.Strict().DecodeString(sum)
	if !ok || !cut || err1 != nil || err2 != nil || !hmac.Equal(mac, w.mac(data)) || json.Unmarshal(data, &t) != nil {
		return token{}, errToken
	}
	if w.now().Unix() >= t.Until || !slices.Contains(w.o.Origins, t.Origin) || !from(r, t.Origin) {
		return token{}, errToken
	}
	return t, nil
}

// from reports whether a request is of a page of an origin. A browser names it but in a GET to the page's own origin.
func from(r *http.Request, origin string) bool {
	if named := r.Header.Get("Origin"); named != "" || r.Method != http.MethodGet {
		return named == origin
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "same-origin" || site == ""
}

func (w *widget) authorize(r *http.Request, conversation string) (agent bool, err error) {
	t, err := w.check(r)
	if err == nil && t.Conversation != conversation {
		err = errToken
	}
	return false, err
}

func (w *widget) open(r *http.Request) (conversation string, with map[string]any, err error) {
	t, err := w.check(r)
	if err == nil && w.o.Open != nil {
		with, err = w.o.Open(r, t.Conversation)
	}
	return t.Conversation, with, err
}

// session gives a page a token: for the conversation of the one that it has, or for a new one.
func (w *widget) session(res http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	header := res.Header()
	header.Add("Vary", "Origin")
	header.Set("Cache-Control", "no-store")
	if !slices.Contains(w.o.Origins, origin) {
		http.Error(res, "pages of this origin may not show the widget", http.StatusForbidden)
		return
	}
	header.Set("Access-Control-Allow-Origin", origin)
	switch r.Method {
	case http.MethodOptions:
		header.Set("Access-Control-Allow-Methods", "POST")
		header.Set("Access-Control-Allow-Headers", "Authorization")
		header.Set("Access-Control-Max-Age", "600")
		res.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPost:
	default:
		header.Set("Allow", "POST")
		http.Error(res, "expected POST", http.StatusMethodNotAllowed)
		return
	}
	t, err := w.check(r)
	if err != nil {
		t = token{Conversation: "web:" + rand.Text(), Origin: origin}
	}
	t.Until = w.now().Add(w.o.Lifetime).Unix()
	header.Set("Content-Type", "application/json")
	//nolint:errchkjson // texts; a page that has gone asks again
	_ = json.NewEncoder(res).Encode(map[string]string{"conversation": t.Conversation, "token": w.sign(t)})
}
