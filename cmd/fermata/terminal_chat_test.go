//go:build linux

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const shop = `
kind: Dialogue
settings: {greeting: "Hello {{ customer }}."}
context: {customer: text}
actions:
  shop.order: {kind: exec, command: [sh, order.sh]}
flows:
  order:
    description: order something
    trigger: ["order {what}"]
    slots:
      what: text
      size: {type: choice, choices: [small, large]}
    steps:
      - {id: which, type: collect, slot: what, message: What?}
      - {id: how, type: collect, slot: size, message: Which size?}
      - {id: ok, type: confirm, message: "A {{ size }} {{ what }}?"}
      - {id: order, type: action, call: shop.order}
      - {id: done, type: say, message: "Ordered a {{ size }} {{ what }}."}
`

// TestTerminalChat holds a conversation: with quick replies by their numbers, a look at what is known, and messages that are taken
// back, one of them after an action was made.
func TestTerminalChat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	saved(t, filepath.Join(dir, "shop.yaml"), shop)
	saved(t, filepath.Join(dir, "order.sh"), "echo '{}'\n")
	s := sit(t, dir, "chat", "shop.yaml", "--context", "customer=Ada", "--thread", "t", "--store", "chat.db")
	for _, step := range []struct{ sees, types string }{
		{"Hello Ada.\n>", "order tea"},
		{"1) small   2) large\n>", "2"},
		{"1) yes   2) no\n>", "/state"},
		{"customer  \"Ada\"\n>", "/undo"},
		{"took back \"large\"\nWhich size?\n  1) small   2) large\n>", "1"},
		{"A small tea?\n  1) yes   2) no\n>", "1"},
		{"Ordered a small tea.\nIs there anything else?\n>", "/undo"},
		{"what was done stays done: shop.order\nA small tea?\n  1) yes   2) no\n>", "no"},
		{"I will not do that.\n>", ctrlD},
	} {
		s.sees(step.sees)
		if s.types(step.types); step.types != ctrlD {
			s.types(enter)
		}
	}
	s.ends(0)
	s.shows(`Hello Ada.
> order tea
Which size?
  1) small   2) large
> 2
A large tea?
  1) yes   2) no
> /state
  order       at ok
    size      "large"
    what      "tea"
  context
    customer  "Ada"
> /undo
took back "large"
Which size?
  1) small   2) large
> 1
A small tea?
  1) yes   2) no
> 1
Ordered a small tea.
Is there anything else?
> /undo
took back "yes"
what was done stays done: shop.order
A small tea?
  1) yes   2) no
> no
All right, I will not do that.
>
  fermata chat --thread t --store chat.db  go on with the conversation
`)
}

// office is a folder with a dialogue whose recipe asks somebody else.
func office(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	saved(t, filepath.Join(dir, "desk.yaml"), `
kind: Dialogue
actions: {desk.pay: {recipe: recipe.yaml}}
flows:
  pay:
    description: have something paid
    trigger: [pay]
    steps:
      - {id: pay, type: action, call: desk.pay, outputs: {decision: review}}
      - {id: done, type: say, message: "The office says: {{ decision }}."}
chitchat:
  - {trigger: [thanks], message: You are welcome.}
`)
	saved(t, filepath.Join(dir, "recipe.yaml"), strings.Replace(refund, ", paid: {type: integer}", "", 1))
	return dir
}

// approves answers what the recipe asks, in another process.
func approves(t *testing.T, dir string) {
	t.Helper()
	task := regexp.MustCompile(`int_[0-9a-f-]+`).FindString(elsewhere(t, dir, "tasks", "ls", "--json", "--store", "chat.db"))
	elsewhere(t, dir, "tasks", "answer", task, "--value", "approve", "--store", "chat.db")
}

// TestTerminalChatKeepsWhatIsNotTaken says something while a recipe waits for somebody: the line is there to be sent again, and is
// taken when they have answered.
func TestTerminalChatKeepsWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	dir := office(t)
	s := sit(t, dir, "chat", "desk.yaml", "--thread", "t", "--store", "chat.db")
	s.sees(">")
	s.types("pay", enter)
	s.sees("--store chat.db\n>") // a key that is typed before there is a prompt may be lost
	s.types("thanks", enter)
	s.sees("that was not taken")
	s.sees("\n> thanks")
	approves(t, dir)
	s.types(enter)
	s.sees("The office says: approve.")
	s.sees("You are welcome.\n>")
	s.types(ctrlD)
	s.ends(0)
}

// TestChatSaysAgainWhatWasNotTaken is the same without a terminal: lines that were not taken are said before the next one.
func TestChatSaysAgainWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	dir := office(t)
	chat := exec.Command("fermata", "chat", "desk.yaml", "--thread", "t", "--store", "chat.db", "-q")
	chat.Dir, chat.Env = dir, environ(dir)
	stdin, err := chat.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := chat.StdoutPipe()
	if err == nil {
		err = chat.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, "pay\nthanks\nthanks\n"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if text := lines.Text(); !strings.HasPrefix(text, "Refund") && !strings.HasPrefix(text, "  fermata") {
			got = append(got, text)
		}
		if len(got) == 2 && stdin != nil { // neither line was taken
			approves(t, dir)
			if _, err := io.WriteString(stdin, "thanks\n"); err != nil {
				t.Fatal(err)
			}
			_ = stdin.Close()
			stdin = nil
		}
	}
	if err := chat.Wait(); err != nil {
		t.Error(err)
	}
	refused := "that was not taken: the conversation waits for another person"
	welcome := "You are welcome."
	want := []string{refused, refused, "The office says: approve.", "Is there anything else?", welcome, welcome, welcome}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestJ4_AChatThatIsKilledGoesOn kills the command, or sends Ctrl-C, while an action is made, before its user has an answer.
// The same thread tells the rest, once, and takes the next line.
func TestJ4_AChatThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("killed", func(t *testing.T) { endedInAnAction(t, os.Kill, -1, "") })
	t.Run("Ctrl-C", func(t *testing.T) {
		endedInAnAction(t, os.Interrupt, exitPaused, "stopped while something was at work for you: it goes on with the conversation\n"+
			"  fermata chat --thread t --store chat.db  go on with the conversation\n")
	})
}

// endedInAnAction ends a chat by a signal while it orders tea, and goes on with it. It checks the exit code and what the chat says last.
func endedInAnAction(t *testing.T, how os.Signal, code int, last string) {
	t.Helper()
	dir := t.TempDir()
	saved(t, filepath.Join(dir, "shop.yaml"), shop)
	saved(t, filepath.Join(dir, "order.sh"), "echo made >>made\nwhile [ -e hold ]; do sleep 0.05; done\necho '{}'\n")
	saved(t, filepath.Join(dir, "hold"), "")
	chat := exec.Command("fermata", "chat", "shop.yaml", "--context", "customer=Ada", "--thread", "t", "--store", "chat.db")
	chat.Dir, chat.Env = dir, environ(dir)
	chat.Stdin = strings.NewReader("order tea\n2\nyes\n")
	var said strings.Builder
	chat.Stderr = &said
	if err := chat.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "made"))
		return len(text) > 0
	}, func() { t.Error("no order was made") })
	_ = chat.Process.Signal(how)
	_ = chat.Wait()
	if got := chat.ProcessState.ExitCode(); got != code || said.String() != last {
		t.Errorf("exit code %d, and it says %q; expected %d, %q", got, said.String(), code, last)
	}
	if err := os.Remove(filepath.Join(dir, "hold")); err != nil {
		t.Fatal(err)
	}
	again := exec.Command("fermata", "chat", "--thread", "t", "--store", "chat.db", "-q")
	again.Dir, again.Env, again.Stdin = dir, environ(dir), strings.NewReader("/transcript\n")
	out, err := again.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, transcript, _ := strings.Cut(string(out), "Is there anything else?\n")
	want := `Hello Ada.
> order tea
Which size?
> large
A large tea?
> yes
Ordered a large tea.
Is there anything else?
`
	if diff := cmp.Diff(want, transcript); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "made")); err != nil || strings.Count(string(text), "made") > 2 {
		t.Errorf("an action that a crash cut short is made again once, and no more: %q, %v", text, err)
	}
}
