package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
)

// addTrigger adds a phrase to the triggers of a flow: to those in the language of the message.
func (r *reviewing) addTrigger(ctx context.Context) error {
	f, flow := &r.flags.learn, r.flags.flow
	if at, ok := r.dialogue.Flow(flow); !ok || at.Hidden {
		return usagef("say which flow the message should begin: --flow NAME, one of %s", strings.Join(r.dialogue.FlowNames(), ", "))
	}
	t, err := r.message(ctx, f.trigger)
	if err != nil {
		return err
	}
	language, err := r.languageOf(ctx, f.trigger, t.Language)
	if err != nil {
		return err
	}
	said, spoken := t.Talk[len(t.Talk)-1].User, r.dialogue.In(language)
	phrase := f.phrase
	if phrase == "" {
		if phrase = strings.Join(strings.Fields(said), " "); strings.ContainsAny(phrase, "{}[]()|") {
			return usagef("the message has signs that mean something in a trigger: write it with --phrase, with its values in braces: 'send {amount} to {payee}'")
		}
	}
	if at, _ := spoken.Flow(flow); slices.ContainsFunc(at.Trigger, func(have string) bool { return strings.EqualFold(have, phrase) }) {
		return usagef("flow %s has the trigger %q", flow, phrase)
	}
	file := r.fileOf(language)
	was, now, err := edited(file, []string{"flows", flow, "trigger"}, dialoguetest.ScalarText(phrase), "slots", "patterns", "steps")
	if err != nil {
		return err
	}
	next, err := r.changed(language, now)
	if err != nil {
		return err
	}
	if err := r.clashes(spoken, next, flow, said, phrase); err != nil {
		return err
	}
	if err := r.write(file, was, now, "trigger"); err != nil {
		return err
	}
	if !r.m.global.quiet && !f.dryRun {
		r.m.hints(hintTo("see that nothing else has changed", "test", r.file))
	}
	return nil
}

// languageOf is the language in which a message of a conversation was understood, which may have changed since the part began
// that a test holds; "" is the dialogue's own.
func (r *reviewing) languageOf(ctx context.Context, ref, begun string) (string, error) {
	i := strings.LastIndexByte(ref, '/')
	n, err := strconv.Atoi(ref[i+1:])
	if i < 1 || err != nil {
		return begun, nil //nolint:nilerr // it is a text
	}
	turns, err := r.all.Turns(ctx, ref[:i])
	for _, turn := range turns {
		if turn.Turn == n && !turn.Has(dialogue.MarkSilence) && turn.Language != "" {
			begun = turn.Language
		}
	}
	if begun == r.dialogue.Languages()[0] {
		begun = ""
	}
	return begun, err
}

// fileOf is the file that has the texts of a language; "" is the dialogue's own.
func (r *reviewing) fileOf(language string) string {
	if language == "" {
		return r.file
	}
	return filepath.Join(filepath.Dir(r.file), filepath.FromSlash(r.dialogue.TranslationFile(language)))
}

// changed is the dialogue in a language as it would be with another text of its file.
func (r *reviewing) changed(language string, text []byte) (*dialogue.Dialogue, error) {
	folder, whole := filepath.Dir(r.file), text
	opts := r.m.dialogueOptions(folder)
	opts.Files = os.DirFS(folder)
	if language != "" {
		opts.Files = instead{opts.Files, r.dialogue.TranslationFile(language), text}
		var err error
		if whole, err = os.ReadFile(r.file); err != nil {
			return nil, err
		}
	}
	next, err := dialogue.Parse(whole, r.file, opts)
	if err != nil {
		return nil, err
	}
	return next.In(language), nil
}

// instead is a folder in which a file has another text.
type instead struct {
	fs.FS
	name string
	text []byte
}

// ReadFile is fs.ReadFileFS.
func (i instead) ReadFile(name string) ([]byte, error) {
	if name == i.name {
		return i.text, nil
	}
	return fs.ReadFile(i.FS, name)
}

// clashes refuses a trigger that does not begin its flow, or that changes what begins another one.
func (r *reviewing) clashes(last, next *dialogue.Dialogue, flow, said, phrase string) error {
	before, err := r.triggered(last, said)
	if err != nil {
		return err
	}
	after, how, err := r.begun(next, said)
	switch {
	case err != nil:
		return err
	case before != "" && before != flow:
		return invalidf("%q begins the flow %s: as a trigger of %s it would mean both", said, before, flow)
	case len(after) > 1:
		return invalidf("with the trigger %q, %q would mean several flows: %s", phrase, said, strings.Join(after, ", "))
	case len(after) == 0 || after[0] != flow:
		return invalidf("with the trigger %q, %q would not begin the flow %s: it is understood as %s", phrase, said, flow, how)
	}
	def := last.Definition()
	for i := range def.Flows {
		other := &def.Flows[i]
		for _, trigger := range other.Trigger {
			if other.Name == flow || strings.ContainsAny(trigger, "{}[]()|") {
				continue
			}
			was, _, err := r.begun(last, trigger)
			if err != nil {
				return err
			}
			is, _, err := r.begun(next, trigger)
			if err != nil {
				return err
			}
			if !slices.Equal(was, is) {
				return invalidf("the trigger %q of %s clashes with %q of %s: that would mean %s", phrase, flow, trigger, other.Name, strings.Join(is, " or "))
			}
		}
	}
	return nil
}

// triggered is the flow that a text begins now by a trigger; "" for none. A flow that was ranked was a guess.
func (r *reviewing) triggered(d *dialogue.Dialogue, text string) (flow string, err error) {
	commands, err := d.Understood(text, r.m.Now())
	for _, c := range commands {
		if c.Type == dialogue.StartFlow && c.Source == dialogue.FromTrigger {
			flow = c.Flow
		}
	}
	return flow, err
}

// begun are the flows that a text begins, or may mean, and all that is understood of it.
func (r *reviewing) begun(d *dialogue.Dialogue, text string) (flows []string, how string, err error) {
	commands, err := d.Understood(text, r.m.Now())
	if err != nil {
		return nil, "", err
	}
	var all []string
	for _, c := range commands {
		all = append(all, commandText(c))
		switch c.Type {
		case dialogue.StartFlow:
			flows = append(flows, c.Flow)
		case dialogue.Clarify:
			flows = append(flows, c.Options...)
		default:
		}
	}
	if len(all) == 0 {
		return flows, "nothing", nil
	}
	return flows, strings.Join(all, ", "), nil
}
