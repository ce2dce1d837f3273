//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/fermata-go/fermata/cmd/fermata/internal/vt"
)

// session is the command on a terminal of its own, with somebody who looks and types.
type session struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	pty    *os.File
	screen *vt.Terminal

	mu  sync.Mutex
	raw bytes.Buffer // all that was written
}

// place is a folder with a recipe and a store of its own.
func place(t *testing.T, recipe string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recipe.yaml"), []byte(recipe), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func environ(dir string, more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + dir, "USER=tester", "TZ=UTC", "LANG=C.UTF-8",
		"TERM=xterm-256color", "EDITOR=false",
	}, more...)
}

// sit starts the command on a terminal of 72 columns and 40 rows. Environment variables come as arguments that begin
// with "$".
func sit(t *testing.T, dir string, args ...string) *session {
	t.Helper()
	s := &session{t: t, dir: dir, screen: vt.New(72, 40)}
	var env []string
	for len(args) > 0 && strings.HasPrefix(args[0], "$") {
		env, args = append(env, args[0][1:]), args[1:]
	}
	master, slave := openPTY(t, 72, 40)
	s.pty = master
	s.cmd = exec.Command("fermata", args...)
	s.cmd.Dir, s.cmd.Env = dir, environ(dir, env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			_, _ = s.screen.Write(buffer[:n])
			s.mu.Lock()
			s.raw.Write(buffer[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = master.Close()
	})
	return s
}

func openPTY(t *testing.T, columns, rows uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// sees waits until the screen shows a text.
func (s *session) sees(text string) {
	s.t.Helper()
	eventually(func() bool { return strings.Contains(s.screen.Text(), text) }, func() {
		s.t.Fatalf("the terminal does not show %q:\n%s", text, s.screen.Text())
	})
}

// types types, key by key, as people do.
func (s *session) types(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		if _, err := s.pty.WriteString(key); err != nil {
			s.t.Fatal(err)
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// toChoose is what the terminal says below options, of which none is selected.
const toChoose = "type or ↑↓ choose"

// Keys.
const (
	down, enter, space  = "\x1b[B", "\r", " "
	ctrlC, ctrlD, ctrlE = "\x03", "\x04", "\x05"
)

// ends waits for the end and checks the exit code.
func (s *session) ends(code int) {
	s.t.Helper()
	done := make(chan struct{})
	go func() {
		_ = s.cmd.Wait() // the exit code says it
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		s.t.Fatalf("the command does not end; the terminal shows:\n%s", s.screen.Text())
	}
	time.Sleep(50 * time.Millisecond) // what was written last is still being read
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("exit code %d, want %d; the terminal shows:\n%s", got, code, s.screen.Text())
	}
	if s.screen.Hidden() {
		s.t.Error("the cursor is hidden in the end")
	}
	if unknown := s.screen.Unknown(); len(unknown) > 0 {
		s.t.Errorf("the terminal does not know %q", unknown)
	}
}

var shortIDs = regexp.MustCompile(`\b(run|int)_[0-9a-f]{8}-[0-9a-f]{4}\b`)

// shows compares all that the terminal shows in the end.
func (s *session) shows(want string) {
	s.t.Helper()
	got := shortIDs.ReplaceAllString(normalised(s.screen.Text()), "${1}_ID")
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("the terminal (-want +got):\n%s", diff)
	}
}

// elsewhere runs the command in another process, without a terminal.
func elsewhere(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("fermata", args...)
	cmd.Dir, cmd.Env = dir, environ(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("fermata %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

const refund = `
metadata: {name: refund}
interface: {outputs: {review: {type: string}, paid: {type: integer}}}
agents:
  look: {kind: expr, set: {risk: "'high'"}}
  pay: {kind: expr, set: {paid: "review == 'approve' ? 120 : 0"}}
topology:
  entry_point: look
  nodes:
    - {type: agent, id: look, agent_ref: look}
    - {type: router, id: gate, input_key: risk, routes: {high: review}, default_route: pay}
    - {type: human, id: review, prompt: "Refund 120?\n\n- the goods came back", options: [approve, reject]}
    - {type: agent, id: pay, agent_ref: pay}
  edges:
    - {source: look, target: gate}
    - {source: review, target: pay}
`

func TestTerminalChoice(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, refund), "run", ".")
	s.sees(toChoose + " · enter submit · ctrl+d later")
	s.types(enter)
	s.sees("nothing is chosen: type the beginning of an option, or press ↑↓")
	s.types("n", "o")
	s.sees(`no option "no": approve or reject`)
	s.types(enter)
	s.sees(`no option "no": approve or reject`)
	s.types("\x7f", "\x7f", "2")
	s.sees("❯ reject")
	s.types(enter)
	s.ends(exitCompleted)
	s.shows(`
  refund  run_ID

  ✓ look
  ✓ gate               → review

  ╭ review
  │
  │ Refund 120?
  │
  │ - the goods came back
  │
  ╰ reject

  ✓ review
  ✓ pay

  completed in

  paid    0
  review  reject

  fermata trace run_ID  what happened, step by step
`)
}

// Ctrl-D leaves the question for later and prints the command that answers it; that command does.
func TestTerminalLater(t *testing.T) {
	t.Parallel()
	dir := place(t, refund)
	s := sit(t, dir, "run", ".")
	s.sees(toChoose)
	s.types(ctrlD)
	s.ends(exitPaused)
	s.shows(`
  refund  run_ID

  ✓ look
  ✓ gate               → review

  ╭ review
  │
  │ Refund 120?
  │
  │ - the goods came back
  │
  ╰ left for later

  ◆ review             waits for an answer

  paused · waits for 1 answer

  review  Refund 120?
  approve, reject
  fermata tasks answer int_ID --value '"approve"' --resume

  fermata tasks show int_ID  the whole question
  fermata resume run_ID      go on, and be asked here
`)
	_, after, _ := strings.Cut(s.screen.Text(), "tasks answer")
	id := shortIDs.FindString(after)
	if out := elsewhere(t, dir, "tasks", "answer", id, "--value", `"approve"`, "--resume", "--quiet"); !strings.Contains(out, "paid    120") {
		t.Errorf("the command that was shown: %s", out)
	}
}

// resume asks again what was left.
func TestTerminalResume(t *testing.T) {
	t.Parallel()
	dir := place(t, refund)
	s := sit(t, dir, "run", ".", "--id", "r")
	s.sees(toChoose)
	s.types(ctrlC)
	s.ends(exitPaused)
	s.sees("stopped · the run can go on where it is")
	s.sees("fermata resume r")
	s = sit(t, dir, "resume", "r")
	s.sees(toChoose)
	s.types("a", enter)
	s.ends(exitCompleted)
	s.sees("paid    120")
}

// A question that is answered elsewhere goes away, and the run goes on here.
func TestTerminalAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	dir := place(t, refund)
	s := sit(t, dir, "run", ".")
	s.sees(toChoose)
	id := strings.TrimSpace(regexp.MustCompile(`int_\S+`).FindString(elsewhere(t, dir, "tasks")))
	elsewhere(t, dir, "tasks", "answer", id, "--value", "reject", "--as", "ada")
	s.ends(exitCompleted)
	s.sees(`╰ answered by ada: "reject"`)
	s.sees("review  reject")
}

// A run that is cancelled elsewhere takes its question with it.
func TestTerminalCancelledElsewhere(t *testing.T) {
	t.Parallel()
	dir := place(t, refund)
	s := sit(t, dir, "run", ".", "--id", "r")
	s.sees(toChoose)
	elsewhere(t, dir, "runs", "cancel", "r", "--reason", "a mistake")
	s.ends(exitCancelled)
	s.sees("a mistake")
}

// At its deadline a question goes away too (law H4).
func TestH4_TerminalDeadline(t *testing.T) {
	t.Parallel()
	recipe := strings.Replace(refund, "options:", "timeout_seconds: 1, on_timeout: {answer: reject}, options:", 1)
	s := sit(t, place(t, recipe), "run", ".")
	s.sees(toChoose)
	s.ends(exitCompleted)
	s.sees(`╰ answered by the deadline's default: "reject"`)
	s.sees("paid    0")
}

// Who has not the role is not asked, and told who may answer.
func TestTerminalRole(t *testing.T) {
	t.Parallel()
	recipe := strings.Replace(refund, "options:", "required_role: manager, options:", 1)
	dir := place(t, recipe)
	s := sit(t, dir, "run", ".", "--id", "r")
	s.ends(exitPaused)
	s.sees("approve, reject · waits for the role manager")
	s.sees("fermata resume r --role manager ")
	s = sit(t, dir, "resume", "r", "--role", "manager")
	s.sees(toChoose)
	s.types("a", enter)
	s.ends(exitCompleted)
}

// Who has started a run is not asked what needs a second person, and is told so, and how that one answers: in another
// place, or here.
func TestH6_TerminalFourEyes(t *testing.T) {
	t.Parallel()
	recipe := strings.Replace(refund, "options:", "required_role: manager, four_eyes: true, options:", 1)
	dir := place(t, recipe)
	s := sit(t, dir, "run", ".", "--id", "r", "--role", "manager")
	s.ends(exitPaused)
	s.shows(`
  refund  r

  ✓ look
  ✓ gate               → review
  ◆ review             waits for the role manager

  paused · waits for 1 answer

  review  Refund 120?
  approve, reject · waits for the role manager
  not asked here: it needs a second person
  fermata tasks answer int_ID --value '"approve"' --role mana
ger --as SOMEBODY --resume

  fermata tasks show int_ID           the whole question
  fermata resume r --role manager --as SOMEBODY
`)
	s = sit(t, dir, "resume", "r", "--role", "manager", "--as", "ada")
	s.sees(toChoose)
	s.types("a", enter)
	s.ends(exitCompleted)
}

func TestTerminalNoInput(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, refund), "run", ".", "--no-input")
	s.ends(exitPaused)
	s.sees("--value '\"approve\"' --resume")
}

const intake = `
metadata: {name: intake}
interface: {outputs: {ask: {}}}
topology:
  entry_point: ask
  nodes:
    - type: human
      id: ask
      prompt: "Who takes it?"
      response:
        type: object
        required: [urgent, owner]
        properties:
          urgent: {type: boolean, title: "Is it urgent?"}
          owner: {type: object, required: [name], properties: {name: {type: string, minLength: 2}}}
          share: {type: integer, maximum: 100}
          tags: {type: array, items: {enum: [api, docs]}}
          note: {type: string, maxLength: 999}
`

// A form from the schema: what does not fit is said where it was typed, and what was typed is still there.
func TestTerminalForm(t *testing.T) {
	t.Parallel()
	dir := place(t, intake)
	if err := os.WriteFile(filepath.Join(dir, "editor"), []byte("#!/bin/sh\necho 'from the editor' > \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := sit(t, dir, "$EDITOR="+filepath.Join(dir, "editor"), "run", ".")
	s.sees("Is it urgent?")
	s.sees("share (optional)")
	const name, yesNo, note, share, tags = "\n  enter next · ctrl+d", toChoose, "ctrl+e editor", "\n  enter next · ctrl+d", "space toggle"
	step := func(focus string, keys ...string) { // what the keys do is said below the form
		s.sees(focus)
		s.types(keys...)
	}
	step(name, "K", enter)
	s.sees("expected at least 2 characters, found 1")
	step(name, "im", enter)
	step(yesNo, "y", enter)
	step(note, ctrlE)
	s.sees("from the editor")
	step(note, enter)
	step(share, "300", enter)
	s.sees("expected at most 100, found 300")
	step(share, "\x7f", enter)
	step(tags, space, enter)
	s.ends(exitCompleted)
	s.shows(`
  intake  run_ID

  ╭ ask
  │
  │ Who takes it?
  │
  │ owner
  │   name  Kim
  │
  │ urgent  true
  │
  │ note
  │   from the editor
  │
  │ share   30
  ╰ tags    api

  ✓ ask

  completed in

  ask
    note
      from the editor

    owner
      name  Kim

    share   30
    tags    api
    urgent  true

  fermata trace run_ID  what happened, step by step
`)
}

// Where nothing can be redrawn, questions are asked line by line.
func TestTerminalDumb(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, refund), "$TERM=dumb", "run", ".")
	s.sees("1-2 >")
	s.types("perhaps", enter)
	s.sees(`! no option "perhaps": approve or reject`)
	s.types("2", enter)
	s.ends(exitCompleted)
	if bytes.Contains(s.written(), []byte("\x1b")) {
		t.Errorf("a dumb terminal was sent escape sequences: %q", s.written())
	}
	s.sees("review  reject")
}

func (s *session) written() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.raw.Bytes())
}

// NO_COLOR is kept, by the form too.
func TestTerminalNoColor(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, refund), "$NO_COLOR=1", "run", ".")
	s.sees(toChoose)
	s.types("a", enter)
	s.ends(exitCompleted)
	if colour := regexp.MustCompile(`\x1b\[[0-9;]*(3[0-7]|9[0-7]|38;|48;)[0-9;]*m`).Find(s.written()); colour != nil {
		t.Errorf("a colour was sent: %q", colour)
	}
}

// What is typed before a question is seen does not answer it, and is not shown.
func TestTerminalTypedAhead(t *testing.T) {
	t.Parallel()
	recipe := strings.Replace(refund, `look: {kind: expr, set: {risk: "'high'"}}`,
		`look: {kind: exec, command: [sh, -c, "sleep 0.6; echo '{\"risk\": \"high\"}'"]}`, 1)
	s := sit(t, place(t, recipe), "run", ".")
	s.sees("· gate")
	s.types(enter, "x", enter, "y", enter)
	s.sees(toChoose)
	time.Sleep(200 * time.Millisecond)
	s.sees(toChoose)
	if text := s.screen.Text(); strings.Contains(text, "❯") {
		t.Errorf("an option is selected:\n%s", text)
	}
	s.types(ctrlD)
	s.ends(exitPaused)
	s.sees("╰ left for later")
	if text := s.screen.Text(); strings.Contains(text, "x") || strings.Contains(text, "y\n") {
		t.Errorf("what was typed is shown:\n%s", text)
	}
}

// Ctrl-C while a node runs stops driving; the run can go on (law F3).
func TestF3_TerminalStop(t *testing.T) {
	t.Parallel()
	recipe := strings.Replace(refund, `look: {kind: expr, set: {risk: "'high'"}}`,
		`look: {kind: exec, command: [sh, -c, "test -f go && echo '{\"risk\": \"high\"}' || sleep 60"]}`, 1)
	dir := place(t, recipe)
	s := sit(t, dir, "run", ".", "--id", "r")
	s.sees(" look ")
	s.types(ctrlC)
	s.ends(exitPaused)
	s.shows(`
  refund  r

  ■ look               not finished

  stopped · the run can go on where it is

  fermata resume r  go on
`)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere(t, dir, "resume", "r", "--answer", "review=approve")
}

// Cancelling a run in the middle of a call says that the call may have had its effect; of one that waits it does not.
func TestTerminalCancelInFlight(t *testing.T) {
	t.Parallel()
	dir := place(t, strings.Replace(refund, `look: {kind: expr, set: {risk: "'high'"}}`, `look: {kind: exec, command: [sleep, "60"]}`, 1))
	s := sit(t, dir, "run", ".", "--id", "r")
	s.sees(" look ")
	s.types(ctrlC)
	s.ends(exitPaused)
	if got := elsewhere(t, dir, "runs", "cancel", "r"); !strings.Contains(got, "look had begun and not finished: its calls may have had their effect") {
		t.Errorf("cancelled in flight: %s", got)
	}
	waits := place(t, refund)
	sit(t, waits, "run", ".", "--id", "r", "--no-input").ends(exitPaused)
	if got := elsewhere(t, waits, "runs", "cancel", "r"); strings.Contains(got, "warning") {
		t.Errorf("cancelled while it waits: %s", got)
	}
}

// A question may be answered at the terminal without its run.
func TestTerminalTasksAnswer(t *testing.T) {
	t.Parallel()
	dir := place(t, refund)
	s := sit(t, dir, "run", ".", "--id", "r", "--no-input")
	s.ends(exitPaused)
	id := regexp.MustCompile(`int_\S+`).FindString(elsewhere(t, dir, "tasks"))
	s = sit(t, dir, "tasks", "answer", id)
	s.sees(toChoose)
	s.types(ctrlD)
	s.ends(exitPaused)
	s = sit(t, dir, "tasks", "answer", id, "--resume")
	s.sees(toChoose)
	s.types("a", enter)
	s.ends(exitCompleted)
	s.sees("paid    120")
}

// A question of yes or no is answered by what is typed: "false" is no.
func TestTerminalYesOrNo(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ typed, want string }{{"false", "false"}, {"no", "false"}, {"y", "true"}} {
		s := sit(t, place(t, `
metadata: {name: yes}
interface: {outputs: {ask: {type: boolean}}}
entry_point: ask
nodes: [{type: human, id: ask, prompt: "Go on?", response: {type: boolean}}]
`), "run", ".")
		s.sees(toChoose)
		s.types(enter)
		s.sees("nothing is chosen")
		s.types(strings.Split(tc.typed, "")...)
		s.types(enter)
		s.ends(exitCompleted)
		s.sees("ask  " + tc.want)
	}
}

// A declared default is selected, and called so.
func TestTerminalDefault(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, strings.Replace(refund, "options: [approve, reject]", "response: {enum: [approve, reject], default: reject}", 1)), "run", ".")
	s.sees("❯ reject (default)")
	s.types("m")
	s.sees(`no option "m": approve or reject`)
	s.types("\x7f", down, enter)
	s.ends(exitCompleted)
	s.sees("paid    120")
}

// The problems of a recipe come with the line and a caret.
func TestTerminalValidate(t *testing.T) {
	t.Parallel()
	dir := place(t, "topology:\n  entry_point: ask\n  nodes: [{type: human, id: ask, prompt: Go on?, promt: 1}]\n")
	s := sit(t, dir, "validate", ".")
	s.ends(exitInvalid)
	s.shows(`recipe.yaml:3:50: unknown key "promt"; did you mean "prompt"?
      nodes: [{type: human, id: ask, prompt: Go on?, promt: 1}]
                                                     ^
`)
}
