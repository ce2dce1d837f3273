package recipe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/node"
)

// Bounds of what programs and web services say.
const (
	maxOutput    = 16 << 20 // of an output
	keptStderr   = 64 << 10 // of the diagnostic output: its end
	shownStderr  = 4 << 10  // of it, in events and errors
	shownLines   = 20
	shownOutput  = 200             // characters of an output that is not JSON
	pipeDelay    = 2 * time.Second // how long a program's children may hold its pipes after it has ended
	keyVariable  = "FERMATA_IDEMPOTENCY_KEY"
	stepExec     = "exec"
	stepHTTP     = "http"
	diagnosticOf = "stderr"
)

// outcome is what is recorded of a call of the outside world (law J5).
type outcome struct {
	Output json.RawMessage `json:"output,omitempty"`
	Stderr string          `json:"stderr,omitempty"`
}

// diagnostic is the event that shows what a program wrote to its diagnostic output.
type diagnostic struct {
	Agent  string `json:"agent"`
	Stderr string `json:"stderr"`
}

// outside calls the outside world within a recorded step: once, as far as a crash allows.
func (a *agent) outside(ctx node.Context, key string, call func(node.Context) (outcome, error)) (any, error) {
	var options []node.StepOption
	if a.once {
		options = append(options, node.AtMostOnce())
	}
	made, err := node.Step(ctx, key, func(ctx node.Context) (outcome, error) {
		made, err := call(ctx)
		if err == nil {
			made.Output, err = a.private.output(made.Output)
		}
		return made, err
	}, options...)
	if err != nil {
		return nil, err
	}
	if made.Stderr != "" {
		if err := node.Emit(ctx, node.EventDiagnostic, diagnostic{Agent: a.name, Stderr: made.Stderr}); err != nil {
			return nil, err
		}
	}
	if len(made.Output) == 0 {
		return nil, nil
	}
	return document.Decode(made.Output)
}

// execKind are agents that run programs.
var execKind = &agentKind{
	name: "exec", does: "runs a program", keys: []string{"input", "output", "command", "env", "timeout_seconds", "at_most_once"},
	outside: true, tool: true, read: readExec,
}

// execAgent runs a program.
type execAgent struct {
	*agent
	command
	inherit bool     // env is not there: the program has the environment of this one
	environ []string // what it has otherwise
}

func readExec(a *agent, o *document.Object) work {
	w := &execAgent{agent: a, command: readCommand(o), inherit: !o.Has("env")}
	switch {
	case !o.Has("command"):
		o.Need("command", "a list: the program and its arguments")
	case o.IsEmptyList("command"):
		o.Report.Add(o.At("command"), emptyCommand)
	case len(w.words) > 0 && w.words[0].Text == "":
		o.Report.Add(w.words[0].Spot, "the program's name is empty")
	}
	w.warnTemplates(o.Report)
	a.timeout = o.Seconds()
	a.once = o.Flag("at_most_once")
	return w
}

// likeTemplate finds what a template of a recipe would fill in. Templates of other programs begin with a dot ({{.Names}}).
var likeTemplate = regexp.MustCompile(`\{\{\s*[\pL_][^{}]*\}\}`)

// warnTemplates warns of arguments and variables that look like templates: the program is given them as they are.
func (a *execAgent) warnTemplates(r *document.Report) {
	warn := func(w document.Word, what string) {
		if found := likeTemplate.FindString(w.Text); found != "" {
			r.Warn(w.Spot, "%s is no template: the program is given %s as it stands. It gets the arguments of the agent as JSON on standard input (inputs_map says which)",
				what, document.Quote(found))
		}
	}
	for i, w := range a.words {
		if i > 0 {
			warn(w, "an argument of a program")
		}
	}
	for _, p := range a.env {
		warn(p.Value, "a variable of the environment")
	}
}

func (a *execAgent) expand(x *expansion, _ bool) {
	a.environ = a.command.expand(x)
	if a.inherit {
		x.inherit(inherited(os.Environ()))
	}
}

// caller calls the program: a JSON object on its standard input, JSON on its standard output.
func (a *execAgent) caller(c *checked, _ *step) caller {
	dir := c.dir
	return func(ctx node.Context, args map[string]any) (any, error) {
		input, err := document.Encode(args)
		if err != nil {
			return nil, definite{err}
		}
		return a.outside(ctx, stepExec, func(ctx node.Context) (outcome, error) {
			return a.execute(ctx, dir, input)
		})
	}
}

// execute runs the program once. When its time is up, or ctx is done, it and all its children are killed.
func (a *execAgent) execute(ctx context.Context, dir string, input []byte) (outcome, error) {
	outer := ctx
	if a.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, a.timeout)
		defer stop()
	}
	ctx, kill := context.WithCancel(ctx)
	defer kill()
	cmd := exec.CommandContext(ctx, a.argv[0], a.argv[1:]...)
	cmd.Dir = dir
	cmd.Env = a.environ
	if a.inherit {
		cmd.Env = inherited(os.Environ())
	}
	cmd.Env = append(cmd.Env, keyVariable+"="+node.IdempotencyKey(outer))
	cmd.WaitDelay = pipeDelay
	defer setInput(cmd, append(input, '\n'))()
	stdout := &head{limit: maxOutput, full: kill}
	stderr := &tail{limit: keptStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ownGroup(cmd)
	release := endWithThis(cmd)
	err := cmd.Run()
	release()
	said := a.evidence(stderr)
	switch {
	case outer.Err() != nil:
		return outcome{}, a.fault(outer.Err().Error(), said) // the step is not recorded: it stays begun
	case cmd.Process == nil:
		return outcome{}, a.fault("it could not be run: "+err.Error(), said)
	case stdout.over:
		return outcome{}, a.unsettled(fmt.Sprintf("it wrote more than %d bytes to its standard output; "+
			"write what is larger to a file and give its path", maxOutput), said)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return outcome{}, a.unsettled(fmt.Sprintf("it took longer than timeout_seconds (%s) and was killed", a.timeout), said)
	case errors.Is(err, exec.ErrWaitDelay):
		killGroup(cmd) // it ended well; a child of it still holds the pipes
	case err != nil && ended(err):
		return outcome{}, a.fault(exitText(err), said)
	case err != nil:
		return outcome{}, a.unsettled(exitText(err), said)
	}
	output, err := a.parse(stdout.buf, "standard output")
	if err != nil {
		return outcome{}, a.unsettled(err.Error(), said)
	}
	return outcome{Output: output, Stderr: said}, nil
}

// unsettled is the error of a call that may have had its effect: of an agent with at_most_once its outcome is unknown
// (law J5), of any other it is a failure.
func (a *agent) unsettled(message, said string) error {
	if !a.once {
		return a.fault(message, said)
	}
	return &unknownOutcome{a.fault(node.ErrOutcomeUnknown.Error()+": "+message, said)}
}

// unknownOutcome marks the error of a call whose outcome was lost.
type unknownOutcome struct{ error }

// Is reports whether target is ErrOutcomeUnknown.
func (e *unknownOutcome) Is(target error) bool { return target == node.ErrOutcomeUnknown }

// Exit codes by which shells say that a program was killed by a signal: 128 and its number.
const (
	firstKilled = 129
	lastKilled  = 159
)

// ended reports whether a program has ended by itself, with an exit code of its own.
func ended(err error) bool {
	ee, ok := errors.AsType[*exec.ExitError](err)
	return ok && ee.ExitCode() >= 0 && (ee.ExitCode() < firstKilled || ee.ExitCode() > lastKilled)
}

// fault is an error of an agent, without secrets, with what it said last.
func (a *agent) fault(message, said string) error {
	text := a.secrets.text(message)
	if said != "" {
		text += "; it said last:\n" + said
	}
	return fmt.Errorf("agent %q: %s", a.name, text)
}

// exitText says how a program ended.
func exitText(err error) string {
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		if code := ee.ExitCode(); code >= 0 {
			return fmt.Sprintf("it ended with exit code %d", code)
		}
		return "it ended by " + ee.ProcessState.String()
	}
	return "it could not be waited for: " + err.Error()
}

// evidence is the end of the diagnostic output: whole lines, without secrets.
func (a *agent) evidence(t *tail) string {
	text := plainText(a.secrets.text(string(t.buf)))
	cut := t.dropped
	if len(text) > shownStderr {
		text, cut = text[len(text)-shownStderr:], true
		for !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	lines := strings.Split(strings.TrimRight(text, "\r\n \t"), "\n")
	if cut && len(lines) > 1 {
		lines = lines[1:] // the first is a piece
	}
	if len(lines) > shownLines {
		lines = lines[len(lines)-shownLines:]
	}
	return strings.Join(lines, "\n")
}

// parse checks an output: one JSON value, or nothing.
func (a *agent) parse(data []byte, where string) (json.RawMessage, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil, nil
	}
	if _, err := document.Decode(data); err != nil {
		return nil, fmt.Errorf("expected JSON in its %s (%w), found: %s", where, plainJSONError(err), a.firstPart(data))
	}
	return json.RawMessage(data), nil
}

// firstPart is the beginning of what a program or a service said, for an error.
func (a *agent) firstPart(data []byte) string {
	text := []rune(plainText(a.secrets.text(string(data[:min(len(data), keptStderr)]))))
	if len(text) > shownOutput {
		return string(text[:shownOutput]) + "…"
	}
	return string(text)
}

// escapes are the sequences that steer terminals.
var escapes = regexp.MustCompile("\x1b(\\[[^A-Za-z~@]*[A-Za-z~@]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|.)")

// plainText is what somebody else wrote, as text that cannot steer a terminal.
func plainText(s string) string {
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || !unicode.IsControl(c) {
			return c
		}
		return -1
	}, s)
}

// plainJSONError is the decoder's error for people.
func plainJSONError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle")
	}
	return err
}

// head keeps a stream up to a limit; beyond it calls full and fails.
type head struct {
	buf   []byte
	limit int
	over  bool
	full  func()
}

func (h *head) Write(p []byte) (int, error) {
	if len(h.buf)+len(p) > h.limit {
		h.over = true
		h.full()
		return 0, io.ErrShortWrite
	}
	h.buf = append(h.buf, p...)
	return len(p), nil
}

// tail keeps the end of a stream.
type tail struct {
	buf     []byte
	limit   int
	dropped bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*t.limit {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.limit:]...)
		t.dropped = true
	}
	return len(p), nil
}
