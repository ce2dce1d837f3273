package remote

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/fermata-go/fermata/model"
)

// Stream is a stream of events, as SDKs have them.
type Stream[E any] interface {
	Next() bool
	Current() E
	Err() error
	Close() error
}

// Reader makes chunks of the events of one reply.
type Reader[E any] interface {
	// Read is what an event says.
	Read(event *E) iter.Seq[model.Chunk]
	// Over reports whether the service has said that no event comes any more. Where services do not say so, it is false.
	Over() bool
	// Reason is why the reply ended, in the service's words; "" as long as it has not said.
	Reason() string
	// Finish is the same in ours. It is asked when there is a Reason, and fails for one that is no end of a reply.
	Finish() (model.Finish, error)
	// Said is the event with which a service gives a reply up, as JSON, where that is what the error of a stream is.
	Said(err error) (event []byte, ok bool)
}

// Reply asks, and says what comes. It ends without an error when the reply is whole, or nobody listens any more.
func Reply[E any, S Stream[E]](ctx context.Context, s *Service, ask func(context.Context) S, r Reader[E], say func(model.Chunk) bool) error {
	asking, silence, cancel := watched(ctx, s.Host, s.idle)
	defer cancel() // closes the connection of a stream that is not read to its end
	stream := ask(asking)
	defer stream.Close() //nolint:errcheck // it was read to where anybody wanted it
	for !r.Over() && stream.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		event, said := stream.Current(), false
		for chunk := range r.Read(&event) {
			if !said {
				said = true
				silence.pause()
			}
			if !say(chunk) {
				return nil
			}
		}
		silence.goOn(said)
	}
	silence.pause()
	if silent, ok := errors.AsType[*model.Error](context.Cause(asking)); ok && ctx.Err() == nil && r.Reason() == "" {
		return silent
	}
	if err := s.ended(ctx, stream.Err(), r.Reason() != "", r.Said); err != nil {
		return err
	}
	finish, err := r.Finish()
	if err != nil {
		return err
	}
	say(model.Chunk{Finish: finish})
	return nil
}

// ended is the error for the end of a stream, nil where the reply is whole: what may be missing behind the reason of
// its end is the usage, which is not worth asking once more.
func (s *Service) ended(ctx context.Context, err error, whole bool, said func(error) ([]byte, bool)) error {
	if event, ok := said(err); ok && ctx.Err() == nil {
		return s.said(event)
	}
	if whole && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && ctx.Err() == nil {
		return nil
	}
	if err == nil {
		err = s.cut()
	}
	return s.Failed(ctx, err)
}
