package fleet

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/fermata-go/fermata/internal/feed"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/internal/watch"
	"github.com/fermata-go/fermata/journal"
)

// openFeed makes the hub of a store that tells which runs have changed.
func (f *Fleet) openFeed() {
	store, ok := storage.Capability[journal.Feeder](f.Store)
	if !ok {
		return
	}
	o := feed.Options{Failed: func(err error) {
		f.Log.Warn("reading the feed of changes failed; it is read again", "error", err)
	}}
	if storage.WatcherOf(f.Store) != nil {
		o.Join = func() (leave func()) { return f.env.Room.Join(watch.Any) }
	}
	f.feed = feed.New(store, o)
}

// feedError is an error of the feed with its code.
func (f *Fleet) feedError(err error) error {
	if errors.Is(err, journal.ErrQuery) {
		if at, ok := errors.AsType[*journal.StoreError](err); ok { // where the store is matters to nobody who asks wrongly
			err = at.Err
		}
		return &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	return f.StoreError("", err)
}

// openedFeed refuses where there is no feed.
func (f *Fleet) openedFeed() error {
	if f.feed == nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("%w: the store (%T) tells no changes: it is no journal.Feeder",
			errors.ErrUnsupported, storage.Unguarded(f.Store))}
	}
	return f.Open("")
}

// Feed yields the changes of runs behind a cursor, and with follow those to come.
func (f *Fleet) Feed(ctx context.Context, after string, follow bool) iter.Seq2[runtype.RunChange, error] {
	return func(yield func(runtype.RunChange, error) bool) {
		if err := f.openedFeed(); err != nil {
			yield(runtype.RunChange{}, err)
			return
		}
		for told, err := range f.feed.Follow(ctx, after, follow) {
			if err != nil {
				yield(runtype.RunChange{}, f.feedError(err))
				return
			}
			if !yield(runtype.RunChange{Cursor: told.Cursor, Run: told.Row, Gone: told.Gone}, nil) {
				return
			}
		}
	}
}

// FeedCursor returns the cursor of the present.
func (f *Fleet) FeedCursor(ctx context.Context) (string, error) {
	if err := f.openedFeed(); err != nil {
		return "", err
	}
	cursor, err := f.feed.Now(ctx)
	if err != nil {
		return "", f.feedError(err)
	}
	return cursor, nil
}
