package settings

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Options configure settings. The zero value works.
type Options struct {
	// Now is the time of changes. Defaults to time.Now; give that of the runtime where its store is on another machine (law J12).
	Now func() time.Time
}

// Settings are the documents of a store. Its methods may be called from several goroutines and processes.
type Settings struct {
	store journal.Store
	now   func() time.Time
}

// New returns the settings of a store. The caller closes the store.
func New(store journal.Store, o Options) *Settings {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Settings{store: store, now: o.Now}
}

// prefix begins the ids of settings' journals, and planPrefix the plan in their rows.
const (
	prefix     = "set/"
	planPrefix = "setting:"
)

// id is the id of a document's journal.
func id(what, name string) string { return prefix + what + "/" + name }

// Get returns the newest version of a document. It fails with ErrNotFound where there is none or it was deleted.
func (s *Settings) Get(ctx context.Context, what, name string) (Document, error) {
	all, err := s.History(ctx, what, name)
	if err != nil {
		return Document{}, err
	}
	if newest := all[len(all)-1]; !newest.Deleted() {
		return newest, nil
	}
	return Document{}, ErrNotFound
}

// History returns all versions of a document, the oldest first, with those that deleted it. It fails with ErrNotFound where
// there never was one.
func (s *Settings) History(ctx context.Context, what, name string) (all []Document, err error) {
	if err := checkName(what, name); err != nil {
		return nil, err
	}
	for e, err := range s.store.Read(ctx, id(what, name), 0) {
		if errors.Is(err, journal.ErrNotFound) {
			return nil, ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		d, err := read(what, name, &e)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, ErrNotFound
	}
	return all, nil
}

// Names returns the names of all documents of a kind, also of those that were deleted.
func (s *Settings) Names(ctx context.Context, what string) (names []string, err error) {
	if err := checkWhat(what); err != nil {
		return nil, err
	}
	rows, err := s.store.Runs(ctx, journal.RunFilter{Definition: true, Plan: planPrefix + what})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if name, ok := strings.CutPrefix(rows[i].ID, id(what, "")); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// List returns the newest versions of all documents of a kind, by their names. Deleted ones are left out.
func (s *Settings) List(ctx context.Context, what string) (all []Document, err error) {
	names, err := s.Names(ctx, what)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		d, err := s.Get(ctx, what, name)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Forget removes the documents of a kind that were not changed since a time, with their histories.
//
// It returns how many. It is for documents that only count for a while: sessions. No other loses a version (law W4).
func (s *Settings) Forget(ctx context.Context, what string, since time.Time) (n int, err error) {
	if err := checkWhat(what); err != nil {
		return 0, err
	}
	rows, err := s.store.Runs(ctx, journal.RunFilter{Definition: true, Plan: planPrefix + what})
	if err != nil {
		return 0, err
	}
	for i := range rows {
		if !strings.HasPrefix(rows[i].ID, id(what, "")) || rows[i].Updated >= since.UnixMicro() {
			continue
		}
		if err := s.store.Delete(ctx, rows[i].ID); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// mostTries bounds how often a change that nobody contradicts is tried.
const mostTries = 10

// Put changes a document whose newest version has the given seq. Seq 0 makes a new one. It fails with a *ConflictError where the
// document has another version.
func (s *Settings) Put(ctx context.Context, what, name string, seq uint64, c Change) (Document, error) {
	if err := c.check(); err != nil {
		return Document{}, err
	}
	for tries := 1; ; tries++ {
		all, err := s.History(ctx, what, name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return Document{}, err
		}
		if found := current(all); found != seq {
			return Document{}, &ConflictError{What: what, Name: name, Expected: seq, Found: found}
		}
		if seq == 0 && c.Deleted() {
			return Document{}, ErrNotFound
		}
		d, err := s.append(ctx, what, name, all, c)
		if !errors.Is(err, journal.ErrConflict) || tries == mostTries {
			return d, err
		}
	}
}

// current is the seq of the newest version, 0 where it is deleted or there is none.
func current(all []Document) uint64 {
	if len(all) == 0 || all[len(all)-1].Deleted() {
		return 0
	}
	return all[len(all)-1].Seq
}

// append stores a change behind all others of the document.
func (s *Settings) append(ctx context.Context, what, name string, all []Document, c Change) (Document, error) {
	now, after, journalID := s.now(), uint64(len(all)), id(what, name)
	created := now
	if after > 0 {
		created = all[0].At
	}
	e, err := c.entry(what, after+1, now)
	if err != nil {
		return Document{}, err
	}
	err = s.store.Append(ctx, journal.Batch{
		Run: journalID, After: after, Entries: []journal.Entry{e},
		Row: &journal.RunRow{
			ID: journalID, Kind: journal.KindDefinition, Plan: planPrefix + what, Status: "completed",
			Created: created.UnixMicro(), Updated: now.UnixMicro(),
		},
	})
	if err != nil {
		return Document{}, err
	}
	return read(what, name, &e)
}
