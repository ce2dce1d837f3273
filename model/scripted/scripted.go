package scripted

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/model"
)

// ErrNoReply says that the script has no reply to a request.
var ErrNoReply = errors.New("the script has no reply")

// Reply is what the model says. Its fields may be combined; the zero value says nothing and ends well.
type Reply struct {
	Reasoning string           // comes first, word by word
	Text      string           // comes word by word
	Calls     []model.ToolCall // of tools, after the text; the arguments come word by word
	Every     int              // instead of by words, comes in pieces of so many bytes at most; a character stays whole
	Chunks    []model.Chunk    // replaces all of the above: exactly these, followed by the usage and the finish

	// Usage is what it took. Defaults to counting words: those of the request's system text, messages, tool calls and
	// results are the input, those of the reply the output, without a price.
	Usage *model.Usage
	// Finish says why it ends. Defaults to FinishCalls with Calls, and to FinishStop without.
	Finish model.Finish
	// Err ends the reply, after what was said until then and its usage, if that is set; there is no finish.
	Err error
}

// Rule is a reply for the requests that it fits, as often as they come.
type Rule struct {
	Contains string                      // fits when the prompt (model.Request.Prompt) contains this; "" for any
	When     func(r *model.Request) bool // fits when it says so, too; nil for always
	Reply    Reply
}

// Script holds the replies of a model. The first rule that fits replies, else the next of the replies, else the
// transcript if it has the request, else Func.
type Script struct {
	Rules      []Rule
	Replies    []Reply // each is said once, in order
	Transcript *Transcript
	Func       func(r *model.Request) (Reply, error)

	Name string // of the model, in its replies; those of a transcript have their own. Defaults to "scripted"
	// Speed is how fast the replies of the transcript come: 1 as they were recorded, 10 ten times as fast. Defaults to at
	// once.
	Speed float64
}

// Model is a model that says what its script says. It is safe for concurrent use: of requests that come at the same
// time, which gets which of the Replies is not said.
type Model struct {
	script Script

	mu       sync.Mutex
	said     int // how many of the Replies were said
	answered int
	replayed map[string]int // digest of a request -> how many exchanges of the transcript with it were said
	requests []model.Request
}

var _ model.Model = (*Model)(nil)

// New makes a model of a script.
func New(s Script) *Model {
	if s.Name == "" {
		s.Name = "scripted"
	}
	return &Model{script: s}
}

// Texts makes a model that says these texts, one after the other.
func Texts(texts ...string) *Model {
	var s Script
	for _, text := range texts {
		s.Replies = append(s.Replies, Reply{Text: text})
	}
	return New(s)
}

// Func makes a model that answers every prompt (model.Request.Prompt) by a function.
func Func(answer func(prompt string) (string, error)) *Model {
	return New(Script{Func: func(r *model.Request) (Reply, error) {
		text, err := answer(r.Prompt())
		return Reply{Text: text}, err
	}})
}

// Requests are the requests that it got, in the order in which they came.
func (m *Model) Requests() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Answered is how many replies were given to their end. One that failed is not among them, nor one that was cut: by a
// ctx that was done, or by a caller who stopped ranging, be it at the last chunk.
func (m *Model) Answered() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.answered
}

// Generate implements model.Model.
func (m *Model) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		chunks, err := m.next(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		failed := false
		for chunk, err := range chunks {
			if stopped := ctx.Err(); stopped != nil {
				yield(model.Chunk{}, stopped)
				return
			}
			failed = failed || err != nil
			if !yield(chunk, err) {
				return
			}
		}
		if !failed {
			m.mu.Lock()
			m.answered++
			m.mu.Unlock()
		}
	}
}

// next notes a request and finds the reply to it.
func (m *Model) next(ctx context.Context, req *model.Request) (iter.Seq2[model.Chunk, error], error) {
	m.mu.Lock()
	noted := *req
	noted.Messages = slices.Clone(req.Messages) // a conversation goes on in the same slice
	m.requests = append(m.requests, noted)
	number := len(m.requests)
	m.mu.Unlock()
	for _, rule := range m.script.Rules { // the script's functions are called without the lock
		if strings.Contains(req.Prompt(), rule.Contains) && (rule.When == nil || rule.When(req)) {
			return rule.Reply.chunks(m.script.Name, req), nil
		}
	}
	if reply := m.nextOfList(); reply != nil {
		return reply.chunks(m.script.Name, req), nil
	}
	if m.script.Transcript != nil {
		if x := m.nextOfTranscript(req); x != nil {
			return x.play(ctx, m.script.Speed), nil
		}
	}
	if m.script.Func != nil {
		reply, err := m.script.Func(req)
		return reply.chunks(m.script.Name, req), err
	}
	return nil, m.nothingFor(req, number)
}

// nextOfList is the next of the replies, nil when all were said.
func (m *Model) nextOfList() *Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.said == len(m.script.Replies) {
		return nil
	}
	m.said++
	return &m.script.Replies[m.said-1]
}

// nothingFor says what was asked, and why there is no reply.
func (m *Model) nothingFor(req *model.Request, number int) error {
	var why []string
	if n := len(m.script.Replies); n > 0 {
		why = append(why, fmt.Sprintf("its list of %d has been said", n))
	}
	if len(m.script.Rules) > 0 {
		var rules []string
		for _, rule := range m.script.Rules {
			fits := fmt.Sprintf("%q", rule.Contains)
			if rule.When != nil {
				fits += " and a function"
			}
			rules = append(rules, fits)
		}
		why = append(why, "no rule fits ("+strings.Join(rules, ", ")+")")
	}
	if m.script.Transcript != nil {
		why = append(why, m.script.Transcript.lacks(req))
	}
	if len(why) == 0 {
		why = append(why, "it is empty")
	}
	return fmt.Errorf("%w to request %d: %s; the request is\n%s", ErrNoReply, number, strings.Join(why, ", and "), show(req))
}

// show is a request as people read it.
func show(req *model.Request) string {
	var b strings.Builder
	line := func(who, text string) {
		fmt.Fprintf(&b, "  %s: %s\n", who, strings.ReplaceAll(text, "\n", "\n    "))
	}
	if req.System != "" {
		line("system", req.System)
	}
	for i := range req.Messages {
		for _, p := range req.Messages[i].Parts {
			who := string(req.Messages[i].Role)
			if p.Kind != model.TextPart {
				who += " (" + string(p.Kind) + ")"
			}
			line(who, partText(&p))
		}
	}
	for _, t := range req.Tools {
		line("tool", t.Name)
	}
	return strings.TrimRight(b.String(), "\n")
}

func partText(p *model.Part) string {
	switch {
	case p.Call != nil:
		return p.Call.Name + " " + string(p.Call.Arguments)
	case p.Result != nil:
		return p.Result.Text
	case p.Media != nil:
		return p.Media.Type
	}
	return p.Text
}
