package identity_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/settings"
)

// TestW7_AProxyIsKnownByItsAddress makes requests from addresses of all forms, with headers of all forms.
func TestW7_AProxyIsKnownByItsAddress(t *testing.T) {
	p := identity.Proxy{
		From:   []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("127.0.0.1/32")},
		Person: "X-Forwarded-User", Name: "X-Forwarded-Name", Groups: "X-Forwarded-Groups", Grants: identity.Grants{{Group: "finance", Role: "viewer"}},
	}
	who := identity.Any(p.Way())
	ask := func(from string, header ...string) (identity.Person, error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = from
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		return who(r)
	}
	ada := []string{"X-Forwarded-User", "ada@example.com", "X-Forwarded-Name", "Ada", "X-Forwarded-Groups", "guests, finance"}
	role, _ := identity.RoleNamed("viewer")
	want := identity.Person{ID: "ada@example.com", Name: "Ada", Role: "viewer", Rights: role.Rights, Login: identity.ByProxy}
	for from, may := range map[string]bool{
		"10.1.2.3:99": true, "127.0.0.1:1": true, "[fd00::1]:99": true, "[::ffff:10.1.2.3]:99": true, "[fd00::1%eth0]:99": true,
		"10.2.0.1:99": false, "127.0.0.2:1": false, "[::1]:99": false, "[::ffff:10.2.0.1]:99": false, "": false, "10.1.2.3": false, "@": false,
	} {
		got, err := ask(from, ada...)
		switch {
		case may && (err != nil || !cmp.Equal(want, got)):
			t.Errorf("from %q: %+v (%v)", from, got, err)
		case !may && (!errors.Is(err, identity.ErrNoLogin) || !strings.Contains(err.Error(), "is taken from the proxy alone")):
			t.Errorf("from %q: %+v (%v)", from, got, err)
		}
		for _, name := range []string{"X-Forwarded-User", "x-forwarded-name", "X-FORWARDED-GROUPS"} {
			if _, err := ask(from, name, ""); !may && (err == nil || !strings.Contains(err.Error(), "taken from the proxy alone")) {
				t.Errorf("from %q with %s alone: %v", from, name, err)
			}
		}
	}
	for text, header := range map[string][]string{
		"found none":                           {"X-Forwarded-Name", "Ada", "X-Forwarded-Groups", "finance"},
		"found it 2 times":                     append([]string{"X-Forwarded-Groups", "admins"}, ada...),
		"no group that may do anything":        {"X-Forwarded-User", "ada@example.com"},
		"the headers of the proxy name nobody": {"X-Forwarded-User", "ada\u202e", "X-Forwarded-Groups", "finance"},
		"a token stands where":                 {"X-Forwarded-User", "ft_" + strings.Repeat("a", 69), "X-Forwarded-Groups", "finance"},
	} {
		if _, err := ask("10.1.0.1:9", header...); !errors.Is(err, identity.ErrNoLogin) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got %v, want %q", header, err, text)
		}
	}
}

// TestW7_NoGrantLeaksIntoAnother gives people random groups and servers random grants: for each plan a person has the rights of one grant,
// whole, which is the first that fits, and the task roles of that one and of those without a role.
func TestW7_NoGrantLeaksIntoAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	some := func(of []string) (list []string) {
		for _, one := range of {
			if r.IntN(3) == 0 {
				list = append(list, one)
			}
		}
		return list
	}
	roles := []string{"", "viewer", "clerk", "operator", "admin"}
	refused := 0
	for range 3000 {
		var all identity.Grants
		for range r.IntN(5) {
			g := identity.Grant{Group: []string{"a", "b", "c", identity.Everybody}[r.IntN(4)], Role: roles[r.IntN(len(roles))], TaskRoles: some([]string{"x", "y", "z"})}
			if g.Role != "" {
				g.Plans = some([]string{"refund*", "pay", "note"})
			}
			all = append(all, g)
		}
		groups := some([]string{"a", "b", "c"})
		p, err := all.Person("ada", "", groups)
		fits := func(g identity.Grant) bool { return g.Group == identity.Everybody || slices.Contains(groups, g.Group) }
		at := slices.IndexFunc(all, func(g identity.Grant) bool { return g.Role != "" && fits(g) })
		if at < 0 {
			if refused++; !errors.Is(err, identity.ErrNoGrant) || len(p.Rights) > 0 {
				t.Fatalf("%+v of %v: %+v (%v)", all, groups, p, err)
			}
			continue
		}
		role, _ := identity.RoleNamed(all[at].Role)
		want := identity.Person{ID: "ada", Role: role.Name, Rights: role.Rights, Plans: all[at].Plans}
		for i, g := range all {
			if i == at || g.Role == "" && fits(g) {
				want.TaskRoles = append(want.TaskRoles, g.TaskRoles...)
			}
		}
		slices.Sort(want.TaskRoles)
		want.TaskRoles = slices.Compact(want.TaskRoles)
		if diff := cmp.Diff(want, p); err != nil || diff != "" {
			t.Fatalf("%+v of %v: %v\n%s", all, groups, err, diff)
		}
	}
	if refused == 0 {
		t.Error("nobody was refused")
	}
}

func TestParseGrant(t *testing.T) {
	for text, want := range map[string]identity.Grant{
		"finance=operator":  {Group: "finance", Role: "operator"},
		"*=viewer":          {Group: identity.Everybody, Role: "viewer"},
		"cn=fin,dc=x=clerk": {Group: "cn=fin,dc=x", Role: "clerk"},
		"a=task:manager":    {Group: "a", TaskRoles: []string{"manager"}},
		"a = operator , task:m, task:n,plan:refund*,plan:pay": {Group: "a", Role: "operator", TaskRoles: []string{"m", "n"}, Plans: []string{"refund*", "pay"}},
	} {
		if got, err := identity.ParseGrant(text); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%q: %+v (%v)", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                    "expected GROUP=ROLE",
		"finance":             "expected GROUP=ROLE",
		"=viewer":             "the name of a group",
		"a=":                  "expected a role behind =, one of viewer, clerk",
		"a=plan:x":            "expected a role behind =",
		"a=task:x,plan:x":     "plan: limits a role, and there is none",
		"a=operater":          `did you mean "operator"?`,
		"a=viewer,operator":   `expected one role, found "viewer" and "operator"`,
		"a=viewer,task:":      "a task role",
		"a=viewer,plan:a*b":   `plan "a*b": expected the name of a plan`,
		"a\u202e=viewer":      "the name of a group",
		"a=viewer,task:a\nb":  "a task role",
		"a=viewer,plan:":      `plan "": expected the name of a plan`,
		"a=manager,task:boss": `there is no role "manager"`,
	} {
		if g, err := identity.ParseGrant(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, g, err, want)
		}
	}
}

// TestW7_OnlyItsSecretIsASession presents what is like the secret of a session, and looks for its bytes in the store.
func TestW7_OnlyItsSecretIsASession(t *testing.T) {
	store, now := memory.New(), time.Now()
	s := settings.New(store, settings.Options{})
	sessions, tokens := identity.NewSessions(s, func() time.Time { return now }), identity.NewTokens(s, time.Now)
	secret, begun, err := sessions.Begin(t.Context(), identity.Session{Realm: "r", Subject: "u-1", Person: "ada", Groups: []string{"a"}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	text := secret.Reveal()
	got, err := sessions.Check(t.Context(), text)
	want := identity.Session{ID: begun.ID, Realm: "r", Subject: "u-1", Person: "ada", Groups: []string{"a"}, Created: begun.Created, Expires: begun.Created.Add(time.Hour)}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	token, _, err := tokens.Create(t.Context(), identity.Token{Name: "ada", Role: "admin"}, "root")
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"", text[:71], text + "a", "ft_" + text[3:], token.Reveal(), "fs_" + token.Reveal()[3:], text[:29] + strings.Repeat("A", 43), strings.ToUpper(text), "fs_" + strings.Repeat("a", 69)} {
		if got, err := sessions.Check(t.Context(), wrong); !errors.Is(err, identity.ErrNoLogin) {
			t.Errorf("%q is session %+v (%v)", wrong, got, err)
		}
	}
	if p, err := tokens.Check(t.Context(), text); !errors.Is(err, identity.ErrNoLogin) {
		t.Errorf("a session is a token of %+v (%v)", p, err)
	}
	rows, err := store.Runs(t.Context(), journal.RunFilter{Definition: true})
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	for i := range rows {
		kept := fmt.Sprintf("%+v", rows[i])
		for e, err := range store.Read(t.Context(), rows[i].ID, 0) {
			kept += fmt.Sprintf("%s %s (%v)", e.Value, e.Body, err)
		}
		if strings.Contains(kept, text[30:40]) {
			t.Errorf("the store has the secret: %s", kept)
		}
	}
	for _, lasts := range []time.Duration{0, -1, identity.MaxSession + 1} {
		if _, _, err := sessions.Begin(t.Context(), identity.Session{Person: "ada"}, lasts); err == nil {
			t.Errorf("a session of %v begins", lasts)
		}
	}
	if _, _, err := sessions.Begin(t.Context(), identity.Session{Person: "ada", Groups: []string{strings.Repeat("a", settings.MaxValue)}}, time.Hour); err == nil || !strings.Contains(err.Error(), "1 groups, in ") {
		t.Errorf("too many groups: %v", err)
	}
	if err := sessions.End(t.Context(), "none", "ada", ""); err != nil {
		t.Errorf("a session that is over ends: %v", err)
	}
}

// TestW7_TheFirstWayThatIsPresentedDecides asks in turn, and stops at a refusal and at a failure.
func TestW7_TheFirstWayThatIsPresentedDecides(t *testing.T) {
	broken := errors.New("the store failed")
	one := func(header string, err error) identity.Way {
		return identity.Way{Expects: "the header " + header, Login: "/" + header, Find: func(r *http.Request) (identity.Person, bool, error) {
			return identity.Person{ID: header}, r.Header.Get(header) != "", err
		}}
	}
	for _, tt := range []struct {
		ways   []identity.Way
		header string
		id     string
		err    string
	}{
		{[]identity.Way{one("A", nil), one("B", nil)}, "B", "B", ""},
		{[]identity.Way{one("A", nil), one("B", nil)}, "C", "", "expected the header A, or the header B; found none"},
		{[]identity.Way{one("A", broken), one("B", nil)}, "B", "", "the store failed"},
		{[]identity.Way{one("A", &identity.RefusedError{Detail: "no"}), one("B", nil)}, "B", "", "no"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set(tt.header, "1")
		p, err := identity.Any(tt.ways...)(r)
		if got := fmt.Sprint(err); p.ID != tt.id || tt.err != "" && got != tt.err || tt.err == "" && err != nil {
			t.Errorf("%s: %+v, %v", tt.header, p, err)
		}
		if refused, ok := errors.AsType[*identity.RefusedError](err); ok && refused.Login != "/B" {
			t.Errorf("%s leads to %q", tt.header, refused.Login)
		}
	}
}
