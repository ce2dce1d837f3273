package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
)

func named(names ...string) []*sdk.Tool {
	slices.Sort(names)
	tools := make([]*sdk.Tool, len(names))
	for i, name := range names {
		tools[i] = &sdk.Tool{Name: name}
	}
	return tools
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	got := Server{Prefix: "p."}.names(named("a b", "a.b", "a_b", "ü", long, long+"y"))
	want := []string{"p_a_b", "p_a_b_2", "p_a_b_3", "p_" + long[:62], "p_" + long[:60] + "_2", "p__"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a_b_2", "a_b"}, Server{}.names(named("a b", "a_b"))); diff != "" {
		t.Errorf("a name that a model takes is changed (-want +got)\n%s", diff)
	}
}

// Whatever a server calls its tools, a model can call each of them.
func TestNames_areTakenByModels(t *testing.T) {
	plain := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab. _]{0,3}(_2)?`), rapid.StringMatching(`x{60,70}.`))
	rapid.Check(t, func(t *rapid.T) {
		tools := named(rapid.SliceOfDistinct(name, rapid.ID[string]).Draw(t, "names")...)
		called := Server{Prefix: name.Draw(t, "prefix")}.names(tools)
		for i, name := range called {
			if !plain.MatchString(name) {
				t.Errorf("%q becomes %q", tools[i].Name, name)
			}
			if slices.Index(called, name) != i {
				t.Errorf("two tools are called %q: %q", name, called)
			}
		}
	})
}

// The end of what was written is kept, and of what was cut only whole lines.
func TestTail(t *testing.T) {
	kept := &tail{limit: 10}
	for _, text := range []string{"secret", "-key\n", "one\n"} {
		_, _ = kept.Write([]byte(text)) // never fails
	}
	if got := kept.text(); got != "one" {
		t.Errorf("got %q", got)
	}
	if got := fmt.Sprint(len(kept.kept), cap(kept.kept) < 100); got != "10 true" {
		t.Errorf("it holds %s", got)
	}
}

func TestScrub(t *testing.T) {
	var all secrets
	for _, secret := range []string{"abc", "open", "sesame-open", ""} {
		all.add(secret)
	}
	if got := all.scrub("abc: open sesame-open"); got != "abc: [secret] [secret]" {
		t.Errorf("got %q", got)
	}
}
