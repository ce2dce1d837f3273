package journal

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// FeedNow is the cursor of the present: only changes that are stored later are behind it. The cursor "" is the start: every run
// that is there is behind it.
const FeedNow = "now"

// KeepGone is how long a store remembers at least that a run was deleted. A cursor from before a deletion that the store has
// forgotten is refused.
const KeepGone = 30 * 24 * time.Hour

// Feeder is a store that tells which runs have changed, in an order of its own (law W8).
//
// A change is one of a run's row or of its interrupts: a start, a pause, an end, a question, an answer, a deletion. Entries
// alone are none. Claims by drivers are none.
type Feeder interface {
	// Feed returns a page of changes, the oldest first. A change that is stored when Feed is called is behind each cursor that
	// was returned before it was stored, also if its transaction began earlier and other changes were told meanwhile. A cursor
	// that cannot be continued from is ErrQuery.
	Feed(ctx context.Context, q FeedQuery) (FeedPage, error)
}

// FeedQuery asks for a page of changes.
type FeedQuery struct {
	After string // the cursor of the page before; "" for the start, FeedNow for the present
	Limit int    // changes of the page, at most MaxPage. Defaults to DefaultPage
}

// FeedPage is a page of changes.
type FeedPage struct {
	Began   string      // the cursor where the page begins: of FeedNow, that of the present as it was
	Changes []RunChange // by Mark
	Next    string      // the cursor behind the page; never ""
	More    bool        // there are further changes behind Next, however many this page has
	// Early is how many of the last changes are also behind Next: an earlier change may still be on its way into the store.
	Early int
}

// RunChange says that a run has changed. However often it did, it is told once, with its last change.
type RunChange struct {
	Row  RunRow // as it is now; of a run that is gone only ID, Plan, Kind and Labels
	Gone bool   // the run was deleted
	Mark uint64 // place in the store's order
}

// FeedPlace is where a cursor is in the order of a store.
type FeedPlace struct {
	Order string // names the order: cursors of another one mean nothing
	Mark  uint64 // of the last change
	N     uint64 // tells changes with the same mark apart
	Begin uint64 // of a feed that began at the start: deletions with an earlier mark are not told, for their runs were not either
}

// feedVersion is the version of cursors of feeds. A text begins with it.
const feedVersion = "1"

// Cursor returns the cursor as text.
func (p FeedPlace) Cursor() string {
	data := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, p.Mark), p.N), p.Begin)
	data = append(data, p.Order...)
	data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
	return feedVersion + base64.RawURLEncoding.EncodeToString(data)
}

// Size is the most changes that the page has.
func (q *FeedQuery) Size() int {
	if q.Limit == 0 {
		return DefaultPage
	}
	return q.Limit
}

// Start is the place behind which the page begins, in a store's order. The present is now, whose Begin is the mark of the next deletion.
// A follower that has read up to the mark forgotten has missed no deletion that the store does not remember any more. A cursor that is damaged, of another order, ahead of
// the present or older than a deletion that was forgotten is ErrQuery.
func (q *FeedQuery) Start(now FeedPlace, forgotten uint64) (FeedPlace, error) {
	if q.Limit < 0 || q.Limit > MaxPage {
		return FeedPlace{}, fmt.Errorf("%w: limit %d: expected 1 to %d", ErrQuery, q.Limit, MaxPage)
	}
	switch q.After {
	case "":
		return FeedPlace{Order: now.Order, Begin: now.Begin}, nil
	case FeedNow:
		now.Begin = 0
		return now, nil
	}
	p, err := FeedPlaceOf(q.After)
	switch {
	case err != nil:
		return p, err
	case p.Order != now.Order:
		return p, fmt.Errorf("%w: the cursor is of another store, or from before this one was restored or replaced by its standby: begin at the start, without a cursor", ErrQuery)
	case p.Mark > now.Mark:
		return p, fmt.Errorf("%w: the cursor is at change %d and the store only at %d, so the store is an older copy: begin at the start, without a cursor",
			ErrQuery, p.Mark, now.Mark)
	case max(p.Mark, p.Begin) < forgotten:
		return p, fmt.Errorf("%w: the cursor is so old that the store has forgotten runs that were deleted since (it remembers them for %d days): "+
			"begin at the start, without a cursor, and take runs that are not told of for deleted", ErrQuery, int(KeepGone.Hours()/24))
	}
	return p, nil
}

// FeedPlaceOf returns the place of a cursor that came with a page. Another text is ErrQuery.
func FeedPlaceOf(text string) (p FeedPlace, err error) {
	if text == "" {
		return p, fmt.Errorf("%w: a cursor has no text", ErrQuery)
	}
	if version := text[:1]; version > feedVersion && version <= "9" {
		return p, fmt.Errorf("%w: the cursor has version %s, this version reads %s", ErrQuery, version, feedVersion)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text[1:])
	if err != nil || text[:1] != feedVersion || len(raw) < 7 {
		return p, fmt.Errorf("%w: %q is no cursor of a feed: expected one that came with a change, or %q", ErrQuery, text, FeedNow)
	}
	data, sum := raw[:len(raw)-4], raw[len(raw)-4:]
	ok := bytes.Equal(sum, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data)))
	for _, number := range []*uint64{&p.Mark, &p.N, &p.Begin} {
		var n int
		*number, n = binary.Uvarint(data)
		ok = ok && n > 0
		data = data[max(n, 0):]
	}
	if p.Order = string(data); !ok {
		return p, fmt.Errorf("%w: the cursor %q is damaged: expected one that came with a change", ErrQuery, text)
	}
	return p, nil
}
