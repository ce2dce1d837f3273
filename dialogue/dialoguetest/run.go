package dialoguetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/definitiontest"
)

// Run runs the tests of all dialogues under the paths (see [Find]), each as a subtest. The subtest has the names of the
// file, of the test and of the NLU. A dialogue that is not valid, and paths without any test, fail t.
func Run(t *testing.T, opts Options, paths ...string) {
	t.Helper()
	definitiontest.Run(t, "dialogue", Find, func(t *testing.T, file string) ([]definitiontest.Outcome, error) {
		t.Helper()
		report, err := Check(t.Context(), file, opts)
		if err != nil {
			return nil, err
		}
		all, crashes := make([]definitiontest.Outcome, len(report.Results)), 0
		for i := range all {
			all[i] = report.Results[i].outcome()
			crashes += report.Results[i].Crashes
		}
		t.Logf("%d conversations, %d crashes", len(all), crashes)
		return all, nil
	}, paths...)
}

func (r *Result) outcome() definitiontest.Outcome {
	return definitiontest.Outcome{
		Name:  r.Test.Name + "/" + string(r.NLU),
		Wrong: slices.Concat(definitiontest.Words(r.Failures), definitiontest.Words(r.Broken)),
		Story: "the conversation:\n" + r.Transcript(),
	}
}

// Line is a line of a conversation as people read it.
type Line struct {
	Text  string
	Aside bool // nobody has said it: what was understood, and what was done
	Wrong bool // it is not what the test says
}

// Transcript is the conversation as it went.
func (r *Result) Transcript() string {
	var b strings.Builder
	for _, l := range r.Lines() {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// Lines are the conversation as it went, line by line: what was said, understood and done.
func (r *Result) Lines() []Line {
	var all []Line
	for i, x := range r.Talk {
		line := x.Line
		if line == nil && i == 0 && len(r.Test.Talk) > 0 && r.Test.Talk[0].Opening {
			line = &r.Test.Talk[0]
		}
		wrong := func(what string) bool {
			return line != nil && slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Line == line.Line && f.What == what })
		}
		if x.Line != nil {
			all = append(all, Line{Text: "> " + x.heading()})
		}
		if len(x.Commands) > 0 || wrong("commands") {
			all = append(all, Line{Text: "    " + CommandsText(x.Commands), Aside: true, Wrong: wrong("commands")})
		}
		for _, c := range x.Calls {
			all = append(all, Line{Text: "    called " + c.Action + " " + text(c.With), Aside: true, Wrong: wrong("calls")})
		}
		for _, told := range x.told {
			all = append(all, Line{Text: "    (" + told + ")", Aside: true})
		}
		for n, s := range x.Said {
			bad := wrong("bot") && !line.SaysAt(n, s.Prompt)
			all = append(all, Line{Text: "  " + s.Prompt, Wrong: bad})
		}
	}
	return all
}

// heading is what was said, behind the language that was said with it.
func (x *Exchange) heading() string {
	if tag := x.Line.Language; tag != "" {
		return strings.TrimSpace("(" + tag + ") " + x.said())
	}
	return x.said()
}

func (x *Exchange) said() string {
	switch l := x.Line; {
	case l.Event != nil:
		return "(event) " + l.Event.Name
	case l.Silence:
		return "(silence)"
	case len(l.Press) > 0:
		return "(pressed)"
	case l.Agent != "" || l.Done:
		return "(agent) " + l.Agent
	default:
		return l.User
	}
}
