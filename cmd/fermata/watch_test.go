package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// background is a command that goes on until it is stopped.
type background struct {
	t        *testing.T
	out, err lawtest.Log
	stop     context.CancelFunc
	code     chan int
}

func goOn(t *testing.T, args ...string) *background {
	t.Helper()
	b := &background{t: t, code: make(chan int, 1)}
	m, _, _ := command(t)
	m.Stdout, m.Stderr = &b.out, &b.err
	m.Now = func() time.Time { return time.Date(2026, 11, 21, 14, 3, 12, 0, time.UTC) }
	ctx, stop := context.WithCancel(t.Context())
	b.stop = stop
	go func() { b.code <- m.Run(ctx, args) }()
	t.Cleanup(func() {
		stop()
		if b.code != nil {
			<-b.code
		}
	})
	return b
}

// waits waits until the command has written a text to one of its streams, and then takes what is there.
func (b *background) waits(on *lawtest.Log, text string) string {
	b.t.Helper()
	eventually(func() bool { return strings.Contains(on.String(), text) }, func() {
		b.t.Fatalf("nothing with %q was written:\n%s\n%s", text, b.out.String(), b.err.String())
	})
	return on.Take()
}

// ends stops the command and checks its exit code.
func (b *background) ends(want int) {
	b.t.Helper()
	b.stop()
	if code := <-b.code; code != want {
		b.t.Errorf("exit code %d, want %d", code, want)
	}
	b.code = nil
}

func saved(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	asksPlain = "topology:\n  entry_point: ask\n  nodes: [{type: human, id: ask, prompt: \"Go on?\"}]\n"
	callsPart = "agents: {part: {kind: recipe, file: part/recipe.yaml}}\ntopology:\n  entry_point: a\n  nodes: [{type: agent, id: a, agent_ref: part}]\n"
)

func TestValidateWatch(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	saved(t, "a.yaml", asksPlain)
	saved(t, "b.yaml", callsPart)
	saved(t, "part/recipe.yaml", asksPlain)
	b := goOn(t, "validate", "--watch", "a.yaml", "b.yaml")
	const settled = "waiting for changes; Ctrl-C ends\n"
	if diff := cmp.Diff("2 recipes valid  "+settled, b.waits(&b.err, settled)); diff != "" {
		t.Errorf("the first round (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("✓ a.yaml  a, 1 node\n✓ b.yaml  b, 2 nodes\n", b.out.Take()); diff != "" {
		t.Errorf("at first all files are shown (-want +got):\n%s", diff)
	}

	// A mistake in a file that one of them calls is one of that recipe.
	saved(t, "part/recipe.yaml", strings.Replace(asksPlain, "entry_point: ask", "entry_point: aks", 1))
	if diff := cmp.Diff("\n14:03:12  part/recipe.yaml changed\n1 recipe not valid  "+settled, b.waits(&b.err, settled)); diff != "" {
		t.Errorf("a broken part (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("part/recipe.yaml:2:16: there is no node \"aks\"; did you mean \"ask\"?\n", b.out.Take()); diff != "" {
		t.Errorf("a broken part (-want +got):\n%s", diff)
	}

	// It is mended: what is said of the other recipe is as before, and is not said again.
	saved(t, "part/recipe.yaml", asksPlain)
	b.waits(&b.err, "2 recipes valid  "+settled)
	if diff := cmp.Diff("✓ b.yaml  b, 2 nodes\n", b.out.Take()); diff != "" {
		t.Errorf("a mended part (-want +got):\n%s", diff)
	}

	// A file that is gone is a problem, and no end.
	if err := os.Remove("a.yaml"); err != nil {
		t.Fatal(err)
	}
	b.waits(&b.err, "1 recipe not valid")
	if got := b.out.Take(); !strings.Contains(got, "a.yaml: there is no file a.yaml") {
		t.Errorf("a file that is gone: %q", got)
	}
	b.ends(exitCompleted)
}

func TestValidateWatch_dialogue(t *testing.T) {
	t.Chdir(t.TempDir())
	const greets = "kind: Dialogue\nflows: {hello: {trigger: [hello], steps: [{type: say, message: Hello.}]}}\n"
	saved(t, "a.yaml", asksPlain)
	saved(t, "shop/dialogue.yaml", greets)
	b := goOn(t, "validate", "--watch", "a.yaml", "shop")
	const settled = "waiting for changes; Ctrl-C ends\n"
	if diff := cmp.Diff("2 files valid  "+settled, b.waits(&b.err, settled)); diff != "" {
		t.Errorf("the first round (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("✓ a.yaml  a, 1 node\n✓ shop  shop, 1 flow\n", b.out.Take()); diff != "" {
		t.Errorf("at first all files are shown (-want +got):\n%s", diff)
	}
	saved(t, "shop/dialogue.yaml", strings.Replace(greets, "trigger", "triger", 1))
	if diff := cmp.Diff("\n14:03:12  shop/dialogue.yaml changed\n1 file not valid  "+settled, b.waits(&b.err, settled)); diff != "" {
		t.Errorf("a broken dialogue (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("shop/dialogue.yaml:2:17: unknown key \"triger\"; did you mean \"trigger\"?\n", b.out.Take()); diff != "" {
		t.Errorf("a broken dialogue (-want +got):\n%s", diff)
	}
	b.ends(exitCompleted)
}

func TestValidateWatch_JSON(t *testing.T) {
	t.Chdir(t.TempDir())
	saved(t, "shop/recipe.yaml", asksPlain)
	b := goOn(t, "validate", "-w", "--json", "shop")
	b.waits(&b.out, "}\n")
	saved(t, "shop/recipe.yaml", "{}")
	if got := b.waits(&b.out, "}\n"); !strings.HasPrefix(got, `{"file":"shop","ok":false,"problems":[{"file":"shop/recipe.yaml",`) {
		t.Errorf("a line of JSON: %s", got)
	}
	if got := b.err.Take(); got != "" {
		t.Errorf("beside JSON there is %q", got)
	}
	b.ends(exitCompleted)
}

// A folder is looked through again at each change: files come, break and go, and each round counts those that are there.
func TestValidateWatch_folder(t *testing.T) {
	t.Chdir(t.TempDir())
	saved(t, "all/a.yaml", asksPlain)
	saved(t, "all/values.yaml", "a: 1\n")
	b := goOn(t, "validate", "--watch", "all")
	const settled = "waiting for changes; Ctrl-C ends\n"
	round := func(said, out string) {
		t.Helper()
		if diff := cmp.Diff(said+settled, b.waits(&b.err, settled)); diff != "" {
			t.Errorf("what is said (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(out, b.out.Take()); diff != "" {
			t.Errorf("what is shown (-want +got):\n%s", diff)
		}
	}
	round("1 recipe valid  ", "✓ all/a.yaml  a, 1 node\n")
	saved(t, "all/below/b.yaml", asksPlain)
	round("\n14:03:12  all/below/b.yaml changed\n2 recipes valid  ", "✓ all/below/b.yaml  b, 1 node\n")

	// A file that was a recipe stays one, also when nothing in it says so any more.
	saved(t, "all/below/b.yaml", "a: 1\n")
	b.waits(&b.err, "1 recipe not valid  "+settled)
	if got := b.out.Take(); !strings.HasPrefix(got, "all/below/b.yaml:") {
		t.Errorf("a recipe that is none any more: %q", got)
	}
	if err := os.Remove("all/below/b.yaml"); err != nil {
		t.Fatal(err)
	}
	round("\n14:03:12  all/below/b.yaml changed\n1 recipe valid  ", "")
	if err := os.Remove("all/a.yaml"); err != nil {
		t.Fatal(err)
	}
	round("\n14:03:12  all/a.yaml changed\n1 recipe not valid  ", "all: there is no recipe or dialogue in all or below it; there is all/values.yaml\n")
	b.ends(exitCompleted)
}
