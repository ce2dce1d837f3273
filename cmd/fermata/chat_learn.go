package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/insert"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// learnFlags make a test or a trigger of what a user has said.
type learnFlags struct {
	test, trigger string
	means         []string
	phrase        string
	dryRun        bool
}

func (f *learnFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.test, "add-test", "", "make a test of a `message`: CONVERSATION/NUMBER, or a text; --means says what it should do")
	flags.StringVar(&f.trigger, "add-trigger", "", "make a trigger of a `message`, for the flow that --flow names")
	flags.StringArrayVar(&f.means, "means", nil, "of a test: a `command` that is meant, as /trace shows it: 'start_flow transfer', 'set_slot amount 50'")
	flags.StringVar(&f.phrase, "phrase", "", "of a trigger: how it is written, with its values in braces: 'send {amount} to {payee}'")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show what would be written")
}

// learn makes a test or a trigger of a message.
func (r *reviewing) learn(ctx context.Context) error {
	f := &r.flags.learn
	switch {
	case f.test != "" && f.trigger != "":
		return usagef("--add-test and --add-trigger are two changes: make one after the other")
	case f.trigger != "" && len(f.means) > 0:
		return usagef("--means goes with --add-test; a trigger begins the flow that --flow names")
	case f.test != "" && f.phrase != "":
		return usagef("--phrase goes with --add-trigger")
	case f.trigger != "":
		return r.addTrigger(ctx)
	}
	return r.addTest(ctx)
}

// message is the part of a conversation that a reference means, or a text that stands for itself.
func (r *reviewing) message(ctx context.Context, ref string) (*dialogue.Test, error) {
	i := strings.LastIndexByte(ref, '/')
	turn, err := strconv.Atoi(ref[i+1:])
	if i < 1 || err != nil || turn < 1 {
		language := r.flags.language
		if language == r.dialogue.Languages()[0] {
			language = ""
		}
		return &dialogue.Test{Language: language, Talk: []dialogue.TestLine{{User: ref}}}, nil
	}
	if r.flags.language != "" {
		return nil, usagef("--language goes with a text; the message %s has the language of its conversation", term.OneLine(ref))
	}
	t, err := r.all.Excerpt(ctx, ref[:i], turn)
	if why, ok := asNotFound(err); ok {
		return nil, usagef("no message %s in %s: %v", term.OneLine(ref), r.house.dsn, why)
	}
	if err == nil && t.Talk[len(t.Talk)-1].User == "" {
		return nil, usagef("message %s is a button: nothing is to be understood", term.OneLine(ref))
	}
	if _, isFault := errors.AsType[*fermata.Error](err); err != nil && !isFault {
		return nil, &exit{exitUsage, err}
	}
	return t, err
}

// addTest adds a test to those of the dialogue.
func (r *reviewing) addTest(ctx context.Context) error {
	f := &r.flags.learn
	t, err := r.message(ctx, f.test)
	if err != nil {
		return err
	}
	last := &t.Talk[len(t.Talk)-1]
	if last.Commands, err = r.meant(); err != nil {
		return err
	}
	last.HasCommands = true
	known, err := dialogue.LoadTests(r.file)
	if err != nil {
		return err
	}
	t.Name = nameOfTest(last.User, known)
	block, err := testText(t)
	if err != nil {
		return err
	}
	file := dialogue.TestFile(r.file)
	if file == "" {
		file = r.file
	}
	was, now, err := edited(file, []string{"tests"}, block)
	if err != nil {
		return err
	}
	if err := r.write(file, was, now, "test"); err != nil {
		return err
	}
	if !r.m.global.quiet && !f.dryRun {
		r.m.hints(hintTo("run it; it fails until the dialogue understands the message", "test", r.file, "--run", "^"+regexp.QuoteMeta(t.Name)+"$"))
	}
	return nil
}

// meant are the commands that a message should be understood as.
func (r *reviewing) meant() ([]dialogue.Command, error) {
	texts := r.flags.learn.means
	if flow := r.flags.flow; flow != "" {
		texts = append([]string{string(dialogue.StartFlow) + " " + flow}, texts...)
	}
	if len(texts) == 0 {
		return nil, usagef("say what the message means: --means 'start_flow FLOW', or 'set_slot SLOT VALUE' and so on. The flows are %s",
			strings.Join(r.dialogue.FlowNames(), ", "))
	}
	all := make([]dialogue.Command, len(texts))
	for i, text := range texts {
		c, err := r.command(text)
		if err != nil {
			return nil, usagef("--means %q: %v", text, err)
		}
		all[i] = c
	}
	return all, nil
}

// command reads a command as commandText writes it.
func (r *reviewing) command(text string) (c dialogue.Command, err error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	c.Type = dialogue.CommandType(name)
	known := []dialogue.CommandType{
		dialogue.StartFlow, dialogue.CancelFlow, dialogue.SetSlot, dialogue.CorrectSlot, dialogue.ClearSlot, dialogue.Affirm, dialogue.Deny,
		dialogue.Chitchat, dialogue.Handoff, dialogue.Repeat, dialogue.Skip, dialogue.Speak,
	}
	switch c.Type {
	case dialogue.StartFlow, dialogue.CancelFlow:
		c.Flow = rest
		if _, ok := r.dialogue.Flow(rest); !ok && (rest != "" || c.Type == dialogue.StartFlow) {
			return c, fmt.Errorf("there is no flow %q%s", rest, nearest.Hint(rest, r.dialogue.FlowNames()))
		}
	case dialogue.SetSlot, dialogue.CorrectSlot:
		slot, value, _ := strings.Cut(rest, " ")
		if c.Slot = slot; value == "" {
			return c, errors.New("expected a slot and its value, such as set_slot amount 50")
		}
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		if err := d.Decode(&c.Value); err != nil || d.More() {
			c.Value = value
		}
		return c, r.hasSlot(slot)
	case dialogue.ClearSlot:
		c.Slot = rest
		return c, r.hasSlot(rest)
	case dialogue.Deny:
		if c.SlotToChange = rest; rest != "" {
			return c, r.hasSlot(rest)
		}
	case dialogue.Chitchat:
		c.Text = rest
	case dialogue.Speak:
		c.Language = rest
	default:
		names := make([]string, len(known))
		for i, t := range known {
			names[i] = string(t)
		}
		if !slices.Contains(known, c.Type) {
			return c, fmt.Errorf("there is no command %q%s; expected one of %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
		}
		if rest != "" {
			return c, fmt.Errorf("%s takes nothing behind it", name)
		}
	}
	return c, nil
}

// hasSlot checks that some flow, or the conversation, has a slot.
func (r *reviewing) hasSlot(name string) error {
	if _, ok := r.dialogue.Slot("", name); ok {
		return nil
	}
	var names []string
	def := r.dialogue.Definition()
	for _, f := range def.Flows {
		for _, s := range f.Slots {
			if s.Name == name {
				return nil
			}
			names = append(names, s.Name)
		}
	}
	return fmt.Errorf("there is no slot %q%s", name, nearest.Hint(name, names))
}

// nameOfTest is a name for a test of a message that no other test has.
func nameOfTest(text string, known []dialogue.Test) string {
	const most = 60
	short := []rune(term.Flat(text))
	if len(short) > most {
		short = append(short[:most], '…')
	}
	name := "understands: " + string(short)
	for n := 2; slices.ContainsFunc(known, func(t dialogue.Test) bool { return t.Name == name }); n++ {
		name = fmt.Sprintf("understands: %s (%d)", string(short), n)
	}
	return name
}

// testText is a test as its file has it, in lines.
func testText(t *dialogue.Test) (string, error) {
	lines := []string{"name: " + dialoguetest.ScalarText(t.Name)}
	add := func(key string, value any) error {
		data, err := json.Marshal(value)
		lines = append(lines, key+": "+string(data))
		return err
	}
	if t.Language != "" {
		lines = append(lines, "language: "+dialoguetest.ScalarText(t.Language))
	}
	if len(t.Context) > 0 {
		if err := add("context", t.Context); err != nil {
			return "", err
		}
	}
	if !t.Now.IsZero() {
		lines = append(lines, "now: "+strconv.Quote(t.Now.Format(time.RFC3339))) // in quotes: it is a text in both forms
	}
	if len(t.Actions) > 0 {
		gives := make(map[string]any, len(t.Actions))
		for name, results := range t.Actions {
			all := make([]any, len(results))
			for i := range results {
				all[i] = results[i].Value
			}
			gives[name] = all
		}
		if err := add("actions", gives); err != nil {
			return "", err
		}
	}
	lines = append(lines, "talk:")
	for i := range t.Talk {
		at := len(lines)
		l := &t.Talk[i]
		switch {
		case l.Language != "" && l.User == "" && len(l.Press) == 0:
			lines = append(lines, "  - language: "+dialoguetest.ScalarText(l.Language))
			continue
		case l.Event != nil:
			event, err := json.Marshal(map[string]any{"name": l.Event.Name, "data": l.Event.Data})
			if err != nil {
				return "", err
			}
			lines = append(lines, "  - event: "+string(event))
		case l.Silence:
			lines = append(lines, "  - silence: true")
		case len(l.Press) > 0:
			lines = append(lines, "  - press: "+dialoguetest.CommandsText(l.Press))
		default:
			lines = append(lines, "  - user: "+dialoguetest.ScalarText(l.User), "    commands: "+dialoguetest.CommandsText(l.Commands))
		}
		if l.Language != "" {
			lines = slices.Insert(lines, at+1, "    language: "+dialoguetest.ScalarText(l.Language))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// edited is a file, and with an element at the end of one of its lists.
func edited(file string, path []string, block string, before ...string) (was, now []byte, err error) {
	if was, err = os.ReadFile(file); err != nil {
		return nil, nil, err
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(block), &n); err != nil {
		return nil, nil, err
	}
	line, err := document.Text(n.Content[0])
	if err != nil {
		return nil, nil, err
	}
	now, err = insert.Into(was, path, insert.Element{Block: block, JSON: string(line)}, before...)
	if err != nil {
		return nil, nil, invalidf("%s: %v; nothing was written", file, err)
	}
	return was, now, nil
}

// write shows what changes in a file, and changes it.
func (r *reviewing) write(file string, was, now []byte, what string) error {
	r.showDiff(file, string(was), string(now))
	if r.flags.learn.dryRun {
		if !r.m.global.quiet {
			r.m.err.Println(r.m.err.Styles().Faint.Apply("nothing was written: --dry-run"))
		}
		return nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, now, info.Mode().Perm()); err != nil {
		return err
	}
	if !r.m.global.quiet {
		r.m.err.Println(r.m.err.Styles().Good.Apply("written") + ": a " + what + " in " + file)
	}
	return nil
}

// showDiff shows the lines of a file that differ, with those around them.
func (r *reviewing) showDiff(file, was, now string) {
	s, styles := r.m.out, r.m.out.Styles()
	a, b := strings.Split(was, "\n"), strings.Split(now, "\n")
	head, tail := 0, 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	lines := []string{styles.Strong.Apply(file + ":" + strconv.Itoa(head+1))}
	add := func(sign string, style term.Style, list []string) {
		for _, line := range list {
			lines = append(lines, style.Apply(strings.TrimRight(sign+" "+term.Line(strings.TrimRight(line, "\r")), " ")))
		}
	}
	const around = 2
	add(" ", styles.Faint, a[max(0, head-around):head])
	add("-", styles.Bad, a[head:len(a)-tail])
	add("+", styles.Good, b[head:len(b)-tail])
	add(" ", styles.Faint, a[len(a)-tail:len(a)-tail+min(around, tail)])
	s.Println(lines...)
}
