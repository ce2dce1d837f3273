package recipe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// The keys of a script, of a conversation in it, of a turn, and of a call.
var (
	scriptKeys       = []string{"kind", "turns", "conversations"}
	conversationKeys = []string{"prompt", "turns"}
	turnKeys         = []string{"reasoning", "text", "output", "calls", "error"}
	callKeys         = []string{"tool", "arguments"}
)

// script is what a scripted model says. What it says follows from the request alone, and not from what it was asked
// before: a run that another process takes over is told the same.
type script struct {
	file          string
	conversations []conversation
}

// conversation is what is said to prompts that hold a text, turn by turn.
type conversation struct {
	prompt string
	turns  []scripted.Reply
}

// ParseScript reads the text of a script: what a model says, for tests and demonstrations.
//
//	kind: Script
//	conversations:
//	  - prompt: A-17              # the prompts that hold this text; left out: any
//	    turns:                    # what is said at the first, the second … time that one agent asks
//	      - calls: [{tool: orders_find, arguments: {id: A-17}}]
//	      - text: "It is on its way."
//
// A turn is a text, or a mapping of text, output (a value, said as JSON), calls of tools, reasoning and error (a kind of
// [model.Error]). A script may have its turns without conversations, for any prompt. The name is the file's in messages.
// What is wrong is an *Error.
func ParseScript(data []byte, name string) (*scripted.Model, error) {
	r := &report{}
	s := parseScript(data, name, r)
	if err := r.err(); err != nil {
		return nil, err
	}
	return scripted.New(*s), nil
}

func parseScript(data []byte, name string, r *report) *scripted.Script {
	src := readYAML(name, data, r)
	s := &script{file: name}
	if src.root != nil {
		s.read(newObject(spot{src: src, node: src.root}, r, scriptKeys))
	}
	return &scripted.Script{Func: s.reply}
}

func (s *script) read(o *object) {
	if kind := o.text("kind"); o.has("kind") && kind.text != "Script" {
		o.report.add(kind.spot, "kind is %s; expected Script", quote(kind.text))
	}
	if o.has("turns") == o.has("conversations") {
		o.report.add(o.spot, "expected either turns or conversations: a list of what the model says, or of prompts with that")
		return
	}
	if o.has("turns") {
		s.conversations = append(s.conversations, conversation{turns: readTurns(o)})
	}
	for _, at := range o.list("conversations") {
		c := newObject(at, o.report, conversationKeys)
		if at.node.Kind == yaml.MappingNode && !c.has("turns") {
			c.need("turns", "a list of what the model says")
		}
		s.conversations = append(s.conversations, conversation{prompt: c.text("prompt").text, turns: readTurns(c)})
	}
}

// readTurns reads what a model says, turn by turn.
func readTurns(o *object) []scripted.Reply {
	var turns []scripted.Reply
	for _, at := range o.list("turns") {
		t := readTurn(at, turnKeys, o.report)
		turns = append(turns, t.reply)
	}
	return turns
}

// turn is what a model says once.
type turn struct {
	spot
	reply scripted.Reply
	told  string // what it is told must hold this; of a test
	cost  int64  // micro-dollars; likewise
	tools []word // those that it calls, under the names that it knows them by
}

// failures are the kinds of errors that a script can say.
var failures = []string{
	string(model.ErrTruncated), string(model.ErrRefused), string(model.ErrRateLimited), string(model.ErrUnavailable),
	string(model.ErrTooLong), string(model.ErrInvalid), string(model.ErrMalformed),
}

// readTurn reads what a model says once: a text, or a mapping of the keys.
func readTurn(at spot, keys []string, r *report) turn {
	t := turn{spot: at}
	if at.node.Kind == yaml.ScalarNode && !isNull(at.node) {
		t.reply.Text = at.node.Value
		return t
	}
	o := newObject(at, r, keys)
	if at.node.Kind == yaml.MappingNode && len(at.node.Content) == 0 {
		r.add(at, "the turn is empty; expected a text, or a mapping of %s", strings.Join(keys, ", "))
	}
	t.told, t.cost = o.text("prompt").text, o.dollars("cost")
	t.reply.Reasoning, t.reply.Text = o.text("reasoning").text, o.text("text").text
	if o.has("text") && o.has("output") {
		r.add(o.at("output"), "text and output exclude each other; output is a value that is said as JSON")
	}
	if _, there := o.fields["output"]; there {
		data, err := encodeJSON(o.value("output"))
		if err != nil {
			r.add(o.at("output"), "%v", err)
		}
		t.reply.Text = string(data)
	}
	for i, at := range o.list("calls") {
		t.readCall(newObject(at, r, callKeys), fmt.Sprint(i+1))
	}
	if o.has("error") {
		if kind := o.choice("error", failures...); slices.Contains(failures, kind) {
			t.reply.Err = &model.Error{Kind: model.Kind(kind), Message: "the script says so"}
		}
	}
	return t
}

func (t *turn) readCall(o *object, id string) {
	name := o.needText("tool", "a tool, as the agent's tools name it or as the model knows it")
	if ref := (toolRef{word: name}); ref.read() {
		name.text = ref.known()
	}
	call := model.ToolCall{ID: id, Name: name.text, Arguments: json.RawMessage("{}")}
	if o.has("arguments") {
		data, err := encodeJSON(o.value("arguments"))
		if err != nil {
			o.report.add(o.at("arguments"), "%v", err)
		}
		call.Arguments = data
	}
	t.tools, t.reply.Calls = append(t.tools, name), append(t.reply.Calls, call)
}

// reply is what the script has for a request: of the first conversation whose prompt was said, the turn that is next.
func (s *script) reply(r *model.Request) (scripted.Reply, error) {
	for _, c := range s.conversations {
		turn, ok := c.next(r)
		if !ok {
			continue
		}
		if turn >= len(c.turns) {
			return scripted.Reply{}, fmt.Errorf("%w: %s has %d turns for this conversation, and this is the next", scripted.ErrNoReply, s.file, len(c.turns))
		}
		return c.turns[turn], nil
	}
	return scripted.Reply{}, fmt.Errorf("%w: %s has no conversation for the prompt %s", scripted.ErrNoReply, s.file, quote(r.Prompt()))
}

// next is how many replies there have been since the prompt was said; not ok where it was not.
func (c *conversation) next(r *model.Request) (turn int, ok bool) {
	for i := range r.Messages {
		m := &r.Messages[i]
		switch {
		case ok && m.Role == model.Assistant:
			turn++
		case !ok && m.Role == model.User && strings.Contains(m.Text(), c.prompt):
			ok = true
		}
	}
	return turn, ok
}

// Scripts are the models of a program whose replies are written down beforehand, for a [model.Set] under the name
// "scripted": an agent's "scripted:replies.yaml" means that file of the recipe's folder. It holds a script, see
// [ParseScript]; one that ends in .jsonl is a transcript of a real model, see [scripted.Transcript]. What a recipe names
// is read when it is loaded; a program that asks for "scripted:replies.yaml" itself means a file of its working directory.
func Scripts() model.Model { return scripts{} }

type scripts struct{}

// Generate implements model.Model.
func (scripts) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	s, loaded := ctx.Value(scriptKey{}).(*scripted.Script)
	if !loaded {
		var err error
		if s, err = openScript(req.Model); err != nil {
			return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, err) }
		}
	}
	own := *req
	own.Model = ""                              // a file is no model, and transcripts know none
	return scripted.New(*s).Generate(ctx, &own) // anew: what is said to one run is not missing for another
}

// scriptKey is what a context has the script of a recipe's agent under.
type scriptKey struct{}

// script reads a script that an agent names; nil, and reported, where that cannot be.
func (l *loader) script(at word, name string) *scripted.Script {
	text, name, err := l.open(name)
	switch {
	case err != nil:
		l.report.add(at.spot, "%v", err)
		return nil
	case filepath.Ext(name) != transcriptExt:
		return parseScript([]byte(text), l.pathTo(name), l.report)
	case len(text) > maxFileBytes:
		l.report.add(at.spot, "%s has more than %d bytes", quote(name), maxFileBytes)
		return nil
	}
	t, err := scripted.ReadTranscript(strings.NewReader(text))
	if err != nil {
		l.report.add(at.spot, "%s: %v", quote(name), err)
	}
	return &scripted.Script{Transcript: t}
}

// transcriptExt is how the name of a transcript ends.
const transcriptExt = ".jsonl"

// Ready says why a script cannot be used, see model.Ready.
func (scripts) Ready(file string) error {
	_, err := openScript(file)
	return err
}

func openScript(file string) (*scripted.Script, error) {
	fail := func(err error) (*scripted.Script, error) {
		return nil, &model.Error{Kind: model.ErrNoModel, Message: "the script " + quote(filepath.Base(file)) + ": " + err.Error(), Err: err}
	}
	if file == "" {
		return fail(errors.New("expected scripted:FILE, with the path of a file"))
	}
	data, err := readFile(file, maxFileBytes)
	if err != nil {
		return fail(err)
	}
	if filepath.Ext(file) == transcriptExt {
		t, err := scripted.ReadTranscript(bytes.NewReader(data))
		if err != nil {
			return fail(err)
		}
		return &scripted.Script{Transcript: t}, nil
	}
	r := &report{}
	s := parseScript(data, file, r)
	if err := r.err(); err != nil {
		return fail(err)
	}
	return s, nil
}
