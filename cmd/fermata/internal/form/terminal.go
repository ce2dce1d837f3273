package form

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// Terminal asks on a terminal, with fields that are edited in place. The form goes away when it is filled in.
type Terminal struct {
	In, Out *os.File
	Environ []string // TERM, NO_COLOR and the like
	Editor  []string // for long texts: the command and its arguments
	Unicode bool
}

// Fill shows the form once.
func (t *Terminal) Fill(ctx context.Context, f *Form, entries []Entry, problem error) ([]Entry, error) {
	bound := make([]bound, len(f.Fields))
	fields := make([]huh.Field, len(f.Fields))
	for i := range f.Fields {
		bound[i].load(&f.Fields[i], entries[i])
		fields[i] = t.field(&f.Fields[i], &bound[i])
	}
	group := huh.NewGroup(fields...)
	if problem != nil {
		group = group.Title(shownError{problem}.Error())
	}
	shown := huh.NewForm(group).WithTheme(huh.ThemeFunc(t.theme)).WithKeyMap(keys()).WithShowHelp(false)
	shown.SubmitCmd, shown.CancelCmd = tea.Quit, tea.Quit
	term.Discard(t.In)
	page := &page{form: shown, dot: t.dot(), arrows: t.arrows()}
	program := tea.NewProgram(page, tea.WithInput(t.In), tea.WithOutput(t.Out), tea.WithEnvironment(t.Environ), tea.WithoutSignalHandler())
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	page.wipe(t.Out)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("asking on the terminal: %w", err)
	case page.later:
		return nil, ErrLater
	case shown.State != huh.StateCompleted:
		return nil, ErrStop
	}
	filled := make([]Entry, len(f.Fields))
	for i := range f.Fields {
		filled[i] = bound[i].entry(&f.Fields[i])
	}
	return filled, nil
}

// page shows a form and knows how high it is, so that it can be taken away: the renderer leaves its last frame
// standing, with the cursor in the last row.
type page struct {
	form   *huh.Form
	dot    string
	arrows string
	height int
	later  bool
}

// Init implements tea.Model.
func (p *page) Init() tea.Cmd { return p.form.Init() }

// Update implements tea.Model.
func (p *page) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "ctrl+d" && p.form.State == huh.StateNormal {
		p.later = true
	}
	_, cmd := p.form.Update(msg)
	return p, cmd
}

// View implements tea.Model. A form that is done leaves blank rows.
func (p *page) View() tea.View {
	text := p.form.View()
	if text != "" {
		text += "\n" + p.help()
	}
	return tea.NewView(p.filled(text))
}

// filled fills a frame up to the height of the highest one so far. Where a frame is lower than the one before it, the
// renderer loses the row of the cursor, and draws over the wrong rows from then on.
func (p *page) filled(text string) string {
	rows := strings.Count(text, "\n") + 1
	p.height = max(p.height, rows)
	return text + strings.Repeat("\n", p.height-rows)
}

// help names the keys that do something now, in a few words.
func (p *page) help() string {
	var parts []string
	for _, b := range p.form.KeyBinds() {
		switch h := b.Help(); {
		case !b.Enabled() || h.Desc == "down" || h.Desc == "back" || strings.Contains(h.Desc, "filter") || strings.HasPrefix(h.Desc, "select "):
		case h.Desc == "up":
			parts = append(parts, p.arrows+" choose")
		default:
			parts = append(parts, h.Key+" "+strings.ToLower(h.Desc))
		}
	}
	parts = append(parts, "ctrl+d later")
	return "  " + lipgloss.NewStyle().Faint(true).Render(strings.Join(parts, " "+p.dot+" "))
}

func (p *page) wipe(w io.Writer) {
	if p.height > 1 {
		_, _ = fmt.Fprintf(w, "\x1b[%dA", p.height-1)
	}
	_, _ = io.WriteString(w, "\r\x1b[J")
}

// bound is what a field of the form edits.
type bound struct {
	text   string
	start  editable // what it was before
	choice int      // of the choices that a pick has; -1 for none
	many   []int
}

func (b *bound) load(f *Field, e Entry) {
	b.text, b.many = b.start.load(e.Text), e.Choices
	switch b.choice = -1; {
	case len(e.Choices) > 0:
		b.choice = e.Choices[0] + f.before()
	case !f.Required:
		b.choice = 0 // it is left out
	}
}

// before is how many choices stand before the options of a field: one that leaves it out.
func (f *Field) before() int {
	if f.Required {
		return 0
	}
	return 1
}

func (b *bound) entry(f *Field) Entry {
	switch f.Kind {
	case Flag, Choice:
		if b.choice < f.before() {
			return Entry{}
		}
		return Entry{Choices: []int{b.choice - f.before()}}
	case Many:
		return Entry{Choices: b.many}
	default:
		return Entry{Text: b.start.read(b.text)}
	}
}

func (t *Terminal) field(f *Field, b *bound) huh.Field {
	check := func(text string) error {
		if err := f.Check(Entry{Text: b.start.read(text)}); err != nil {
			return shownError{err}
		}
		return nil
	}
	shown := f.shown()
	title := shown.Title
	if !f.Required && len(f.Path) > 0 {
		title += " (optional)"
	}
	switch f.Kind {
	case Flag, Choice:
		return t.pick(f, title, shown.Help, b)
	case Many:
		return huh.NewMultiSelect[int]().Title(title).Description(shown.Help).Options(t.options(&shown)...).
			Validate(func(many []int) error {
				if err := f.Check(Entry{Choices: many}); err != nil {
					return shownError{err}
				}
				return nil
			}).
			Height(min(len(f.Options), 10) + headLines(&shown)).Value(&b.many)
	case Text, Integer, Number:
		return huh.NewInput().Title(title).Description(shown.Help).Prompt("").Validate(check).Value(&b.text)
	default:
		return t.long(f, b).Title(title).Description(shown.Help).Validate(check).Value(&b.text)
	}
}

// pick is a field in which one option is chosen.
func (t *Terminal) pick(f *Field, title, help string, b *bound) huh.Field {
	c := choicesOf(f)
	if !f.Required {
		c = c.orNone()
	}
	p := newPick(c, b.choice, &b.choice)
	p.theme = huh.ThemeFunc(t.theme)
	p.title, p.help, p.menu, p.arrows = title, help, f.menu || f.Kind == Flag, t.arrows()
	if len(f.Start.Choices) > 0 && !f.menu {
		p.start = f.Start.Choices[0] + f.before()
	}
	return p
}

func (t *Terminal) arrows() string {
	if t.Unicode {
		return "↑↓"
	}
	return "up/down"
}

// headLines is how many lines stand above the options of a field.
func headLines(f *Field) int {
	lines := 1
	if f.Help != "" {
		lines += 1 + strings.Count(f.Help, "\n")
	}
	return lines
}

// long is a field of several lines, which may be written in the person's editor.
func (t *Terminal) long(f *Field, b *bound) *huh.Text {
	lines, extension := 3, "md"
	switch f.Kind {
	case JSON:
		lines, extension = min(max(strings.Count(b.text, "\n")+1, 3), 12), "json"
	case List:
		extension = "txt"
	default:
	}
	return huh.NewText().Lines(lines).Editor(t.Editor...).EditorExtension(extension).ExternalEditor(len(t.Editor) > 0)
}

func (t *Terminal) options(f *Field) []huh.Option[int] {
	options := make([]huh.Option[int], len(f.Options))
	for i, o := range f.Options {
		options[i] = huh.NewOption(o.Label, i)
	}
	return options
}

func (t *Terminal) dot() string {
	if t.Unicode {
		return "·"
	}
	return "-"
}

// keys are the usual ones, with Ctrl-D for later.
func keys() *huh.KeyMap {
	m := huh.NewDefaultKeyMap()
	m.Quit.SetKeys("ctrl+c", "ctrl+d")
	m.Select.Next.SetHelp("enter", "next")
	m.MultiSelect.HalfPageDown.SetKeys("pgdown")
	m.Text.NewLine.SetHelp("alt+enter", "new line")
	m.Text.Editor.SetHelp("ctrl+e", "editor")
	m.MultiSelect.Toggle.SetHelp("space", "toggle")
	return m
}

// theme is the terminal's own colours, and a bar that goes on from the evidence above the form.
func (t *Terminal) theme(dark bool) *huh.Styles {
	s := huh.ThemeBase(dark)
	border := lipgloss.NormalBorder()
	if !t.Unicode {
		border = lipgloss.ASCIIBorder()
	}
	base := lipgloss.NewStyle().MarginLeft(2).PaddingLeft(1).PaddingBottom(1).BorderStyle(border).BorderLeft(true).BorderForeground(lipgloss.Yellow)
	strong, faint := lipgloss.NewStyle().Bold(true), lipgloss.NewStyle().Faint(true)
	arrow := "❯ "
	if !t.Unicode {
		arrow = "> "
	}

	f := &s.Focused
	f.Base, f.Card = base, base
	f.Title, f.NoteTitle, f.Description = strong, strong, faint
	f.SelectSelector = lipgloss.NewStyle().Foreground(lipgloss.Yellow).SetString(arrow)
	f.MultiSelectSelector = f.SelectSelector
	f.SelectedOption = lipgloss.NewStyle().Bold(true)
	f.ErrorIndicator = lipgloss.NewStyle().Foreground(lipgloss.Red).SetString(" *")
	f.ErrorMessage = lipgloss.NewStyle().Foreground(lipgloss.Red)
	f.FocusedButton = lipgloss.NewStyle().Padding(0, 2).MarginRight(1).Reverse(true)
	f.BlurredButton = lipgloss.NewStyle().Padding(0, 2).MarginRight(1).Faint(true)
	f.TextInput.Prompt = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	f.TextInput.Placeholder = faint

	s.FieldSeparator = lipgloss.NewStyle().SetString("\n")
	s.Blurred = *f
	s.Blurred.Title = lipgloss.NewStyle()
	s.Blurred.SelectSelector = lipgloss.NewStyle().SetString("  ")
	s.Blurred.MultiSelectSelector = s.Blurred.SelectSelector
	s.Group.Title = base.Foreground(lipgloss.Red)
	s.Group.Base = lipgloss.NewStyle().MarginLeft(2)
	return s
}
