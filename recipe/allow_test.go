package recipe

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/document"
)

func TestParseAllow(t *testing.T) {
	for _, tc := range []struct {
		rules string
		want  *Allow
		fails string
	}{
		{rules: "", want: nil},
		{rules: "none", want: &Allow{Programs: []string{}, Addresses: []string{}}},
		{rules: "exec=", want: &Allow{Programs: []string{}}},
		{rules: "exec= exec=git exec=./bin/*", want: &Allow{Programs: []string{"git", "./bin/*"}}},
		{rules: "none http=a.example", want: &Allow{Programs: []string{}, Addresses: []string{"a.example"}}},
		{rules: "files=../shared", want: &Allow{Folders: []string{"../shared"}}},
		{rules: "git", fails: `"git": expected exec=PROGRAM`},
		{rules: "exe=git", fails: `unknown kind "exe"; expected exec, http or files; did you mean "exec"?`},
		{rules: "exec=[", fails: "is not a pattern"},
		{rules: "files=", fails: "expected a folder"},
		{rules: "http=ftp://x", fails: `has the scheme "ftp"; expected http or https`},
		{rules: "http=a.*.example", fails: "is not an address"},
		{rules: "http=http://u:p@x", fails: "is not an address"},
		{rules: "http=/x", fails: "is not an address"},
	} {
		t.Run(tc.rules, func(t *testing.T) {
			got, err := ParseAllow(strings.Fields(tc.rules))
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("expected an error with %q, got %v", tc.fails, err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAllowPrograms(t *testing.T) {
	for _, tc := range []struct {
		rule, program string
		want          bool
	}{
		{"git", "git", true},
		{"git", "./git", false},
		{"git", "/usr/bin/git", false},
		{"./pay.sh", "./pay.sh", true},
		{"./pay.sh", "././x/../pay.sh", true},
		{"./pay.sh", "pay.sh", false},
		{"bin/*", "./bin/pay", true},
		{"./bin/*", "./bin/../sh", false},
		{"./bin/*", "bin/a/b", false},
		{"/usr/bin/*", "/usr/bin/../../bin/sh", false},
		{"*", "git", true},
		{"*", "./git", false},
	} {
		a := &Allow{Programs: []string{tc.rule}}
		if got := a.program(tc.program); got != tc.want {
			t.Errorf("exec=%s and %s: expected %v, got %v", tc.rule, tc.program, tc.want, got)
		}
	}
}

func TestAllowAddresses(t *testing.T) {
	for _, tc := range []struct {
		rule, address string
		want          bool
	}{
		{"example.org", "https://example.org/x", true},
		{"example.org", "http://EXAMPLE.org", true},
		{"example.org", "https://example.org:443/x", true},
		{"example.org", "https://example.org:8443/x", false},
		{"example.org", "https://sub.example.org", false},
		{"example.org", "https://example.org.evil.net", false},
		{"example.org", "https://example.org@evil.net/", false},
		{"*.example.org", "https://a.b.example.org", true},
		{"*.example.org", "https://example.org", false},
		{"*.example.org", "https://badexample.org", false},
		{"https://example.org", "http://example.org", false},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080/a", true},
		{"[::1]:8080", "http://[::1]:8080/a", true},
		{"https://example.org/hooks/", "https://example.org/hooks/a", true},
		{"https://example.org/hooks", "https://example.org/hooks", true},
		{"https://example.org/hooks", "https://example.org/hooksabad", false},
		{"https://example.org/hooks/", "https://example.org/hooks/../admin", false},
		{"https://example.org/hooks/", "https://example.org/hooks/%2e%2e/admin", false},
	} {
		u, err := url.Parse(tc.address)
		if err != nil {
			t.Fatal(err)
		}
		a := &Allow{Addresses: []string{tc.rule}}
		if got := a.address(u); got != tc.want {
			t.Errorf("http=%s and %s: expected %v, got %v", tc.rule, tc.address, tc.want, got)
		}
	}
}

// What is not allowed is a problem of the file, with its place; secrets are not in it.
func TestAllowAtLoad(t *testing.T) {
	text := `agents:
  a: {kind: exec, command: ["${TOOL}", -x]}
  b: {kind: http, url: "https://${HOST}/hook?key=${TOKEN}"}
  c: {kind: exec, command: [never-called]}
entry_point: a
nodes:
  - {type: agent, id: a, agent_ref: a}
  - {type: agent, id: b, agent_ref: b}
edges: [{source: a, target: b}]
`
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"TOOL": "./secret-tool", "HOST": "example.org", "TOKEN": "s3cr3t-t0ken"}[name]
		return v, ok
	}
	for _, tc := range []struct{ rules, want string }{
		{"", ""},
		{"exec=./secret-tool http=example.org", ""},
		{"files=.", ""},
		{"none", `r.yaml:2:29: the program "${TOOL}" is not allowed; nothing of the kind exec is: the user who runs the recipe can allow it
r.yaml:3:24: the address "https://${HOST}/hook?key=${TOKEN}" is not allowed; nothing of the kind http is: the user who runs the recipe can allow it`},
		{"exec=git http=*.example.org", `r.yaml:2:29: the program "${TOOL}" is not allowed; of the kind exec these are: git
r.yaml:3:24: the address "https://${HOST}/hook?key=${TOKEN}" is not allowed; of the kind http these are: *.example.org`},
	} {
		allow, err := ParseAllow(strings.Fields(tc.rules))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse([]byte(text), "r.yaml", Options{Env: env, Allow: allow})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.rules, diff)
		}
	}
}

// A secret that comes back in an output is not kept: not in a text, not in a name, not as part of one.
func TestOutputsHoldNoSecrets(t *testing.T) {
	for _, tc := range []struct{ name, value, output, want string }{
		{"API_KEY", "s3cr3t", `{"a":"x s3cr3t y","s3cr3t":[1,{"b":"s3cr3t"}]}`, `{"[redacted]":[1,{"b":"[redacted]"}],"a":"x [redacted] y"}`},
		{"API_KEY", "s3cr3t", `12345678901234567890`, `12345678901234567890`},
		{"API_KEY", `a"b\c`, `"a\"b\\c"`, `"[redacted]"`},
		{"REGION", "eu-west", `"eu-west"`, `"eu-west"`},
		{"AUTHOR", "somebody", `"somebody"`, `"somebody"`},
		{"DATABASE_URL", "postgres://me:passw0rd@db/x", `["passw0rd","db"]`, `["[redacted]","db"]`},
	} {
		x := &expansion{env: func(string) (string, bool) { return tc.value, true }, report: newReport()}
		x.text(document.Word{Text: fmt.Sprintf("${%s}", tc.name)})
		got, err := newRedactor(x.private).output([]byte(tc.output))
		if diff := cmp.Diff(tc.want, string(got)); err != nil || diff != "" {
			t.Errorf("%s, %s: %v (-want +got):\n%s", tc.name, tc.output, err, diff)
		}
	}
}

// Nor is one kept that a program has with the environment that it inherits: not in errors, not in outputs.
func TestInheritedSecretsAreNotKept(t *testing.T) {
	x := &expansion{}
	x.inherit([]string{
		"MY_TOKEN=s3cr3t", "REGION=eu-west", "PWD=/home/ann", "MYSQL_PWD=mysq1pw", "PGPASSWORD=pgpw1", "DATABASE_URL=postgres://u:dbpw1@h/d",
		"CACHE_URL=redis://:rdpw1@h", "BROKEN_URL=postgres://u:br%pw1@h", "DSN=host=h password=dsnpw1 user=u", "QUERY=redis://h?password=qpw1",
	})
	hidden := newRedactor(x.private).text("mysq1pw pgpw1 dbpw1 rdpw1 br%pw1 dsnpw1 qpw1 /home/ann")
	if want := strings.Repeat("[redacted] ", 7) + "/home/ann"; hidden != want {
		t.Errorf("got %q, want %q", hidden, want)
	}
	for _, name := range withheld {
		t.Setenv(name, "postgres://u:storepw@h/d")
	}
	if left := inherited([]string{"A=b", "FERMATA_STORE=x", "FERMATA_POSTGRES=x", "FERMATA_REDIS=x", "FERMATA_TOKEN=x", "FERMATA_KEYS=x", "FERMATA_KEYS_FILE=x", "FERMATA_OIDC_SECRET=x", "FERMATA_OIDC_SECRET_FILE=x"}); !slices.Equal(left, []string{"A=b"}) {
		t.Errorf("a program inherits %q", left)
	}
	if got, want := newRedactor(x.used).text("bad s3cr3t in eu-west"), "bad [redacted] in eu-west"; got != want {
		t.Errorf("error: got %q, want %q", got, want)
	}
	got, err := newRedactor(x.private).output([]byte(`["s3cr3t","eu-west"]`))
	if want := `["[redacted]","eu-west"]`; err != nil || string(got) != want {
		t.Errorf("output: got %s, %v, want %s", got, err, want)
	}
	t.Setenv("SOME_TOKEN", "from-outside")
	for env, want := range map[string]string{"": "[redacted]", ", env: {A: b}": "from-outside"} {
		text := "agents: {a: {kind: exec, command: [x]" + env + "}}\nentry_point: a\nnodes: [{type: agent, id: a, agent_ref: a}]\nedges: []\n"
		r, err := Parse([]byte(text), "r.yaml", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.doc.agents["a"].secrets.text("from-outside"); got != want {
			t.Errorf("env %q: got %q, want %q", env, got, want)
		}
	}
}
