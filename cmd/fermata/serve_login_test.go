package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fermata-go/fermata/internal/fakeissuer"
)

// issuers are the issuers of scripts, by their directories: scripts run beside each other.
type issuers struct {
	mu  sync.Mutex
	all map[string]*fakeissuer.Issuer
}

// command starts an issuer for a script, with its address in $ISSUER and the secret of its client in $ISSUER_SECRET. A further call
// changes the person who logs in: issuer {"email":"bob@example.com"}. After "away" it answers nobody, until "back"; "jwt" puts a token of
// the person into $TOKEN.
func (s *issuers) command(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: issuer [CLAIMS|away|back|jwt]")
	}
	s.mu.Lock()
	i := s.all[ts.Getenv("WORK")]
	if i == nil {
		i = fakeissuer.New()
		if s.all == nil {
			s.all = make(map[string]*fakeissuer.Issuer)
		}
		s.all[ts.Getenv("WORK")] = i
		ts.Defer(i.Close)
		ts.Setenv("ISSUER", i.URL)
		ts.Setenv("ISSUER_SECRET", fakeissuer.Secret)
	}
	s.mu.Unlock()
	switch {
	case len(args) == 0:
	case args[0] == "jwt":
		ts.Setenv("TOKEN", i.Token(nil))
	case args[0] == "away", args[0] == "back":
		i.Set(func(s *fakeissuer.State) { s.Away = args[0] == "away" })
	default:
		var claims fakeissuer.Claims
		ts.Check(json.Unmarshal([]byte(args[0]), &claims))
		i.Set(func(s *fakeissuer.State) {
			maps.Copy(s.Person, claims)
		})
	}
}

// logInFor logs a browser in at the server whose start screen is in the file served: login [PATH]. It writes the status and the path where the
// browser is in the end, and puts the cookie of its session into $COOKIE.
func logInFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: login [PATH]")
	}
	base := servedAt(ts)
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	c := &http.Client{Jar: jar}
	res, err := c.Get(base + "/login?to=" + url.QueryEscape(strings.Join(args, "")))
	ts.Check(err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	ts.Check(err)
	at, err := url.Parse(base)
	ts.Check(err)
	ts.Setenv("COOKIE", "")
	for _, cookie := range jar.Cookies(at) {
		ts.Setenv("COOKIE", cookie.Name+"="+cookie.Value)
	}
	text := res.Status[:3] + " " + res.Request.URL.Path
	if res.StatusCode != http.StatusOK {
		text += " " + string(body)
	}
	_, err = io.WriteString(ts.Stdout(), text+"\n")
	ts.Check(err)
}

// readyFor waits until the server of a script is ready.
func readyFor(ts *testscript.TestScript, _ bool, _ []string) {
	base := servedAt(ts)
	eventually(func() bool {
		res, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, func() { ts.Fatalf("the server does not become ready") })
}
