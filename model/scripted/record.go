package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/fermata-go/fermata/model"
)

// Record returns a model that writes its requests and replies as a [Transcript], for replay. Each exchange is one Write
// of one line, the first with the header in front, so that several may be recorded at the same time. The record holds
// the request; keys and headers belong to the provider and are never in it.
//
// An exchange is recorded when it is over, also when it failed. One that was given up, by a ctx that was done or by a
// caller who stopped ranging before the finish, is not: nobody knows how it would have gone on.
//
// A reply that cannot be recorded fails with the writer's error, and so do all requests after it.
func Record(m model.Model, w io.Writer) model.Model { return &recorder{Model: m, w: w} }

type recorder struct {
	model.Model

	mu     sync.Mutex
	w      io.Writer
	begun  bool
	failed error
}

// Generate implements model.Model.
func (r *recorder) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		x, err := r.begin(req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		begun, finished := time.Now(), false
		for chunk, err := range r.Model.Generate(ctx, req) {
			if err != nil {
				if ctx.Err() == nil {
					x.Error = failureOf(err)
					if unwritten := r.write(x); unwritten != nil {
						err = errors.Join(err, unwritten)
					}
				}
				yield(chunk, err)
				return
			}
			x.Reply = append(x.Reply, pieceOf(&chunk, time.Since(begun)))
			finished = finished || chunk.Finish != ""
			if yield(chunk, nil) {
				continue
			}
			if finished { // whoever has the finish has it all
				_ = r.write(x) // the next request says what is wrong with it
			}
			return
		}
		if err := r.write(x); err != nil {
			yield(model.Chunk{}, err)
		}
	}
}

// begin is the exchange that begins with a request. It fails where it could not be recorded.
func (r *recorder) begin(req *model.Request) (*exchange, error) {
	r.mu.Lock()
	failed := r.failed
	r.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	found, err := digest(req)
	if err != nil {
		return nil, &model.Error{Kind: model.ErrInvalid, Err: err}
	}
	return &exchange{Digest: found, Request: req, Reply: []piece{}}, nil
}

func (r *recorder) write(x *exchange) error {
	line, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("recording what a model said: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return r.failed
	}
	if !r.begun {
		line = append([]byte(headerLine()+"\n"), line...)
	}
	if _, err := r.w.Write(append(line, '\n')); err != nil {
		r.failed = fmt.Errorf("recording what a model said: %w", err)
		return r.failed
	}
	r.begun = true
	return nil
}

func pieceOf(c *model.Chunk, at time.Duration) piece {
	p := piece{
		At: at.Microseconds(), Text: c.Text, Reasoning: c.Reasoning, Signature: c.Signature, Model: c.Model, Finish: c.Finish,
	}
	if c.Call != nil {
		p.Call = new(callPiece(*c.Call))
	}
	if c.Usage != nil {
		p.Usage = new(*c.Usage)
	}
	return p
}

func failureOf(err error) *failure {
	f := &failure{}
	if known, ok := errors.AsType[*model.Error](err); ok {
		f.Kind, f.Message, f.RetryAfter = known.Kind, known.Message, known.RetryAfter.Microseconds()
	} else if kind, ok := errors.AsType[model.Kind](err); ok { // as it is
		f.Kind = kind
	}
	if text := err.Error(); f.error().Error() != text {
		f.Text = text
	}
	return f
}
