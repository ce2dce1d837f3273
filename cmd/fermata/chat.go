package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

type chatFlags struct {
	thread   string
	context  []string
	model    string
	language string
	json     bool
	reviewFlags
}

func (m *Main) chatCommand() *cobra.Command {
	var f chatFlags
	c := &cobra.Command{
		Use:   "chat [FILE]",
		Short: "Talk to a dialogue",
		Long: "Talk to a dialogue. On a terminal it prompts for each line; else it reads lines from stdin and writes the " +
			"replies. A conversation is a stored run: --thread continues it, even days later and without the file. " +
			"/help lists the commands of the prompt. With --review nobody talks: it shows where users of a dialogue were not understood, " +
			"were asked back, were handed to a person or left, and makes tests and triggers of what they have said.",
		Example: `fermata chat bank.yaml --context customer=Ada
fermata chat --thread chat_5f3a90c1
echo "send 50 to Bob" | fermata chat bank.yaml --json
fermata chat --review bank.yaml --since 7d
fermata chat --review bank.yaml --add-test chat_5f3a90c1/3 --means 'start_flow transfer'
fermata chat --review bank.yaml --add-trigger chat_5f3a90c1/3 --flow transfer --dry-run`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			if err := f.needReview(c); err != nil {
				return err
			}
			if f.review {
				return m.reviewChats(c.Context(), file, &f)
			}
			return m.chat(c.Context(), file, &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.thread, "thread", "", "the `id` of the conversation; an existing one continues (default a new one)")
	flags.StringArrayVar(&f.context, "context", nil, "a value of the new conversation's context: `name=value`, or name=@FILE")
	flags.StringVar(&f.model, "model", "", "the `model` that understands the user (default the dialogue's; without one, phrases)")
	flags.StringVar(&f.language, "language", "", "the `language` in which the conversation begins or goes on, or of a text of --add-test and --add-trigger: one that the dialogue is translated to (default the dialogue's own)")
	flags.BoolVar(&f.json, "json", false, "write every event as a line of JSON; a review as one")
	f.add(flags)
	return c
}

// chat talks until there is nothing more to be said.
func (m *Main) chat(ctx context.Context, file string, f *chatFlags) error {
	if file == "" && f.thread == "" {
		return usagef("expected a FILE, a dialogue to begin with, or --thread ID, a conversation to go on with")
	}
	c := &chat{m: m, thread: f.thread, json: f.json, working: working{area: m.out.NewArea()}}
	if file != "" {
		path, err := recipeFile(file)
		if err == nil {
			err = c.load(path, nil, f.model)
		}
		if err == nil && f.language != "" {
			err = c.speak(f.language)
		}
		if err != nil {
			return err
		}
	}
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	if c.house, err = m.openAt(ctx, d, file != "", fermata.Options{Name: m.user()}); err != nil {
		return err
	}
	return c.house.closed(c.talk(ctx, f))
}

// load compiles the dialogue of a file, or the one that is kept with a conversation.
func (c *chat) load(file string, kept []byte, model string) (err error) {
	made := &actions{m: c.m, dir: filepath.Dir(file)}
	opts := dialogue.Options{ActionsFrom: made.from}
	if model != "" {
		opts.NLU = dialogue.NewModelNLU(dialogue.ModelOptions{Model: model})
	}
	if kept != nil {
		c.dialogue, err = dialogue.Restore(kept, opts)
	} else {
		c.dialogue, err = dialogue.Load(file, opts)
	}
	c.recipes = made.recipes
	return err
}

// speak takes the dialogue in another language.
func (c *chat) speak(language string) error {
	known := c.dialogue.Languages()
	if !slices.Contains(known, language) {
		return usagef("--language %s: the dialogue is held in %s", language, strings.Join(known, ", "))
	}
	c.dialogue = c.dialogue.In(language)
	return nil
}

// needModels refuses a dialogue whose models cannot be asked: the conversation would only go wrong later.
func (c *chat) needModels(model string) error {
	if model == "" {
		if err := c.m.needModels(c.dialogue); err != nil {
			return err
		}
	} else if err := c.m.ready(model); err != nil {
		return usagef("--model %s: %v", model, err)
	}
	for _, r := range c.recipes {
		if err := c.m.needModels(r); err != nil {
			return err
		}
	}
	return nil
}

// chat is a conversation at this terminal.
type chat struct {
	m        *Main
	house    *house
	dialogue *dialogue.Dialogue
	recipes  []*recipe.Recipe // of its actions
	all      *dialogue.Conversations
	thread   string // what the conversation is called
	id       string // the run that it is: the thread's, or the last one that took a message back
	seen     uint64 // the last seq that was shown
	reply    dialogue.Reply
	handed   bool // it was said that a person has it
	json     bool
	lines    lineReader
	kept     []string // what was said and not taken, of a reader that cannot offer it again
	working
}

// working is what the terminal shows while an answer is on its way.
type working struct {
	area   *term.Area
	busy   string // what is being done
	stream string // the text that a model is writing
}

// talk opens the conversation, and takes lines until there are no more.
func (c *chat) talk(ctx context.Context, f *chatFlags) error {
	found, err := c.find(ctx, f.model)
	if err != nil {
		return err
	}
	if err := c.needModels(f.model); err != nil {
		return err
	}
	digest, err := c.house.SaveDefinition(ctx, dialogueKind, c.dialogue.Source())
	if err != nil {
		return err
	}
	c.all = dialogue.NewConversations(c.house.Runtime, c.dialogue, dialogue.ConversationOptions{
		Start: []fermata.StartOption{fermata.WithDefinition(digest), fermata.StartedBy(c.m.user())},
	})
	c.lines = c.m.lineReader()
	defer c.area.Clear()
	switch {
	case found && f.language != "" && !slices.Contains(c.dialogue.Languages(), f.language):
		return c.speak(f.language)
	case found:
		if err = c.goOn(ctx); err == nil && f.language != "" && !c.reply.Closed {
			err = c.changeLanguage(ctx, f.language)
		}
	default:
		err = c.open(ctx, f.context)
	}
	for err == nil && !c.reply.Closed {
		var line string
		line, err = c.lines.read(ctx)
		if err == nil {
			err = c.take(ctx, line)
		}
	}
	c.area.Clear()
	c.sayKept()
	return c.leave(err)
}

// errQuit ends a chat.
var errQuit = errors.New("quit")

// leave says how to come back.
func (c *chat) leave(err error) error {
	stopped := errors.Is(err, errInterrupted) && !c.house.dsn.memory()
	switch {
	case err != nil && !stopped && !errors.Is(err, io.EOF) && !errors.Is(err, errQuit):
		return err
	case c.reply.Closed:
		if !c.json && !c.m.global.quiet {
			c.m.err.Println(c.m.err.Styles().Faint.Apply("the conversation is over"))
		}
	case !c.house.dsn.memory() && !c.json && !c.m.global.quiet:
		if stopped {
			c.m.err.Println("stopped while something was at work for you: it goes on with the conversation")
		}
		c.m.hints(hintTo("go on with the conversation", "chat", "--thread", c.thread))
	}
	if stopped {
		return &exit{code: exitPaused}
	}
	return nil
}

// find finds the thread, and restores its dialogue; without one that exists there has to be a file.
func (c *chat) find(ctx context.Context, model string) (found bool, err error) {
	if c.thread == "" {
		var b [4]byte
		_, _ = rand.Read(b[:]) // it never fails
		c.thread = "chat_" + hex.EncodeToString(b[:])
		c.id = c.thread
		return false, nil
	}
	if c.id, err = c.newest(ctx); err != nil {
		return false, err
	}
	info, err := c.house.Info(ctx, c.id)
	switch {
	case errors.Is(err, fermata.ErrNotFound) && c.dialogue != nil:
		return false, nil
	case errors.Is(err, fermata.ErrNotFound):
		return false, usagef("no conversation %q in %s%s; with a FILE it is begun", c.thread, c.house.dsn, c.m.elsewhere(c.house.dsn))
	case err != nil:
		return false, err
	case info.Kind != dialogueKind || info.Definition == "":
		return false, invalidf("run %s of %q is no conversation that this command has begun (%s)", info.ID, info.Plan, info.Kind)
	}
	if c.dialogue != nil && c.dialogue.Digest() != info.Definition && !c.m.global.quiet {
		c.m.err.Println("the conversation goes on with the dialogue that it was begun with; --thread with another id begins one with the file")
	}
	_, text, err := c.house.Definition(ctx, info.Definition)
	if err == nil {
		err = c.load("", text, model)
	}
	return true, err
}

// undone is the run of a thread that has taken back a message, the n-th of its runs.
func undone(thread string, n int) string { return fmt.Sprintf("%s~%d", thread, n) }

// newest is the run of the thread: the last of ID, ID~2, ID~3 and so on, which took messages back.
func (c *chat) newest(ctx context.Context) (string, error) {
	for last, n := c.thread, 2; ; n++ {
		next := undone(c.thread, n)
		_, err := c.house.Info(ctx, next)
		if errors.Is(err, fermata.ErrNotFound) {
			return last, nil
		}
		if err != nil {
			return "", err
		}
		last = next
	}
}

// open begins the conversation.
func (c *chat) open(ctx context.Context, given []string) error {
	with, err := c.m.conversationContext(c.dialogue, given)
	if err != nil {
		return err
	}
	if _, err := c.dialogue.Begin(with); err != nil {
		return &exit{exitInvalid, err}
	}
	if _, _, err := c.all.Open(ctx, c.id, with); err != nil {
		return err
	}
	return c.turn(ctx, func(context.Context) (dialogue.Reply, error) { return c.standing(ctx) })
}

// conversationContext reads --context flags. Values of declared names are read as those of slots are.
func (m *Main) conversationContext(d *dialogue.Dialogue, given []string) (map[string]any, error) {
	types := make(map[string]dialogue.SlotType)
	for _, s := range d.Definition().Context {
		types[s.Name] = s.Type
	}
	with := make(map[string]any, len(given))
	for _, flag := range given {
		name, text, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, usagef("--context %q: expected name=value or name=@FILE", flag)
		}
		value, err := m.readValue(text)
		if err != nil {
			return nil, err
		}
		with[name] = value
		if t, known := types[name]; known && !t.Composite() && !strings.HasPrefix(text, "@") {
			with[name] = text
		}
	}
	return with, nil
}

// goOn shows what was said last in a conversation that exists, and what is asked.
func (c *chat) goOn(ctx context.Context) error {
	info, err := c.house.Info(ctx, c.id)
	if err != nil {
		return err
	}
	c.seen = info.Head
	if c.reply, err = c.standing(ctx); err != nil {
		return err
	}
	asked, err := c.house.Inbox(ctx, journal.InboxFilter{Run: c.id})
	if err != nil {
		return err
	}
	if !c.json {
		if err := c.showLast(ctx); err != nil {
			return err
		}
	}
	if len(asked) > 0 || c.reply.Closed {
		c.showOptions(c.reply.Pending)
		return nil
	}
	return c.turn(ctx, func(ctx context.Context) (dialogue.Reply, error) { // a process has died in the middle of it
		if err := c.all.Resume(ctx, c.id); err != nil {
			return dialogue.Reply{}, err
		}
		return c.standing(ctx)
	})
}

// showLast shows what was said last.
func (c *chat) showLast(ctx context.Context) error {
	lines, err := c.said(ctx)
	if err != nil {
		return err
	}
	const last = 6
	if n := len(lines) - last; n > 0 {
		c.note(fmt.Sprintf("%d lines before that: /transcript", n))
		lines = lines[n:]
	}
	for _, l := range lines {
		c.showLine(l)
	}
	return nil
}

// standing is what the conversation waits for.
func (c *chat) standing(ctx context.Context) (dialogue.Reply, error) {
	info, err := c.house.Info(ctx, c.id)
	if err != nil {
		return dialogue.Reply{}, err
	}
	r := dialogue.Reply{Closed: info.Ended(), Seq: info.Head}
	asked, err := c.house.Inbox(ctx, journal.InboxFilter{Run: c.id})
	for i := range asked {
		if w, ok := waitingOf(&asked[i].Interrupt); ok {
			r.Pending, r.Handoff = w.PendingTask, w.Handoff
		}
	}
	return r, err
}
