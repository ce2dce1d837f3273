package remote

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/fermata-go/fermata/model"
)

// ErrGaveUp is what a [Reader] returns for an event with which the service gives the reply up. The event's data say why.
var ErrGaveUp = errors.New("the service gave the reply up")

// Reader makes chunks of the events of one reply.
type Reader interface {
	// Read appends the chunks of an event. It fails with ErrGaveUp, or where the event is not what it must be.
	Read(e Event, to []model.Chunk) ([]model.Chunk, error)
	// Over reports whether the service has said that no event comes any more.
	Over() bool
	// Reason is why the reply ended, in the service's words; "" as long as it has not said.
	Reason() string
	// Finish is the same in ours. It is asked when there is a Reason, and fails for one that is no end of a reply.
	Finish() (model.Finish, error)
}

// Generate asks the service with each range over the reply. The function makes the request and the reader of its reply.
func (s *Service) Generate(ctx context.Context, ask func() (Request, Reader, error)) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		request, reader, err := ask()
		if err == nil {
			err = s.reply(ctx, request, reader, func(c model.Chunk) bool { return yield(c, nil) })
		}
		if err != nil {
			yield(model.Chunk{}, err)
		}
	}
}

// reply asks, and says the chunks that come. It ends without an error when the reply is whole, or nobody listens any
// more.
func (s *Service) reply(ctx context.Context, request Request, r Reader, say func(model.Chunk) bool) error {
	asking, silence, cancel := watched(ctx, s.Host, s.idle)
	defer cancel() // closes the connection of a stream that is not read to its end
	body, err := s.send(asking, request, silence)
	if err == nil {
		defer body.Close()
		var heard bool
		if heard, err = s.read(ctx, NewStream(body, s.Host), r, silence, say); !heard {
			return nil
		}
	}
	silence.pause()
	if stopped := ctx.Err(); stopped != nil {
		return stopped
	}
	if silent, ok := errors.AsType[*model.Error](context.Cause(asking)); ok && r.Reason() == "" {
		return silent
	}
	if err := s.ended(ctx, err, r.Reason() != ""); err != nil {
		return err
	}
	finish, err := r.Finish()
	if err != nil {
		return err
	}
	say(model.Chunk{Finish: finish})
	return nil
}

// read says the chunks of a stream up to its end, or to the end of ctx. It reports whether anybody listens to the rest.
func (s *Service) read(ctx context.Context, stream *Stream, r Reader, silence *watch, say func(model.Chunk) bool) (heard bool, err error) {
	var chunks []model.Chunk
	for !r.Over() && ctx.Err() == nil {
		event, err := stream.Next()
		if err != nil {
			return true, err
		}
		chunks, err = r.Read(event, chunks[:0])
		if errors.Is(err, ErrGaveUp) {
			return true, s.gaveUp(event.Data)
		}
		if err != nil {
			return true, err
		}
		if len(chunks) > 0 {
			silence.pause()
		}
		for _, chunk := range chunks {
			if !say(chunk) {
				return false, nil
			}
		}
		silence.goOn(len(chunks) > 0)
	}
	return true, nil
}

// ended is the error for the end of a stream, nil where the reply is whole: what may be missing behind the reason of
// its end is the usage, which is not worth asking once more.
func (s *Service) ended(ctx context.Context, err error, whole bool) error {
	over := err == nil || errors.Is(err, io.EOF)
	switch {
	case whole && (over || errors.Is(err, io.ErrUnexpectedEOF)):
		return nil
	case over:
		err = s.cut()
	}
	return s.failed(ctx, err)
}
