package scripted

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/fermata-go/fermata/model"
)

// Transcript holds the requests to a model and its replies. [Record] writes it, [ReadTranscript] reads it, and a
// [Script] replies from it to the same requests. It does not change.
//
// A request is the same when it has the same members with the same values, Request.Key aside. Where the same was asked
// several times, the replies come in the order in which they were recorded, and then the last of them again and again.
//
// As text a transcript has a JSON object on each line, the first of them {"fermata":"transcript","version":1}. It may
// come again, so that transcripts can be joined. The others are exchanges:
//
//	{"digest":"9f…","request":{…},"reply":[{"at":152000,"text":"Hel"},{"at":161000,"finish":"stop"}]}
//	{"digest":"03…","request":{…},"reply":[],"error":{"kind":"rate_limited","retryAfter":2000000}}
//
// A request is a model.Request, and its digest may be left out: it is there to be found. The pieces of a reply are
// chunks, each with its time in microseconds since the request. An error has what model.Error has, its retryAfter in
// microseconds, and a text where the error had another one.
type Transcript struct {
	exchanges []exchange
	byDigest  map[string][]int // places in exchanges
}

// Requests are the requests that were recorded, in order. They are not the caller's to change.
func (t *Transcript) Requests() iter.Seq[*model.Request] {
	return func(yield func(*model.Request) bool) {
		for i := range t.exchanges {
			if !yield(t.exchanges[i].Request) {
				return
			}
		}
	}
}

// version is that of the form of transcripts. Whatever is added to an exchange makes another one: readers know all
// members.
const version = 1

// header is the first line.
type header struct {
	Format  string `json:"fermata"`
	Version int    `json:"version"`
}

const format = "transcript"

// exchange is what was asked once, and what came of it.
type exchange struct {
	Digest  string         `json:"digest,omitempty"`
	Request *model.Request `json:"request"`
	Reply   []piece        `json:"reply"`
	Error   *failure       `json:"error,omitempty"`

	line int
}

// piece is a chunk of a reply.
type piece struct {
	At        int64        `json:"at"` // microseconds since the request
	Text      string       `json:"text,omitempty"`
	Reasoning string       `json:"reasoning,omitempty"`
	Signature string       `json:"signature,omitempty"`
	Call      *callPiece   `json:"call,omitempty"`
	Usage     *model.Usage `json:"usage,omitempty"`
	Model     string       `json:"model,omitempty"`
	Finish    model.Finish `json:"finish,omitempty"`
}

type callPiece struct {
	Index     int    `json:"index"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// failure is how a reply ended that did not end well.
type failure struct {
	Kind       model.Kind `json:"kind,omitempty"`
	Message    string     `json:"message,omitempty"`
	RetryAfter int64      `json:"retryAfter,omitempty"` // microseconds
	Text       string     `json:"text,omitempty"`       // what the error said, if not what these make of it
}

// Replay makes a model that says what a transcript has, see [Transcript]. A request that is not in it is [ErrNoReply],
// with the nearest that is, and where they first differ.
func Replay(r io.Reader) (*Model, error) {
	t, err := ReadTranscript(r)
	if err != nil {
		return nil, err
	}
	return New(Script{Transcript: t}), nil
}

// ReadTranscript reads what [Record] wrote. Its errors name the line; one is a last line that is cut off, as a process
// leaves it that died while it wrote.
func ReadTranscript(r io.Reader) (*Transcript, error) {
	t := &Transcript{byDigest: make(map[string][]int)}
	lines, begun := bufio.NewReader(r), false
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("transcript, line %d: %w", n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if failed := t.add(line, n, !begun); failed != nil {
				return nil, fmt.Errorf("transcript, line %d: %w", n, failed)
			}
			begun = true
		}
		if err != nil {
			break
		}
	}
	if !begun {
		return nil, fmt.Errorf("transcript: expected a first line %s, found nothing", headerLine())
	}
	return t, nil
}

func headerLine() string { return fmt.Sprintf(`{"fermata":%q,"version":%d}`, format, version) }

func (t *Transcript) add(line []byte, n int, first bool) error {
	var h header
	if err := json.NewDecoder(bytes.NewReader(line)).Decode(&h); err != nil {
		return unreadable(err)
	}
	switch header := first || h.Format != ""; {
	case header && h.Format != format:
		return fmt.Errorf("expected %s, found %s", headerLine(), excerpt(string(line), 0))
	case header && h.Version != version:
		return fmt.Errorf("the transcript has version %d, and this program reads version %d", h.Version, version)
	case header:
		return nil
	}
	x := exchange{line: n}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return unreadable(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("expected one JSON object, found more behind it")
	}
	if err := x.check(); err != nil {
		return err
	}
	found, err := digest(x.Request)
	if err != nil {
		return err
	}
	if x.Digest != "" && x.Digest != found {
		return fmt.Errorf("the digest is not that of the request, %s: one of them was changed; leave the digest out", found)
	}
	t.byDigest[found] = append(t.byDigest[found], len(t.exchanges))
	t.exchanges = append(t.exchanges, x)
	return nil
}

// check finds what encoding/json lets through.
func (x *exchange) check() error {
	if x.Request == nil {
		return errors.New(`expected a member "request", found none`)
	}
	const longest = math.MaxInt64 / int64(time.Microsecond)
	for i, p := range x.Reply {
		if p.At < 0 || p.At > longest {
			return fmt.Errorf("/reply/%d/at: expected microseconds from 0 to %d, found %d", i, longest, p.At)
		}
	}
	if e := x.Error; e != nil && (e.RetryAfter < 0 || e.RetryAfter > longest) {
		return fmt.Errorf("/error/retryAfter: expected microseconds from 0 to %d, found %d", longest, e.RetryAfter)
	}
	return nil
}

func unreadable(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is cut off: was the recording interrupted? Delete the line to use the others")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("expected a JSON object, found %s", wrong.Value)
		}
		return fmt.Errorf("/%s: found %s, which it cannot be", strings.ReplaceAll(wrong.Field, ".", "/"), wrong.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// digest is what is the same for the same requests, whatever the order of the members of what is JSON in them.
func digest(req *model.Request) (string, error) {
	tree, err := treeOf(req)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// treeOf is a request as the maps and lists of its JSON.
func treeOf(req *model.Request) (any, error) {
	data, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("the request has no JSON form: %w", err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&tree)
	return tree, err
}

// nextOfTranscript is the exchange that answers a request, nil for none.
func (m *Model) nextOfTranscript(req *model.Request) *exchange {
	found, err := digest(req)
	if err != nil {
		return nil
	}
	t := m.script.Transcript
	places := t.byDigest[found]
	if len(places) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.replayed[found]
	if i < len(places)-1 {
		if m.replayed == nil {
			m.replayed = make(map[string]int)
		}
		m.replayed[found]++
	}
	return &t.exchanges[places[i]]
}

// play yields what was said, at so many times the speed at which it was; 0 for at once. Its caller looks after the ctx.
func (x *exchange) play(ctx context.Context, speed float64) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		begun := time.Now()
		for i := range x.Reply {
			p := &x.Reply[i]
			if speed > 0 {
				at := time.Duration(float64(p.At) / speed * float64(time.Microsecond))
				wait(ctx, at-time.Since(begun))
			}
			if !yield(p.chunk(), nil) {
				return
			}
		}
		if x.Error != nil {
			yield(model.Chunk{}, x.Error.error())
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (p *piece) chunk() model.Chunk {
	c := model.Chunk{Text: p.Text, Reasoning: p.Reasoning, Signature: p.Signature, Model: p.Model, Finish: p.Finish}
	if p.Call != nil {
		c.Call = new(model.CallChunk(*p.Call))
	}
	if p.Usage != nil {
		c.Usage = new(*p.Usage)
	}
	return c
}

// error is the failure as an error: of the same kind and with the same text.
func (f *failure) error() error {
	known := &model.Error{Kind: f.Kind, Message: f.Message, RetryAfter: time.Duration(f.RetryAfter) * time.Microsecond}
	if f.Text == "" {
		return known
	}
	return &recordedError{f.Text, known}
}

// recordedError is an error that said it in other words.
type recordedError struct {
	text  string
	known *model.Error
}

func (e *recordedError) Error() string { return e.text }

// Unwrap is what is known of the failure.
func (e *recordedError) Unwrap() error { return e.known }
