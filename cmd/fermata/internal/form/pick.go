package form

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
)

// pick asks for one of several choices on a terminal. At first none of them is selected, unless there is a declared
// default; Enter takes the selected one and is refused without one. Arrow keys move the selection. Typed text selects the
// choice that it names and clears the selection where it names none.
//
// One struct: a field of huh holds its theme, size and keys itself.
type pick struct {
	choices
	title, help string
	start       int // the declared default, -1 for none
	menu        bool
	arrows      string // what the arrow keys are called

	at      int    // what is selected, -1 for none
	typed   string // since the last arrow key
	err     error
	chosen  *int // what was taken last
	focused bool

	keys huh.SelectKeyMap
	look
}

// look is how a field is drawn.
type look struct {
	theme         huh.Theme
	dark          bool
	width, height int
}

// newPick makes the field, in which at is selected; chosen is set by Enter.
func newPick(c choices, at int, chosen *int) *pick {
	return &pick{choices: c, at: at, start: -1, chosen: chosen}
}

// Init implements huh.Field.
func (p *pick) Init() tea.Cmd { return nil }

// Focus implements huh.Field.
func (p *pick) Focus() tea.Cmd {
	p.focused = true
	return nil
}

// Blur implements huh.Field.
func (p *pick) Blur() tea.Cmd {
	p.focused, p.err = false, nil
	return nil
}

// Update implements huh.Field.
func (p *pick) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		p.dark = msg.IsDark()
	case tea.PasteMsg:
		line, _, _ := strings.Cut(strings.TrimSpace(msg.Content), "\n")
		p.says(line)
	case tea.KeyPressMsg:
		return p, p.press(msg)
	}
	return p, nil
}

// press does what a key says.
func (p *pick) press(k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); {
	case key.Matches(k, p.keys.Next, p.keys.Submit):
		return p.take()
	case key.Matches(k, p.keys.Prev):
		return huh.PrevField
	case name == "down" || name == "ctrl+n":
		p.moves(min(p.at+1, len(p.labels)-1))
	case name == "up" || name == "ctrl+p":
		if p.at < 0 {
			p.at = len(p.labels)
		}
		p.moves(max(p.at-1, 0))
	case name == "home":
		p.moves(0)
	case name == "end":
		p.moves(len(p.labels) - 1)
	case name == "backspace":
		runes := []rune(p.typed)
		p.typed = string(runes[:max(len(runes)-1, 0)])
		p.match()
	case name == "ctrl+u" || name == "ctrl+w":
		p.typed = ""
		p.match()
	case k.Text != "":
		p.says(k.Text)
	}
	return nil
}

// moves selects by an arrow key.
func (p *pick) moves(to int) { p.at, p.typed, p.err = to, "", nil }

// says adds to the typed text.
func (p *pick) says(text string) {
	p.typed = strings.TrimLeft(p.typed+text, " \t")
	p.match()
}

// match selects what the typed text names.
func (p *pick) match() {
	p.at, p.err = p.find(p.typed)
	if p.typed == "" {
		p.err = nil
	}
}

// take takes the selected choice, and refuses where there is none.
func (p *pick) take() tea.Cmd {
	if p.at < 0 {
		if p.err == nil {
			p.err = errors.New("nothing is chosen: " + p.how())
		}
		return nil
	}
	p.err, *p.chosen, p.typed = nil, p.at, ""
	return huh.NextField
}

// how says what to do.
func (p *pick) how() string {
	if p.numbered() {
		return "type the beginning of an option or its number, or press " + p.arrows
	}
	return "type the beginning of an option, or press " + p.arrows
}

// numbered reports whether the choices are shown with their numbers: two of them need none.
func (p *pick) numbered() bool { return len(p.labels) > 2 && !p.menu }

// View implements huh.Field.
func (p *pick) View() string {
	styles := p.styles()
	width := max(p.width-styles.Base.GetHorizontalFrameSize(), 20)
	var head []string
	if p.title != "" {
		head = append(head, styles.Title.Width(width).Render(p.title))
	}
	if p.help != "" {
		head = append(head, styles.Description.Width(width).Render(p.help))
	}
	var lines []string
	from, to := 0, 0
	for i := range p.labels {
		if i == p.at {
			from = len(lines)
		}
		lines = append(lines, strings.Split(p.row(styles, i, width), "\n")...)
		if i == p.at {
			to = len(lines)
		}
	}
	if room := p.height - styles.Base.GetVerticalFrameSize() - lipgloss.Height(strings.Join(head, "\n")); p.height > 0 && room < len(lines) {
		room = max(room, 1)
		top := min(max(to-room, 0), from)
		lines = lines[top:min(top+room, len(lines))]
	}
	return styles.Base.Width(p.width).Render(strings.Join(append(head, lines...), "\n"))
}

// row is a choice: whether it is selected, its number, its name with the part that was typed, and whether it is the default.
func (p *pick) row(styles *huh.FieldStyles, i, width int) string {
	arrow := styles.SelectSelector.String()
	front := strings.Repeat(" ", lipgloss.Width(arrow))
	label, faint := lipgloss.NewStyle(), lipgloss.NewStyle().Faint(true)
	if i == p.at {
		label = styles.SelectedOption
		if p.focused {
			front = arrow
		}
	}
	number := ""
	if p.numbered() {
		n, digits := i+1, len(strconv.Itoa(len(p.labels)))
		if p.out {
			n--
		}
		if number = strconv.Itoa(n); n == 0 {
			number = ""
		}
		number = faint.Render(strings.Repeat(" ", digits-len(number)) + number + " ")
	}
	name := p.labels[i]
	text := label.Render(name)
	if typed := []rune(strings.TrimSpace(p.typed)); i == p.at && len(typed) > 0 && begins(name, string(typed)) {
		runes := []rune(name)
		text = label.Underline(true).Render(string(runes[:len(typed)])) + label.Render(string(runes[len(typed):]))
	}
	if i == p.start {
		text += faint.Render(" (default)")
	}
	text = lipgloss.NewStyle().Width(max(width-lipgloss.Width(front+number), 8)).Render(text)
	return lipgloss.JoinHorizontal(lipgloss.Top, front, number, text)
}

func (p *pick) styles() *huh.FieldStyles {
	s := p.theme.Theme(p.dark)
	if p.focused {
		return &s.Focused
	}
	return &s.Blurred
}

// Error implements huh.Field.
func (p *pick) Error() error { return p.err }

// Skip implements huh.Field.
func (*pick) Skip() bool { return false }

// Zoom implements huh.Field.
func (*pick) Zoom() bool { return false }

// KeyBinds implements huh.Field.
func (p *pick) KeyBinds() []key.Binding {
	return []key.Binding{
		key.NewBinding(key.WithKeys("down"), key.WithHelp("type or "+p.arrows, "choose")), p.keys.Prev, p.keys.Submit, p.keys.Next,
	}
}

// Run implements huh.Field.
func (p *pick) Run() error { return huh.Run(p) }

// RunAccessible implements huh.Field; [Lines] asks where nothing can be redrawn.
func (*pick) RunAccessible(io.Writer, io.Reader) error { return errors.ErrUnsupported }

// WithTheme implements huh.Field.
func (p *pick) WithTheme(t huh.Theme) huh.Field {
	p.theme = t
	return p
}

// WithKeyMap implements huh.Field.
func (p *pick) WithKeyMap(k *huh.KeyMap) huh.Field {
	p.keys = k.Select
	return p
}

// WithWidth implements huh.Field.
func (p *pick) WithWidth(width int) huh.Field {
	p.width = width
	return p
}

// WithHeight implements huh.Field.
func (p *pick) WithHeight(height int) huh.Field {
	p.height = height
	return p
}

// WithPosition implements huh.Field.
func (p *pick) WithPosition(at huh.FieldPosition) huh.Field {
	p.keys.Prev.SetEnabled(!at.IsFirst())
	p.keys.Next.SetEnabled(!at.IsLast())
	p.keys.Submit.SetEnabled(at.IsLast())
	return p
}

// GetKey implements huh.Field.
func (*pick) GetKey() string { return "" }

// GetValue implements huh.Field.
func (p *pick) GetValue() any { return *p.chosen }
