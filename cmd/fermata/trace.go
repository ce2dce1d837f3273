package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/recipe"
)

func (m *Main) traceCommand() *cobra.Command {
	var asJSON, full bool
	var other string
	c := &cobra.Command{
		Use:   "trace RUN",
		Short: "Show what happened in a run, step by step",
		Long: "Show what happened in a run: every try of every node, its duration, its changes, the people's answers, and the edge that " +
			"was taken next. The trace is made from the journal, at any time.",
		Example:           "fermata trace run_01939f2e\nfermata trace run_01939f2e --json\nfermata trace run_01939f2e --diff run_0193a1b7",
		Args:              oneRun,
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				t, err := m.traceOf(ctx, h, args[0])
				if err != nil {
					return err
				}
				if other != "" {
					b, err := m.otherTrace(ctx, h, other)
					if err != nil {
						return err
					}
					if d := recipe.DiffTraces(t, b); asJSON {
						m.writeLine(d)
					} else {
						m.showTraceDiff(d)
					}
					return nil
				}
				switch {
				case asJSON:
					m.writeLine(t)
				default:
					m.tell(t, full)
					m.showUntaken(untakenOf(t), fermata.Status(t.Outcome).Ended())
					return m.tellWhy(ctx, h, t)
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write it as one line of JSON")
	c.Flags().StringVar(&other, "diff", "", "compare it, step by step, with `another` run, or with a file that trace --json has written")
	c.Flags().BoolVar(&full, "full", false, "shorten nothing")
	return c
}

// teller tells a trace as a story.
type teller struct {
	m      *Main
	screen *term.Screen
	styles term.Styles
	glyphs term.Glyphs
	width  int  // columns for text
	indent int  // columns in front of it
	full   bool // shorten nothing
}

// fewLines is how many lines of a text a story has.
const fewLines = 6

// tell tells what happened: a line for each step with when, what and how long, and below it what came of it.
func (m *Main) tell(t *recipe.Trace, full bool) {
	s := m.out
	styles := s.Styles()
	s.Println(styles.Strong.Apply(term.OneLine(t.Recipe))+"  "+m.statusStyle(styles, t.Outcome).Apply(t.Outcome), styles.Faint.Apply(t.Run))
	if len(t.Steps) == 0 {
		return
	}
	begin := t.Steps[0].Timestamp
	s.Println(styles.Faint.Apply(term.Moment(begin, m.Now())+spent(t)), "")
	m.tellSteps(t, full)
}

// tellWhy says why a run is blocked, which is no step.
func (m *Main) tellWhy(ctx context.Context, h *house, t *recipe.Trace) error {
	if fermata.Status(t.Outcome) != fermata.Blocked {
		return nil
	}
	result, err := h.Result(ctx, t.Run, nil)
	if err != nil || result.Err == nil {
		return err
	}
	m.out.Println("")
	m.out.Println(told(m.out, m.out.Styles().Bad, result.Err.Error(), m.out.Width())...)
	return nil
}

// tellSteps is the story without what stands above it: whose it is and when it began.
func (m *Main) tellSteps(t *recipe.Trace, full bool) {
	s := m.out
	w := teller{m: m, screen: s, styles: s.Styles(), glyphs: s.Glyphs(), full: full}
	names := 8
	for i := range t.Steps {
		names = max(names, term.Columns(stepName(&t.Steps[i])))
	}
	names = min(names, 32)
	w.indent = 11 + names + 11
	w.width = max(min(s.Width(), 120)-w.indent, 30)
	if !s.TTY {
		w.width = 100
	}
	for i := range t.Steps {
		w.step(&t.Steps[i], t.Steps[0].Timestamp, names)
	}
}

// spent is how long a run took and how much of that it waited, where that is worth saying.
func spent(t *recipe.Trace) string {
	var end time.Time
	waited := time.Duration(0)
	for i := range t.Steps {
		st := &t.Steps[i]
		if at := st.Timestamp.Add(millis(st.Duration)); at.After(end) {
			end = at
		}
		waited = max(waited, millis(st.Waited))
	}
	took := end.Sub(t.Steps[0].Timestamp)
	switch {
	case took < time.Second:
		return ""
	case waited < time.Second:
		return ", took " + term.Duration(took)
	}
	return ", took " + term.Duration(took) + ", the longest wait " + term.Duration(waited)
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// stepName is the task's node, with the visit and the try where they are not the first.
func stepName(st *recipe.TraceStep) string {
	name := st.ID
	if task, attempt, ok := strings.Cut(name, "@"); ok {
		return strings.TrimSuffix(task, "#1") + " try " + attempt
	}
	return strings.TrimSuffix(name, "#1")
}

func (w *teller) step(st *recipe.TraceStep, begin time.Time, names int) {
	mark, style := w.glyphs.Done, w.styles.Good
	switch {
	case st.Error != "":
		mark, style = w.glyphs.Failed, w.styles.Bad
	case strings.HasPrefix(st.Observation, "skipped"):
		mark, style = w.glyphs.Skipped, w.styles.Faint
	case strings.HasPrefix(st.ID, "resume#"):
		mark, style = w.glyphs.Retry, w.styles.Busy
	case st.Duration == 0 && st.Snapshot == nil && st.Route == "":
		mark, style = w.glyphs.Pending, w.styles.Wait
	}
	took := ""
	if d := millis(st.Duration); d >= worthSaying {
		took = term.Duration(d)
	}
	at := term.PadLeft(offset(st.Timestamp.Sub(begin)), 8)
	lead := w.styles.Faint.Apply(at) + " " + style.Apply(mark) + " " +
		term.Pad(w.screen.Cut(term.OneLine(stepName(st)), names), names) + "  " + w.styles.Faint.Apply(term.PadLeft(took, 7)) + "  "
	lines := w.lines(st, begin)
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, line := range lines {
		if i > 0 {
			lead = strings.Repeat(" ", w.indent)
		}
		w.screen.Println(strings.TrimRight(lead+line, " "))
	}
}

// worthSaying is how long something takes at least for its duration to be told.
const worthSaying = 10 * time.Millisecond

// offset is how long after the beginning something happened.
func offset(d time.Duration) string {
	if d < time.Second {
		return "+" + term.Duration(d.Truncate(time.Millisecond))
	}
	return "+" + term.Duration(d)
}

// lines are what a step has to tell.
func (w *teller) lines(st *recipe.TraceStep, begin time.Time) []string {
	var lines []string
	add := func(style term.Style, text string) {
		wrapped := term.Wrap(term.Plain(strings.TrimSpace(text)), w.width)
		if len(wrapped) > fewLines && !w.full {
			wrapped = append(wrapped[:fewLines-1], w.glyphs.Ellipsis)
		}
		for _, line := range wrapped {
			lines = append(lines, style.Apply(line))
		}
	}
	asked := st.Type == recipe.TraceInteraction || len(st.People) > 0
	if st.Action != "" && asked {
		add(w.styles.Strong, st.Action)
	}
	if st.Thought != "" {
		add(w.styles.Faint, w.glyphs.Ellipsis+" "+st.Thought)
	}
	if st.Node == "" && st.Action != "" {
		add(w.styles.Strong, st.Action)
	}
	switch wait, worked := millis(st.Waited), millis(st.Duration-st.Waited); {
	case wait < time.Second:
	case worked >= time.Second:
		add(w.styles.Faint, "waited "+term.Duration(wait)+", worked "+term.Duration(worked))
	case !asked:
		add(w.styles.Faint, "waited "+term.Duration(wait))
	}
	if st.Observation != "" {
		style := w.styles.Faint
		if asked {
			style = w.styles.Wait
		}
		add(style, observed(st, begin, w.m.Now().Location()))
	}
	if st.Error != "" {
		add(w.styles.Bad, st.Error)
	}
	lines = append(lines, w.changes(st.Outputs)...)
	if st.Route != "" && st.Route != "END" {
		lines = append(lines, w.styles.Faint.Apply(w.glyphs.Arrow)+" "+term.OneLine(st.Route))
	}
	return lines
}

// observed is what came back, and of what people did also when: "+2h claimed by ada". Deadlines are in a zone.
func observed(st *recipe.TraceStep, begin time.Time, zone *time.Location) string {
	lines := strings.Split(st.Observation, "\n")
	deeds := st.People
	for i, line := range lines {
		for len(deeds) > 0 && deeds[0].Do == "asked" {
			deeds = deeds[1:]
		}
		if len(deeds) == 0 {
			break
		}
		if line != deeds[0].String() {
			continue
		}
		deed := deeds[0]
		if deeds = deeds[1:]; deed.Until != nil {
			deed.Until = new(deed.Until.In(zone))
		}
		if lines[i] = deed.String(); deed.Timestamp.Sub(st.Timestamp) >= time.Second {
			lines[i] = offset(deed.Timestamp.Sub(begin)) + " " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// changes are what a step put on the blackboard: "risk = high".
func (w *teller) changes(outputs json.RawMessage) []string {
	v, err := ordered.Decode(outputs)
	object, ok := v.(ordered.Object)
	if err != nil || !ok {
		return nil
	}
	var lines []string
	for _, member := range object {
		text, ok := member.Value.(string)
		if !ok {
			data, err := ordered.Encode(member.Value)
			if err != nil {
				continue
			}
			text = string(data)
		}
		name := w.styles.Faint.Apply(term.OneLine(member.Name) + " =")
		if !w.full || !strings.Contains(text, "\n") {
			line := name + " " + term.Flat(text)
			if !w.full {
				line = w.screen.Cut(line, w.width)
			}
			lines = append(lines, line)
			continue
		}
		lines = append(lines, name)
		for _, line := range term.Wrap(term.Plain(text), w.width-2) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}
