package identity_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/settings"
)

// world has tokens in a store, at a time that the test sets.
type world struct {
	store  journal.Store
	tokens *identity.Tokens
	now    time.Time
}

func newWorld() *world {
	w := &world{store: memory.New(), now: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return w.now }
	w.tokens = identity.NewTokens(settings.New(w.store, settings.Options{Now: now}), now)
	return w
}

func (w *world) create(t *testing.T, token identity.Token) string {
	t.Helper()
	secret, _, err := w.tokens.Create(t.Context(), token, "root")
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// knows reports whose token a text is; "" for nobody's.
func (w *world) knows(t *testing.T, text string) string {
	t.Helper()
	p, err := w.tokens.Check(t.Context(), text)
	if err != nil && !errors.Is(err, identity.ErrNoLogin) {
		t.Errorf("%q: %v", text, err)
	}
	return p.ID
}

// TestW6_NothingButTheTokenIsTaken changes a token in every byte, cuts it anywhere, and puts the parts of two together.
func TestW6_NothingButTheTokenIsTaken(t *testing.T) {
	w := newWorld()
	ada, bob := w.create(t, identity.Token{Name: "ada", Role: "admin"}), w.create(t, identity.Token{Name: "bob", Role: "viewer"})
	if !regexp.MustCompile(`^ft_[a-z2-7]{26}[A-Za-z0-9_-]{43}$`).MatchString(ada) {
		t.Errorf("the form of a token has changed: %d bytes", len(ada))
	}
	if w.knows(t, ada) != "ada" || w.knows(t, bob) != "bob" {
		t.Error("a token is not known")
	}
	wrong := []string{
		"", "ft_", ada + " ", " " + ada, ada + "\n", "\x00" + ada, strings.ToUpper(ada), "xx_" + ada[3:], ada + ada,
		ada[:29] + bob[29:], bob[:29] + ada[29:], "ft_../../" + ada[9:], strings.Repeat("a", 1<<20), "ft_" + strings.Repeat("a", 69),
	}
	for i := range ada {
		wrong = append(wrong, ada[:i])
		for _, c := range []byte{'a', 'A', '0', '-', '/', ' ', 0, 0xff, ada[i] ^ 1, ada[i] ^ 0x20} {
			if c != ada[i] {
				wrong = append(wrong, ada[:i]+string([]byte{c})+ada[i+1:])
			}
		}
	}
	for _, text := range wrong {
		if who := w.knows(t, text); who != "" {
			t.Errorf("%q is taken for a token of %s", text, who)
		}
	}
}

// TestW6_NoByteOfTheTokenIsKept looks for a token and its parts in all that the store has, and in each form in which it may be printed.
func TestW6_NoByteOfTheTokenIsKept(t *testing.T) {
	w := newWorld()
	secret, token, err := w.tokens.Create(t.Context(), identity.Token{Name: "ada", Person: "ada@example.com", Role: "admin"}, "root")
	if err != nil {
		t.Fatal(err)
	}
	hidden := secret.Reveal()[29:]
	shown := []string{fmt.Sprintf("%v %+v %#v %s %q %x %d %v", secret, secret, secret, secret, secret, secret, secret, []any{secret}), fmt.Sprintf("%+v", token)}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "secret", secret, "all", []identity.Secret{secret})
	data, err := json.Marshal(map[string]any{"secret": secret, "token": token})
	shown = append(shown, log.String(), string(data))
	_, failed := w.tokens.Find(t.Context(), secret.Reveal())
	_, _, made := w.tokens.Create(t.Context(), identity.Token{Name: secret.Reveal(), Role: "admin"}, "root")
	_, _, in := w.tokens.Create(t.Context(), identity.Token{Name: "x", Role: "admin " + secret.Reveal()}, "root")
	shown = append(shown, fmt.Sprint(err, failed, made, in))
	for e, err := range w.store.Read(t.Context(), "set/token/"+token.ID, 0) {
		shown = append(shown, fmt.Sprint(err), string(e.Value), string(e.Body), e.Op)
	}
	rows, err := w.store.Runs(t.Context(), journal.RunFilter{Definition: true})
	for _, text := range append(shown, fmt.Sprintf("%+v %v", rows, err)) {
		for i := 0; i+8 <= len(hidden); i++ {
			if strings.Contains(text, hidden[i:i+8]) {
				t.Fatalf("a part of the secret is in %s", text)
			}
		}
		if strings.Contains(text, fmt.Sprintf("%x", hidden)) {
			t.Errorf("the secret is in %s, in hexadecimal digits", text)
		}
	}
}

// TestW6_SecretsAreComparedInConstantTime reads the code: no test by a clock would notice.
func TestW6_SecretsAreComparedInConstantTime(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "token.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, side := range []ast.Expr{n.X, n.Y} {
				if s, ok := side.(*ast.SelectorExpr); ok && s.Sel.Name == "SHA256" {
					t.Error("a digest is compared by " + n.Op.String())
				}
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "ConstantTimeCompare" {
				compared++
			}
		}
		return true
	})
	if compared != 1 {
		t.Errorf("%d comparisons in constant time; expected 1", compared)
	}
}

// TestW5_ATokenIsTakenUntilItEnds revokes tokens and lets them expire; another process sees it at once.
func TestW5_ATokenIsTakenUntilItEnds(t *testing.T) {
	w := newWorld()
	other := identity.NewTokens(settings.New(w.store, settings.Options{}), func() time.Time { return w.now })
	revoked, expires := w.create(t, identity.Token{Name: "a", Role: "admin"}), w.create(t, identity.Token{Name: "b", Role: "admin", Expires: w.now.Add(time.Hour)})
	if _, err := other.Revoke(t.Context(), "a", "root", "lost"); err != nil {
		t.Fatal(err)
	}
	if w.knows(t, revoked) != "" {
		t.Error("a token that was revoked is taken")
	}
	if _, err := w.tokens.Revoke(t.Context(), "a", "root", ""); err == nil || !strings.Contains(err.Error(), `there is no token "a"`) {
		t.Errorf("a second revocation: %v", err)
	}
	begun := w.now
	for _, tt := range []struct {
		after time.Duration
		who   string
	}{{0, "b"}, {time.Hour - 1, "b"}, {time.Hour, ""}, {2 * time.Hour, ""}} {
		w.now = begun.Add(tt.after)
		if got := w.knows(t, expires); got != tt.who {
			t.Errorf("after %v the token is one of %q", tt.after, got)
		}
	}
	again := w.create(t, identity.Token{Name: "a", Role: "viewer"})
	if w.knows(t, again) != "a" || w.knows(t, revoked) != "" {
		t.Error("a new token of the same name is not known, or the old one is")
	}
	all, err := w.tokens.List(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "a" || !all[1].Expired(w.now) {
		t.Errorf("%+v (%v)", all, err)
	}
}

// TestW6_ARunIsNoToken starts runs under ids of tokens, with inputs that look like their documents.
func TestW6_ARunIsNoToken(t *testing.T) {
	w := newWorld()
	good := w.create(t, identity.Token{Name: "ada", Role: "admin"})
	id := strings.Repeat("a", 26)
	forged := "ft_" + id + good[29:]
	document := fmt.Sprintf(`{"sha256":"%x","person":"eve","role":"admin"}`, sha256.Sum256([]byte(forged)))
	for _, kind := range []journal.Kind{journal.RunStarted, journal.Definition} {
		err := w.store.Append(t.Context(), journal.Batch{
			Run: "set/token/" + id,
			Entries: []journal.Entry{{
				Seq: 1, Kind: kind, Value: []byte(document), Body: []byte(`{"plan":"x"}`),
			}},
			Row: &journal.RunRow{ID: "set/token/" + id, Kind: "graph", Plan: "x", Status: "running"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := w.tokens.Check(t.Context(), forged); p.ID != "" || err == nil {
			t.Errorf("%v: %+v (%v)", kind, p, err)
		}
		if err := w.store.Delete(t.Context(), "set/token/"+id); err != nil {
			t.Fatal(err)
		}
	}
}

// TestW6_OnlyTheHeaderLogsIn makes requests with a token everywhere but where it belongs.
func TestW6_OnlyTheHeaderLogsIn(t *testing.T) {
	w := newWorld()
	token := w.create(t, identity.Token{Name: "ada", Role: "admin"})
	for _, tt := range []struct {
		path   string
		header http.Header
		want   string // of the refusal; "" for a login
	}{
		{"/api/runs", http.Header{"Authorization": {"Bearer " + token}}, ""},
		{"/api/runs", http.Header{"Authorization": {"bearer  " + token}}, ""},
		{"/api/runs", nil, "found none"},
		{"/api/runs", http.Header{"Cookie": {"token=" + token}, "X-Token": {token}, "Proxy-Authorization": {"Bearer " + token}}, "found none"},
		{"/api/runs", http.Header{"Authorization": {""}}, "found something else"},
		{"/api/runs", http.Header{"Authorization": {token}}, "found something else"},
		{"/api/runs", http.Header{"Authorization": {"Basic " + token}}, "found something else"},
		{"/api/runs", http.Header{"Authorization": {"Bearer x", "Bearer " + token}}, "found something else"},
		{"/api/runs", http.Header{"Authorization": {"Bearer " + token, "Bearer " + token}}, "found something else"},
		{"/api/runs", http.Header{"Authorization": {"Bearer\t" + token}}, "found something else"},
		{"/api/runs", http.Header{"Authorization": {"Bearer " + token + ", Bearer " + token}}, "not known"},
		{"/api/runs", http.Header{"Authorization": {"Bearer " + token + "\r\nX: y"}}, "not known"},
		{"/api/runs", http.Header{"Authorization": {"Bearer " + strings.Repeat(token, 1000)}}, "not known"},
		{"/api/runs?access_token=" + token, nil, "in the address"},
		{"/api/runs?q=x" + token + "y", http.Header{"Authorization": {"Bearer " + token}}, "in the address"},
		{"/api/runs/" + token, http.Header{"Authorization": {"Bearer " + token}}, "in the address"},
		{"/api/runs?q=" + strings.ReplaceAll(token, "f", "%66"), http.Header{"Authorization": {"Bearer " + token}}, "in the address"},
		{"/api/runs/" + strings.Replace(token, "f", "%66", 1), http.Header{"Authorization": {"Bearer " + token}}, "in the address"},
		{"/api/runs?q=ft_draft", http.Header{"Authorization": {"Bearer " + token}}, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, tt.path, nil)
		r.Header = tt.header
		p, err := w.tokens.Request(r)
		refused, _ := errors.AsType[*identity.RefusedError](err)
		switch {
		case tt.want == "" && (err != nil || p.ID != "ada"):
			t.Errorf("%.80s %.80v: %+v (%v)", tt.path, tt.header, p, err)
		case tt.want != "" && (refused == nil || p.ID != "" || !errors.Is(err, identity.ErrNoLogin) || !strings.Contains(refused.Detail, tt.want) || strings.Contains(refused.Detail, token[29:])):
			t.Errorf("%.80s %.80v: %+v (%v)", tt.path, tt.header, p, err)
		}
	}
}

// TestAFailedStoreLogsNobodyOut tells a store that fails from a token that is not known.
func TestAFailedStoreLogsNobodyOut(t *testing.T) {
	w := newWorld()
	token := w.create(t, identity.Token{Name: "ada", Role: "admin"})
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.tokens.Check(t.Context(), token); err == nil || errors.Is(err, identity.ErrNoLogin) {
		t.Errorf("got %v", err)
	}
}

// TestTokensAreFoundByNameAndID has names that are taken, and two tokens that were made at once.
func TestTokensAreFoundByNameAndID(t *testing.T) {
	w := newWorld()
	w.create(t, identity.Token{Name: "builds", Role: "viewer"})
	if _, _, err := w.tokens.Create(t.Context(), identity.Token{Name: "builds", Role: "viewer"}, ""); err == nil || !strings.Contains(err.Error(), "there is a token \"builds\" already") {
		t.Errorf("got %v", err)
	}
	if _, err := w.tokens.Find(t.Context(), "bulids"); err == nil || !strings.Contains(err.Error(), `did you mean "builds"?`) {
		t.Errorf("got %v", err)
	}
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() {
			_, _, _ = w.tokens.Create(context.Background(), identity.Token{Name: "many", Role: "viewer"}, "")
		})
	}
	together.Wait()
	all, err := w.tokens.List(t.Context())
	if err != nil || len(all) < 2 {
		t.Fatalf("%+v (%v)", all, err)
	}
	for _, one := range all {
		if found, err := w.tokens.Find(t.Context(), one.ID); err != nil || found.ID != one.ID {
			t.Errorf("%+v (%v)", found, err)
		}
	}
	if len(all) > 2 {
		if _, err := w.tokens.Find(t.Context(), "many"); err == nil || !strings.Contains(err.Error(), "name one by its id") {
			t.Errorf("got %v", err)
		}
	}
}

func TestWrongTokensAreRefused(t *testing.T) {
	w := newWorld()
	for _, tt := range []struct {
		token identity.Token
		want  string
	}{
		{identity.Token{Role: "viewer"}, "the name of a token: expected 1 to 200 bytes"},
		{identity.Token{Name: " x", Role: "viewer"}, "without space around"},
		{identity.Token{Name: "x\x1b", Role: "viewer"}, "the name of a token"},
		{identity.Token{Name: "x", Person: "a\nb", Role: "viewer"}, "the id of a person"},
		{identity.Token{Name: "x", PersonName: "\u202e", Role: "viewer"}, "the name of a person"},
		{identity.Token{Name: "x"}, `there is no role ""`},
		{identity.Token{Name: "x", Role: "admni"}, `did you mean "admin"?`},
		{identity.Token{Name: "x", Role: "viewer", TaskRoles: []string{""}}, "a task role"},
		{identity.Token{Name: "x", Role: "viewer", TaskRoles: make([]string, 101)}, "a task role"},
		{identity.Token{Name: "x", Role: "viewer", Plans: []string{""}}, "or the beginning of names with *"},
		{identity.Token{Name: "x", Role: "viewer", Plans: []string{"*x"}}, "or the beginning of names with *"},
		{identity.Token{Name: "x", Role: "viewer", Plans: strings.Split(strings.Repeat("a,", 100)+"a", ",")}, "at most 100"},
		{identity.Token{Name: "x", Role: "viewer", Expires: w.now}, "would have expired"},
	} {
		if _, _, err := w.tokens.Create(t.Context(), tt.token, "root"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %q", tt.token, err, tt.want)
		}
	}
	if all, err := w.tokens.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%+v (%v)", all, err)
	}
}

// TestW5_AScopeIsOfPlans compares scopes with their meaning, on random names.
func TestW5_AScopeIsOfPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	name := func() string { return []string{"", "a", "ab", "abc", "b", "a*", "*"}[r.IntN(7)] }
	for range 2000 {
		p := identity.Person{Rights: []identity.Right{identity.View}}
		for range r.IntN(3) {
			p.Plans = append(p.Plans, name())
		}
		plan := name()
		want := len(p.Plans) == 0
		for _, scope := range p.Plans {
			want = want || scope == plan || strings.HasSuffix(scope, "*") && strings.HasPrefix(plan, strings.TrimSuffix(scope, "*"))
		}
		if p.Sees(plan) != want || p.May(identity.View, plan) != (want || plan == "") || p.May(identity.Start, plan) {
			t.Fatalf("%q sees %q: %v", p.Plans, plan, p.Sees(plan))
		}
	}
}

// TestARoleThatIsNotKnownHasNoRights reads a token of a later version.
func TestARoleThatIsNotKnownHasNoRights(t *testing.T) {
	w := newWorld()
	token := w.create(t, identity.Token{Name: "a", Role: "viewer"})
	s := settings.New(w.store, settings.Options{})
	list, err := s.List(t.Context(), "token")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	later := bytes.Replace(list[0].Value, []byte(`"viewer"`), []byte(`"auditor"`), 1)
	if _, err := s.Put(t.Context(), "token", list[0].Name, list[0].Seq, settings.Change{Value: later}); err != nil {
		t.Fatal(err)
	}
	p, err := w.tokens.Check(t.Context(), token)
	if diff := cmp.Diff(identity.Person{ID: "a", Role: "auditor", Login: identity.ByToken}, p); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// FuzzRequest makes requests with any address and header: none is a login, and no refusal repeats what was sent.
func FuzzRequest(f *testing.F) {
	w := newWorld()
	secret, _, err := w.tokens.Create(context.Background(), identity.Token{Name: "a", Role: "admin"}, "")
	if err != nil {
		f.Fatal(err)
	}
	good := secret.Reveal()
	f.Add("/x?y=ft_", "Bearer "+good[:40])
	f.Add("/%66t_", "Bearer ft_"+strings.Repeat("a", 69))
	f.Fuzz(func(t *testing.T, address, header string) {
		u, err := url.Parse(address)
		if err != nil || strings.Contains(header, good) {
			return
		}
		r := (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{"Authorization": {header}}}).WithContext(t.Context())
		p, err := w.tokens.Request(r)
		refused, _ := errors.AsType[*identity.RefusedError](err)
		if p.ID != "" || refused == nil {
			t.Fatalf("%+v (%v)", p, err)
		}
	})
}

func ExampleTokens() {
	store := memory.New()
	rt := fermata.MustNew(fermata.Options{Store: store})
	defer func() { _ = rt.Close() }()
	tokens, ctx := identity.NewTokens(settings.New(store, settings.Options{}), rt.Now), context.Background()

	secret, _, _ := tokens.Create(ctx, identity.Token{Name: "laptop", Person: "ada@example.com", Role: "operator", Plans: []string{"refund*"}}, "root")
	person, err := tokens.Check(ctx, secret.Reveal())
	fmt.Println(person.ID, person.May(identity.Start, "refund-eu"), person.May(identity.Start, "payroll"), err)

	_, _ = tokens.Revoke(ctx, "laptop", "root", "lost")
	_, err = tokens.Check(ctx, secret.Reveal())
	fmt.Println(err)
	// Output:
	// ada@example.com true false <nil>
	// no login
}
