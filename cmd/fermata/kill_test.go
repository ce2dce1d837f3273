package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // its own check of a file

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/programs"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/schema"
)

// built holds the real programs: they are compiled for the first test that needs them, and removed by the last.
var built struct {
	sync.Mutex
	users int
	dir   string
	err   error
}

// program is the path of a program that is compiled for the tests: fermata, the release example's inspect, or the server
// of the gallery's mcp-lookup. Call it before t.Parallel: so it is compiled once for all.
func program(t testing.TB, name string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell and signals")
	}
	built.Lock()
	defer built.Unlock()
	if built.users++; built.users == 1 {
		built.dir, built.err = compile()
	}
	t.Cleanup(func() {
		built.Lock()
		defer built.Unlock()
		if built.users--; built.users == 0 {
			_ = os.RemoveAll(built.dir)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, name)
}

// compile builds all three.
func compile() (string, error) {
	dir, err := os.MkdirTemp("", "fermata")
	if err != nil {
		return "", err
	}
	return dir, programs.Build(context.Background(), dir, ".", "../../examples/release/inspect", "../../examples/recipes/mcp-lookup/server")
}

// exploring reports whether there is time for more: FERMATA_EXPLORE is set.
func exploring() bool { return os.Getenv("FERMATA_EXPLORE") != "" }

// thorough is how often something is done: often enough in a hurry, or as often as whoever explores may want.
func thorough(normal, exploration int) int {
	if exploring() {
		return exploration
	}
	return normal
}

// dice are the same in every run of a test, unless FERMATA_SEED says otherwise.
func dice(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("FERMATA_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("FERMATA_SEED: %v", err)
		}
	}
	return rand.New(rand.NewPCG(seed, 0))
}

// desk is a folder with recipes and a store, where the real command is typed.
type desk struct {
	t       testing.TB
	fermata string
	dir     string
	env     []string
	alive   *os.File // the pipe that all effects hold
	store   string   // the address of a server; "" for the file runs.db
}

// newDesk lays out the recipes of testdata/kill.
func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, fermata: program(t, "fermata"), dir: t.TempDir()}
	d.env = append(os.Environ(), "HOME="+d.dir, "FERMATA_STORE=runs.db", "USER=tester", "NO_COLOR=1")
	if err := os.CopyFS(d.dir, os.DirFS(filepath.Join("testdata", "kill"))); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", d.path("alive")).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v\n%s", err, out)
	}
	var err error
	if d.alive, err = os.OpenFile(d.path("alive"), os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.alive.Close() })
	return d
}

// on puts the desk's store on a server of a kind; "sqlite" is the file that it has.
func (d *desk) on(kind string) {
	d.t.Helper()
	if kind == "sqlite" {
		return
	}
	d.store = testserver.Address(d.t, kind)
	d.env = append(d.env, "FERMATA_STORE="+d.store)
}

// storeKinds are where the tests that kill keep their runs.
func storeKinds() []string { return append([]string{"sqlite"}, testserver.Kinds()...) }

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

// moment is when a process is killed: some time after it has written so many lines.
type moment struct {
	lines int
	wait  time.Duration
}

// ending is what became of a process.
type ending struct {
	args   []string
	lines  []string // whole lines of stdout
	stderr string
	code   int
	killed bool
}

func (e *ending) String() string {
	return fmt.Sprintf("fermata %s: exit code %d\n%s\n%s", strings.Join(e.args, " "), e.code, strings.Join(e.lines, "\n"), e.stderr)
}

// typed runs the command to its end.
func (d *desk) typed(args ...string) *ending {
	d.t.Helper()
	return d.until(nil, args...)
}

// until runs the command to its end, or kills it at a moment.
func (d *desk) until(m *moment, args ...string) *ending {
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.fermata, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	end := &ending{args: args}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Error(err)
		return end
	}
	kill := func() { _ = cmd.Process.Kill() } // it may have ended
	var timer *time.Timer
	if m != nil && m.lines == 0 {
		timer = time.AfterFunc(m.wait, kill)
	}
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			break // a piece of a line is nothing that was said
		}
		end.lines = append(end.lines, strings.TrimSuffix(line, "\n"))
		if m != nil && len(end.lines) == m.lines {
			timer = time.AfterFunc(m.wait, kill)
		}
	}
	err = cmd.Wait()
	if timer != nil {
		timer.Stop()
	}
	end.stderr, end.code = stderr.String(), cmd.ProcessState.ExitCode()
	end.killed = end.code < 0
	if d.t.Context().Err() != nil {
		return end // the test is over
	}
	if end.killed && (m == nil || ctx.Err() != nil) || !end.killed && err != nil && !errors.As(err, new(*exec.ExitError)) {
		d.t.Errorf("%v\n%v", err, end)
	}
	return end
}

// outcome is the last line of --json.
type outcome struct {
	Type       string
	Run        string
	Status     fermata.Status
	Outputs    json.RawMessage
	Interrupts []question
	Error      *struct{ Code, Message string }
}

// question is what a run asks.
type question struct {
	ID       string          `json:"requestId"`
	Task     string          `json:"task"`
	Role     string          `json:"requiredRole"`
	Assignee string          `json:"assignee"`
	Options  []string        `json:"options"`
	Kind     string          `json:"kind"`
	Form     json.RawMessage `json:"responseSchema"`
}

// result reads the last line.
func (e *ending) result() (outcome, error) {
	var r outcome
	if len(e.lines) == 0 {
		return r, fmt.Errorf("expected a result, found nothing: %v", e)
	}
	err := json.Unmarshal([]byte(e.lines[len(e.lines)-1]), &r)
	if err == nil && r.Type != "result" {
		err = fmt.Errorf("expected a result, found type %q", r.Type)
	}
	if err != nil {
		err = fmt.Errorf("%w: %v", err, e)
	}
	return r, err
}

// fact is a durable event, as it is written.
type fact struct {
	Seq  uint64         `json:"seq"`
	Sub  uint32         `json:"sub"`
	At   time.Time      `json:"ts"`
	Run  string         `json:"run"`
	Task string         `json:"task"`
	Op   string         `json:"opId"`
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
}

// facts are the events of a run: well-formed, numbered from 1, without a gap.
func (d *desk) facts(run string) []fact {
	d.t.Helper()
	return readFacts(d.t, run, d.events(run))
}

// events are the lines that tell the events of a run.
func (d *desk) events(run string) []string {
	d.t.Helper()
	end := d.typed("events", run, "--json")
	if end.code != exitCompleted {
		d.t.Fatalf("the events cannot be read: %v", end)
	}
	return end.lines
}

// readFacts reads the events of a run from what was written of them.
func readFacts(t testing.TB, run string, lines []string) []fact {
	t.Helper()
	envelope, err := schema.Parse(eventSchema())
	if err != nil {
		t.Fatal(err)
	}
	list := make([]fact, len(lines))
	for i, line := range lines {
		if err := errors.Join(envelope.Check([]byte(line)), json.Unmarshal([]byte(line), &list[i])); err != nil {
			t.Fatalf("event %d: %v\n%s", i+1, err, line)
		}
		if list[i].Seq != uint64(i)+1 || list[i].Sub != 0 || list[i].Run != run {
			t.Fatalf("event %d of run %s has seq %d.%d, run %s", i+1, run, list[i].Seq, list[i].Sub, list[i].Run)
		}
	}
	return list
}

// once checks what no death may change: each task ends once, each call has one success, each question is asked and
// answered once, and a try is not made before its time (laws J4, J5, H2, F1).
func once(t testing.TB, list []fact) {
	t.Helper()
	seen, over, due := make(map[string]uint64), make(map[string]uint64), make(map[string]float64)
	only := func(f *fact, what string) {
		if seq, ok := seen[what]; ok {
			t.Errorf("%s: at seq %d and again at seq %d", what, seq, f.Seq)
		}
		seen[what] = f.Seq
	}
	for i := range list {
		f := &list[i]
		if seq, ok := over[f.Task]; ok && f.Task != "" && f.Type != "route.taken" && f.Type != "interrupt.resolved" {
			t.Errorf("task %s was over at seq %d, and then came %s at seq %d", f.Task, seq, f.Type, f.Seq)
		}
		switch f.Type {
		case "run.started", "run.finished":
			only(f, f.Type)
		case "node.finished":
			over[f.Task] = f.Seq
		case "node.retrying":
			due[f.Task], _ = f.Data["retryAt"].(float64)
		case "node.started":
			only(f, fmt.Sprintf("attempt %v of %s", f.Data["attempt"], f.Task))
			if at := float64(f.At.UnixMicro()); at < due[f.Task] {
				t.Errorf("%s was tried again %.0f microseconds early, at seq %d", f.Task, due[f.Task]-at, f.Seq)
			}
		case "step.finished":
			step := fmt.Sprintf("%s, %v", f.Op, f.Data["step"]) // an operation of several steps has one id
			only(f, fmt.Sprintf("the outcome of %s in attempt %v", step, f.Data["attempt"]))
			if f.Data["error"] == nil {
				only(f, "the success of "+step)
			}
		case "interrupt":
			only(f, fmt.Sprintf("the question of %s, %v", f.Task, f.Data["op"]))
			if f.Data["resumeToken"] != nil {
				t.Errorf("the token of %s is told twice", f.Op)
			}
		case "interrupt.resolved":
			only(f, "the end of "+f.Op)
		}
	}
	if n := len(list); n == 0 || list[0].Type != "run.started" || list[n-1].Type != "run.finished" {
		t.Errorf("%d events do not go from run.started to run.finished", n)
	}
}

// story is what a run came to, one line for each outcome, without what differs from run to run.
func story(list []fact) string {
	var b strings.Builder
	for i := range list {
		f := list[i]
		if f.Type == "step.finished" && f.Data["error"] != nil {
			continue // how often something failed depends on the outside world
		}
		switch f.Type {
		case "node.finished", "node.failed", "route.taken", "step.finished", "run.finished":
		case "interrupt", "interrupt.resolved":
			f.Op = ""
			for _, name := range []string{"requestId", "run", "opened", "deadline", "by"} {
				delete(f.Data, name)
			}
		default:
			continue
		}
		for _, name := range []string{"base", "attempt", "stack"} {
			delete(f.Data, name)
		}
		data, err := json.Marshal(f.Data)
		if err != nil {
			data = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", f.Type, f.Task, f.Op, data)
	}
	return b.String()
}

// effects are what the programs of a run have left: for each idempotency key, without the run in front, what they were
// called with, and how often.
func (d *desk) effects(run string) map[string]map[string]int {
	d.t.Helper()
	return d.effectsOfAll()[run]
}

// effectsOfAll are the effects of every run.
func (d *desk) effectsOfAll() map[string]map[string]map[string]int {
	d.t.Helper()
	text, err := os.ReadFile(d.path("effects"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
	found := make(map[string]map[string]map[string]int)
	for line := range strings.Lines(string(text)) {
		key, input, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		run, key, known := strings.Cut(key, "/")
		if !ok || !known {
			d.t.Errorf("expected an effect with its key, found %q", line)
		}
		if found[run] == nil {
			found[run] = make(map[string]map[string]int)
		}
		if found[run][key] == nil {
			found[run][key] = make(map[string]int)
		}
		found[run][key][input]++
	}
	return found
}

// compareEffects checks law J5: what happens without a death happened, with the same input and under the same key; and
// not more than once more for each process that died, or that had lost the run and could not know it. A call that a limit
// of time cuts short may leave no effect: its program may not have come so far.
func compareEffects(t testing.TB, want, got map[string]map[string]int, lost int) {
	t.Helper()
	more := 0
	for key, inputs := range got {
		for input, n := range inputs {
			was := want[key][input]
			if isCut(key) {
				was = max(was, 1)
			}
			if was == 0 {
				t.Errorf("effect %s with %s happens in no run without a death", key, input)
			}
			more += max(n-was, 0)
		}
	}
	for key, inputs := range want {
		for input, n := range inputs {
			if got[key][input] < n && !isCut(key) {
				t.Errorf("effect %s with %s happened %d times; without a death %d", key, input, got[key][input], n)
			}
		}
	}
	if more > lost {
		t.Errorf("%d processes died or lost the run, and there were %d effects too many", lost, more)
	}
}

// isCut reports whether the call with an idempotency key is one of order.yaml's hang.sh, which ends by a limit of time.
func isCut(key string) bool { return strings.HasPrefix(key, "track") }

// left checks what the processes leave behind: a database that is whole, and no program that runs on.
func (d *desk) left() {
	d.t.Helper()
	if d.store == "" {
		d.whole()
	}
	pipe, err := os.Open(d.path("alive"))
	if err == nil {
		err = d.alive.Close()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(pipe) // to its end: nobody holds the other side any more
		ended <- errors.Join(err, pipe.Close())
	}()
	select {
	case err := <-ended:
		if err != nil {
			d.t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		d.t.Error("a program that a process has started is still there")
	}
}

// whole checks the file of a store with SQLite's own check.
func (d *desk) whole() {
	d.t.Helper()
	db, err := sql.Open("sqlite", d.path("runs.db"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var verdict string
	if err := db.QueryRowContext(d.t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		d.t.Errorf("the database is damaged: %s, %v", verdict, err)
	}
}

// errand is a run that is brought to its end by processes that die.
type errand struct {
	*desk
	id     string
	start  []string                 // the command that begins it
	flags  func(e *errand) []string // for each process that drives it; nil for none
	answer func(q question) string  // by processes of their own
	dice   *rand.Rand
	most   int           // deaths
	span   time.Duration // how long a process lives at most before it dies

	deaths  int
	lives   int
	longest time.Duration // of all lives
	printed []*ending
	follow  chan struct{} // closed when the reader of the run's events has ended
	seen    *ending       // what that saw
}

// watch lets another process read the run's events as they come.
func (e *errand) watch() {
	e.follow = make(chan struct{})
	go func() {
		defer close(e.follow)
		e.seen = e.typed("events", e.id, "--json", "--follow")
	}()
	e.t.Cleanup(func() { <-e.follow })
}

// next is when the next process dies; nil for one that lives.
func (e *errand) next() *moment {
	switch {
	case e.deaths >= e.most || e.dice.IntN(8) == 0:
		return nil
	case e.dice.IntN(2) == 0:
		return &moment{wait: time.Duration(e.dice.Int64N(int64(e.span)))}
	}
	return &moment{lines: 1 + e.dice.IntN(8), wait: time.Duration(e.dice.Int64N(int64(4 * time.Millisecond)))}
}

// process is one life.
func (e *errand) process(args ...string) *ending {
	if e.flags != nil && args[0] != "tasks" {
		args = append(slices.Clone(args), e.flags(e)...)
	}
	began := time.Now()
	end := e.until(e.next(), args...)
	e.longest = max(e.longest, time.Since(began))
	if e.lives++; end.killed {
		e.deaths++
	}
	e.printed = append(e.printed, end)
	return end
}

// exists reports whether the run was recorded before the process that should begin it died.
func (e *errand) exists() bool {
	end := e.typed("runs", "show", e.id, "--json")
	if end.code != exitCompleted && end.code != exitUsage {
		e.t.Errorf("is there a run? %v", end)
	}
	return end.code == exitCompleted
}

// finish brings the run to its end and returns its result.
func (e *errand) finish() outcome {
	e.t.Helper()
	var asked *question
	for begun := false; e.lives < 100*(e.most+10); {
		args := e.start
		switch {
		case asked != nil:
			who := asked.Assignee
			if who == "" {
				who = "somebody at " + asked.Task
			}
			args = []string{"tasks", "answer", asked.ID, "--value", e.answer(*asked), "--role", asked.Role, "--as", who, "--json"}
			if e.dice.IntN(2) == 0 {
				args = append(args, "--resume")
			}
		case begun:
			args = []string{"resume", e.id, "--json"}
		}
		end := e.process(args...)
		if begun = begun || !end.killed || e.exists(); begun && e.follow == nil {
			e.watch()
		}
		switch {
		case end.killed:
			if asked != nil && e.dice.IntN(2) == 0 {
				asked = nil // or the same answer is given again, whether it was taken or not
			}
			continue
		case args[0] == "tasks" && args[len(args)-1] != "--resume":
			if end.code != exitCompleted {
				e.t.Fatalf("the answer was not taken: %v", end)
			}
			asked = nil
			continue
		}
		result, err := end.result()
		if err != nil || result.Run != e.id || end.code != statusExits[result.Status] {
			e.t.Fatalf("exit code %d, status %q, %v\n%v", end.code, result.Status, err, end)
		}
		switch {
		case result.Status.Ended():
			return result
		case len(result.Interrupts) == 0 || e.answer == nil:
			e.t.Fatalf("it waits for %d answers: %v", len(result.Interrupts), end)
		}
		asked = &result.Interrupts[0]
	}
	e.t.Fatalf("%d processes, of which %d were killed, did not bring the run to its end", e.lives, e.deaths)
	return outcome{}
}

var tokens = regexp.MustCompile(`,?"resumeToken":"([^"]+)"`)

// inspect checks a run that is over by itself, and returns its facts.
func (e *errand) inspect(result outcome) []fact {
	e.t.Helper()
	lines := e.events(e.id)
	list := readFacts(e.t, e.id, lines)
	once(e.t, list)
	<-e.follow
	for _, end := range append(e.printed, e.seen) {
		e.told(end, lines)
	}
	if n := len(stored(e.seen.lines)); n != len(lines) || e.seen.code != exitCompleted {
		e.t.Errorf("who read all the time saw %d of %d events, exit code %d\n%s", n, len(lines), e.seen.code, e.seen.stderr)
	}
	if again := e.typed("resume", e.id, "--json"); again.code != statusExits[result.Status] || len(again.lines) != 1 {
		e.t.Errorf("resumed after its end: %v", again)
	} else if got, err := again.result(); err != nil || !cmp.Equal(result, got) {
		e.t.Errorf("resumed after its end it has another result: %v\n%s", err, cmp.Diff(result, got))
	}
	if n := len(e.events(e.id)); n != len(lines) {
		e.t.Errorf("resumed after its end it went on: %d events became %d", len(lines), n)
	}
	if open := e.typed("tasks", "ls", "--json"); len(open.lines) > 0 {
		e.t.Errorf("the run is over, and somebody is asked: %v", open)
	}
	if e.store == "" { // a server's files are not ours to read
		e.secrets()
	}
	e.left()
	return list
}

// stored are the lines of what is stored: without those of transient events, which have a sub of their own (law E2).
func stored(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		var f fact
		return json.Unmarshal([]byte(line), &f) == nil && f.Sub > 0
	})
}

// told checks what a process has written, dead or alive: nothing but what was stored before, in order, each once
// (laws J2, E1).
func (e *errand) told(end *ending, durable []string) {
	e.t.Helper()
	before, sub := 0, uint32(0)
	for _, line := range end.lines {
		var f fact
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			e.t.Errorf("%v: %v", err, end)
			return
		}
		if f.Seq == 0 { // a result, or the answer that was taken
			continue
		}
		if f.Sub > 0 { // what nobody stores follows what somebody has (law E2)
			if int(f.Seq) != before && before != 0 || f.Sub <= sub {
				e.t.Errorf("event %d.%d came after %d.%d", f.Seq, f.Sub, before, sub)
			}
			before, sub = int(f.Seq), f.Sub
			continue
		}
		if n := int(f.Seq); n > len(durable) || durable[n-1] != tokens.ReplaceAllString(line, "") {
			e.t.Errorf("a process wrote, as event %d of %d,\n%s", f.Seq, len(durable), line)
			return
		}
		if int(f.Seq) != before+1 && before != 0 {
			e.t.Errorf("event %d was followed by %d", before, f.Seq)
		}
		before, sub = int(f.Seq), 0
	}
}

// secrets checks that the tokens that were told are in no file of the store (law H5).
func (e *errand) secrets() {
	e.t.Helper()
	files, err := filepath.Glob(e.path("runs.db*"))
	if err != nil || len(files) == 0 {
		e.t.Fatalf("no store: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			e.t.Fatal(err)
		}
		for _, end := range e.printed {
			for _, m := range tokens.FindAllStringSubmatch(strings.Join(end.lines, "\n"), -1) {
				if bytes.Contains(data, []byte(m[1])) {
					e.t.Errorf("%s holds the token %s", name, m[1])
				}
			}
		}
	}
}

// orders is an errand through order.yaml, of some rounds.
func orders(t testing.TB, rounds int) *errand {
	t.Helper()
	return &errand{
		desk: newDesk(t), id: "r", span: 60 * time.Millisecond, dice: dice(t),
		start:  []string{"run", "order.yaml", "--id", "r", "--input", fmt.Sprint("rounds=", rounds), "--json", "--no-input"},
		answer: func(q question) string { return "fine, " + q.Task },
	}
}

// TestJ5_KilledAnywhere kills the processes that bring a run to its end, at any moment of theirs. It ends as one does
// that nobody kills; nothing is recorded twice, and an effect happens again only where the record of it was lost.
func TestJ5_KilledAnywhere(t *testing.T) {
	program(t, "fermata")
	t.Parallel()
	killedAnywhere(t, thorough(20, 500), func() *errand { return orders(t, 4) })
}

// killedAnywhere brings runs to their ends through a number of deaths, and compares them with one that nobody kills.
func killedAnywhere(t *testing.T, most int, begin func() *errand) {
	t.Helper()
	clean := begin()
	want := clean.finish()
	if want.Status != "completed" || want.Error != nil {
		t.Fatalf("without a death: %s, %+v", want.Status, want.Error)
	}
	wantStory := story(clean.inspect(want))
	wantEffects := clean.effects("r")
	throw := dice(t)
	for most > 0 {
		e := begin()
		e.dice, e.most = rand.New(rand.NewPCG(throw.Uint64(), 0)), most
		got := e.finish()
		most -= max(e.deaths, 1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the result differs (-without a death +with %d):\n%s", e.deaths, diff)
		}
		if diff := cmp.Diff(wantStory, story(e.inspect(got))); diff != "" {
			t.Errorf("the run went another way (-without a death +with %d):\n%s", e.deaths, diff)
		}
		compareEffects(t, wantEffects, e.effects("r"), e.deaths)
		t.Logf("%d processes, of which %d were killed", e.lives, e.deaths)
	}
}
