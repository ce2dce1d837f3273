package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// releases is an errand through examples/release, on a repository beside it whose release is sent back once. Its
// programs are compiled already: go run would do the same, more slowly.
func releases(t testing.TB) *errand {
	t.Helper()
	d := newDesk(t)
	inspect := program(t, "inspect")
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "release", "recipe.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const command = "[go, run, ./inspect, "
	if n := strings.Count(string(text), command); n != 5 {
		t.Fatalf("the recipe has %d commands %q, expected 5", n, command)
	}
	logged := fmt.Sprintf("[sh, %q, %q, ", d.path("logged.sh"), inspect)
	d.write("recipe.yaml", strings.ReplaceAll(string(text), command, logged))
	d.env = append(d.env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	d.git("init", "--quiet", "--initial-branch=main", "shop")
	d.write("shop/shop.go", "package shop\n")
	d.git("-C", "shop", "add", "--all")
	d.git("-C", "shop", "commit", "--quiet", "--message", "Begin")
	d.git("-C", "shop", "tag", "v1.0.0")
	d.write("shop/auth/auth.go", "package auth\n")
	d.git("-C", "shop", "add", "--all")
	d.git("-C", "shop", "commit", "--quiet", "--message", "feat(auth)!: ask for a second factor")
	return &errand{
		desk: d, id: "r", span: 150 * time.Millisecond, dice: dice(t),
		start: []string{"run", ".", "--id", "r", "--input", "repo=shop", "--json"},
		flags: answersLeft("review=send back", "note=Once more", "review=approve"),
	}
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) git(args ...string) {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), "git", args...)
	cmd.Dir = d.dir
	cmd.Env = d.env
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+who+"_NAME=Ann", "GIT_"+who+"_EMAIL=ann@example.org", "GIT_"+who+"_DATE=2026-03-04T05:06:07Z")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// answersLeft gives each process the answers that have not been taken yet: what the run asks, in the order in which it
// asks it.
func answersLeft(all ...string) func(*errand) []string {
	return func(e *errand) []string {
		taken := 0
		if end := e.typed("events", e.id, "--json"); end.code == exitCompleted {
			for _, line := range end.lines {
				if strings.Contains(line, `"type":"interrupt.resolved"`) {
					taken++
				}
			}
		}
		var flags []string
		for _, answer := range all[taken:] {
			flags = append(flags, "--answer", answer)
		}
		return flags
	}
}

// TestJ5_KilledRelease does the same with the release gate, whose programs look at a real repository and write a file.
func TestJ5_KilledRelease(t *testing.T) {
	program(t, "fermata")
	t.Parallel()
	// done is a release in words, its folder left out; and the notes.
	done := func(e *errand) (string, string) {
		result := e.finish()
		notes, err := os.ReadFile(e.path("shop/dist/release-notes.md"))
		if err != nil || result.Status != "completed" || !strings.Contains(string(notes), "Sent back: Once more") {
			t.Fatalf("%s after %d deaths, %+v, %v\n%s", result.Status, e.deaths, result.Error, err, notes)
		}
		return strings.ReplaceAll(story(e.inspect(result)), e.dir, "DIR"), string(notes)
	}
	clean := releases(t)
	wantStory, wantNotes := done(clean)
	throw := dice(t)
	for most := thorough(6, 150); most > 0; {
		e := releases(t)
		e.dice, e.most = rand.New(rand.NewPCG(throw.Uint64(), 0)), most
		gotStory, gotNotes := done(e)
		most -= max(e.deaths, 1)
		if diff := cmp.Diff(wantStory+wantNotes, gotStory+gotNotes); diff != "" {
			t.Errorf("the release went another way (-without a death +with %d):\n%s", e.deaths, diff)
		}
		compareEffects(t, clean.effects("r"), e.effects("r"), e.deaths)
		t.Logf("%d processes, of which %d were killed", e.lives, e.deaths)
	}
}
