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

	"github.com/fermata-go/fermata/internal/document"
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

func parseScript(data []byte, name string, r *document.Report) *scripted.Script {
	src := document.Read(name, data, r)
	s := &script{file: name}
	if src.Root != nil {
		s.read(document.NewObject(document.Spot{Source: src, Node: src.Root}, r, scriptKeys))
	}
	return &scripted.Script{Func: s.reply}
}

func (s *script) read(o *document.Object) {
	if kind := o.Text("kind"); o.Has("kind") && kind.Text != "Script" {
		o.Report.Add(kind.Spot, "kind is %s; expected Script", document.Quote(kind.Text))
	}
	if o.Has("turns") == o.Has("conversations") {
		o.Report.Add(o.Spot, "expected either turns or conversations: a list of what the model says, or of prompts with that")
		return
	}
	if o.Has("turns") {
		s.conversations = append(s.conversations, conversation{turns: readTurns(o)})
	}
	for _, at := range o.List("conversations") {
		c := document.NewObject(at, o.Report, conversationKeys)
		if at.Node.Kind == yaml.MappingNode && !c.Has("turns") {
			c.Need("turns", "a list of what the model says")
		}
		s.conversations = append(s.conversations, conversation{prompt: c.Text("prompt").Text, turns: readTurns(c)})
	}
}

// readTurns reads what a model says, turn by turn.
func readTurns(o *document.Object) []scripted.Reply {
	var turns []scripted.Reply
	for _, at := range o.List("turns") {
		t := readTurn(at, turnKeys, o.Report)
		turns = append(turns, t.reply)
	}
	return turns
}

// turn is what a model says once.
type turn struct {
	document.Spot
	reply  scripted.Reply
	prompt string          // the model must be given a text that contains this; of a test
	cost   int64           // micro-dollars; likewise
	tools  []document.Word // those that it calls, under the names that it knows them by
}

// failures are the kinds of errors that a script can say.
var failures = []string{
	string(model.ErrTruncated), string(model.ErrRefused), string(model.ErrRateLimited), string(model.ErrUnavailable),
	string(model.ErrTooLong), string(model.ErrInvalid), string(model.ErrMalformed),
}

// readTurn reads what a model says once: a text, or a mapping of the keys.
func readTurn(at document.Spot, keys []string, r *document.Report) turn {
	t := turn{Spot: at}
	if at.Node.Kind == yaml.ScalarNode && !document.IsNull(at.Node) {
		t.reply.Text = at.Node.Value
		return t
	}
	o := document.NewObject(at, r, keys)
	if at.Node.Kind == yaml.MappingNode && len(at.Node.Content) == 0 {
		r.Add(at, "the turn is empty; expected a text, or a mapping of %s", strings.Join(keys, ", "))
	}
	t.prompt, t.cost = o.Text("prompt").Text, dollars(o, "cost")
	t.reply.Reasoning, t.reply.Text = o.Text("reasoning").Text, o.Text("text").Text
	if o.Has("text") && o.Has("output") {
		r.Add(o.At("output"), "text and output exclude each other; output is a value that is said as JSON")
	}
	if _, there := o.Fields["output"]; there {
		data, err := document.Encode(o.Value("output"))
		if err != nil {
			r.Add(o.At("output"), "%v", err)
		}
		t.reply.Text = string(data)
	}
	for i, at := range o.List("calls") {
		t.readCall(document.NewObject(at, r, callKeys), fmt.Sprint(i+1))
	}
	if o.Has("error") {
		if kind := o.Choice("error", failures...); slices.Contains(failures, kind) {
			t.reply.Err = &model.Error{Kind: model.Kind(kind), Message: "the script says so"}
		}
	}
	return t
}

func (t *turn) readCall(o *document.Object, id string) {
	name := o.NeedText("tool", "a tool, as the agent's tools name it or as the model knows it")
	if ref := (toolRef{Word: name}); ref.read() {
		name.Text = ref.known()
	}
	call := model.ToolCall{ID: id, Name: name.Text, Arguments: json.RawMessage("{}")}
	if o.Has("arguments") {
		data, err := document.Encode(o.Value("arguments"))
		if err != nil {
			o.Report.Add(o.At("arguments"), "%v", err)
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
	return scripted.Reply{}, fmt.Errorf("%w: %s has no conversation for the prompt %s", scripted.ErrNoReply, s.file, document.Quote(r.Prompt()))
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

// Scripts returns models whose replies are written down, for a [model.Set] under the name "scripted". An agent's model
// "scripted:replies.yaml" is that file in the recipe's folder. Loading a recipe reads the files that it names. A program
// that asks for "scripted:replies.yaml" itself means a file in its working directory. One that ends in .jsonl is a
// transcript of a real model, see [scripted.Transcript]. Any other is a script:
//
//	kind: Script
//	conversations:
//	  - prompt: A-17              # the prompts that hold this text; left out: any
//	    turns:                    # what is said at the first, the second … time that one agent asks
//	      - calls: [{tool: orders_find, arguments: {id: A-17}}]
//	      - text: "It is on its way."
//
// A turn is a text, or a mapping of text, output (a value, said as JSON), calls of tools, reasoning and error (a kind
// of [model.Error]). A script may have its turns without conversations, for any prompt.
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
func (l *loader) script(at document.Word, name string) *scripted.Script {
	text, name, err := l.open(name)
	switch {
	case err != nil:
		l.report.Add(at.Spot, "%v", err)
		return nil
	case filepath.Ext(name) != transcriptExt:
		return parseScript([]byte(text), l.pathTo(name), l.report)
	case len(text) > document.MaxBytes:
		l.report.Add(at.Spot, "%s has more than %d bytes", document.Quote(name), document.MaxBytes)
		return nil
	}
	t, err := scripted.ReadTranscript(strings.NewReader(text))
	if err != nil {
		l.report.Add(at.Spot, "%s: %v", document.Quote(name), err)
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
		return nil, &model.Error{Kind: model.ErrNoModel, Message: "the script " + document.Quote(filepath.Base(file)) + ": " + err.Error(), Err: err}
	}
	if file == "" {
		return fail(errors.New("expected scripted:FILE, with the path of a file"))
	}
	data, err := readFile(file, document.MaxBytes)
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
	r := newReport()
	s := parseScript(data, file, r)
	if err := r.Err(); err != nil {
		return fail(err)
	}
	return s, nil
}
