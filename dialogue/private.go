package dialogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// The value of a private slot is in the journal, in what the user is told, and in what actions are given that name it. It goes to
// no model, and not to a person who takes over, to diagnostics, or to errors, which telemetry and logs have. What answers a
// question for one, and what phrases understand as one, is understood by phrases alone.

// hidden stands for what a private slot holds.
const hidden = "[private]"

// asksPrivate reports whether the user is asked for a private slot.
func (t *Turn) asksPrivate() bool {
	if t.Pending == nil || t.Pending.Slot == "" {
		return false
	}
	var f *flow
	if len(t.Active) > 0 {
		f = t.Dialogue.flows[t.Active[0]]
	}
	sl := t.Dialogue.slotOf(f, t.Pending.Slot)
	return sl != nil && sl.Private
}

// withoutPrivate is a text without the values of private slots.
func (t *Turn) withoutPrivate(text string) string { return withoutSecrets(text, t.secrets) }

// givesPrivate reports whether commands give a private slot a value.
func (t *Turn) givesPrivate(commands []Command) bool {
	flow := ""
	if len(t.Active) > 0 {
		flow = t.Active[0]
	}
	for _, c := range commands {
		if c.Type == StartFlow {
			flow = c.Flow
		}
		if c.Slot != "" && t.Dialogue.secret(cmp.Or(c.Flow, flow), c.Slot) {
			return true
		}
	}
	return false
}

// withoutSecrets is a text in which secrets are hidden. Those of one or two letters stay: they would hide every word.
func withoutSecrets(text string, secrets []string) string {
	const least = 3
	for _, secret := range secrets {
		if len(secret) >= least {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	return text
}

// secrets are the values of private slots, as they are written and as they are shown, the longest first.
func (d *Dialogue) secrets(s *State) []string {
	var all []string
	if !d.private {
		return nil
	}
	of := func(slots map[string]*slot, values map[string]any) {
		for _, name := range keysOf(values) {
			if sl := slots[name]; sl != nil && sl.Private {
				all = d.secretTexts(all, sl, values[name])
			}
		}
	}
	of(d.slots, s.Slots)
	of(d.slots, s.Context) // a context that is not declared may have the name of a slot
	for _, sl := range d.context {
		if sl.Private {
			all = d.secretTexts(all, sl, s.Context[sl.name])
		}
	}
	for _, f := range s.Stack {
		of(d.flows[f.Flow].slots, f.Slots)
	}
	if s.Doubt != nil {
		for _, o := range append([]doubt{*s.Doubt}, s.Doubt.Then...) {
			if p, ok := d.owner(s, "", o.Slot); ok && p.slot.Private {
				all = d.secretTexts(all, p.slot, o.Value)
			}
		}
	}
	return longestFirst(all)
}

// secretTexts adds the ways to write a value, and those of what it consists of.
func (d *Dialogue) secretTexts(to []string, sl *slot, v any) []string {
	if v == nil {
		return to
	}
	day, _ := v.(string)
	for _, today := range []string{"", day[:min(len(day), len(time.DateOnly))]} { // with its year and without
		to = append(to, d.shownIn(showing{today: today}, sl, v), d.shownIn(showing{today: today, unnamed: true}, sl, v))
	}
	to = append(to, shown(v))
	switch v := v.(type) {
	case map[string]any:
		for _, name := range keysOf(v) {
			to = d.secretTexts(to, sl, v[name])
		}
	case []any:
		for _, one := range v {
			to = d.secretTexts(to, sl, one)
		}
	}
	return to
}

func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	return slices.Compact(texts)
}

// hasPrivate reports whether a slot is private.
func (d *Dialogue) hasPrivate() bool {
	isPrivate := func(sl *slot) bool { return sl.Private }
	return slices.ContainsFunc(slices.Collect(maps.Values(d.slots)), isPrivate) || slices.ContainsFunc(d.context, isPrivate) ||
		slices.ContainsFunc(d.order, func(f *flow) bool { return slices.ContainsFunc(f.order, isPrivate) })
}

// given are the values that commands have for private slots, whether the slots have taken them or not.
func (d *Dialogue) given(s *State, commands []Command) []string {
	if !d.private {
		return nil
	}
	var all []string
	flow := ""
	if f := s.top(); f != nil {
		flow = f.Flow
	}
	for _, c := range commands {
		if c.Type == StartFlow {
			flow = c.Flow
		}
		if c.Slot != "" && d.secret(cmp.Or(c.Flow, flow), c.Slot) {
			all = d.secretTexts(all, &slot{Slot: Slot{Type: Text}}, c.Value)
		}
	}
	return longestFirst(all)
}

// conceal takes secrets out of the lines that models and people are shown.
func (d *Dialogue) conceal(s *State, more ...string) {
	secrets := longestFirst(append(d.secrets(s), more...))
	for i := range s.Lines {
		s.Lines[i].Text = withoutSecrets(s.Lines[i].Text, secrets)
	}
}

// concealed is an error whose text has no secrets.
type concealed struct {
	error
	text string
}

func (e *concealed) Error() string { return e.text }
func (e *concealed) Unwrap() error { return e.error }

// safe is an error as logs and telemetry may have it.
func (d *Dialogue) safe(s *State, err error) error {
	if err == nil || !d.private {
		return err
	}
	if text := withoutSecrets(err.Error(), d.secrets(s)); text != err.Error() {
		return &concealed{err, text}
	}
	return err
}

// shareable are the values that a person who takes over is shown.
func (d *Dialogue) shareable(s *State) map[string]any {
	f := s.top()
	all := d.scope(s, f)
	for name := range all {
		if p, ok := d.find(f, name); ok && p.slot.Private {
			all[name] = hidden
		}
	}
	for _, sl := range d.context {
		if _, ok := all[sl.name]; ok && sl.Private {
			all[sl.name] = hidden
		}
	}
	return all
}

// unlessPrivate is what the user says, as it is kept among the lines of the conversation.
func (d *Dialogue) unlessPrivate(s *State, text string) string {
	if s.Pending == nil || s.Pending.Slot == "" {
		return text
	}
	if p, ok := d.owner(s, "", s.Pending.Slot); ok && p.slot.Private {
		return hidden
	}
	return text
}
