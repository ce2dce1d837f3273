package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Numbered is a row of a store with the number that the store gave it.
//
// Numbers are in the order in which the store got its rows. A store that counts none has 0 for all of them.
type Numbered[T any] struct {
	Row T
	N   int64
}

// Place is where a row is in an order: by its time, then by its number, then by its id.
type Place struct {
	Time int64  `json:"t"`           // in the query's order, microseconds
	N    int64  `json:"n,omitempty"` // the store's number of it
	ID   string `json:"i,omitempty"` // of the row
}

// Compare is negative where p is before another place.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Time, other.Time), cmp.Compare(p.N, other.N), strings.Compare(p.ID, other.ID))
}

// cursorVersion is the version of cursors. A text begins with it, so that later versions know older ones.
const cursorVersion = "1"

// cursor is the text of a cursor, in JSON and base64url behind its version.
type cursor struct {
	Place
	Of string `json:"q"` // the query that it belongs to, without its page
}

func (c cursor) text() string {
	data, _ := json.Marshal(c) //nolint:errchkjson // numbers and texts always encode
	return cursorVersion + base64.RawURLEncoding.EncodeToString(data)
}

// placeIn reads the cursor of a query.
func placeIn(text, query string) (p Place, found bool, err error) {
	if text == "" {
		return p, false, nil
	}
	version, data := text[:1], text[1:]
	if version != cursorVersion {
		if version > cursorVersion && version <= "9" {
			return p, false, fmt.Errorf("%w: the cursor has version %s, this version reads %s", ErrQuery, version, cursorVersion)
		}
		return p, false, fmt.Errorf("%w: %q is no cursor: expected the one that came with a page", ErrQuery, text)
	}
	var c cursor
	raw, err := base64.RawURLEncoding.Strict().DecodeString(data)
	if err != nil || json.Unmarshal(raw, &c) != nil || c.Of == "" {
		return p, false, fmt.Errorf("%w: the cursor %q is damaged: expected the one that came with a page", ErrQuery, text)
	}
	if c.Of != query {
		return p, false, fmt.Errorf("%w: the cursor is of a page with another filter or order: ask for the first page, without a cursor", ErrQuery)
	}
	return c.Place, true, nil
}

// digest is a short name of what a query selects and in which order, whatever the order of its lists.
func digest(query any) string {
	data, _ := json.Marshal(query) //nolint:errchkjson // of texts and numbers
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// named is what a cursor knows the query by.
func (q *RunQuery) named() string {
	n := *q
	n.After, n.Limit, n.Order = "", 0, cmp.Or(q.Order, ByCreated)
	n.Statuses, n.Plans, n.Kinds = sorted(q.Statuses), sorted(q.Plans), sorted(q.Kinds)
	return digest(struct {
		Of    string
		Query RunQuery
	}{"runs", n})
}

// named is what a cursor knows the query by.
func (q *InterruptQuery) named() string {
	n := *q
	n.After, n.Limit, n.Brief, n.Order = "", 0, false, cmp.Or(q.Order, ByOpened)
	n.States, n.Runs, n.Plans, n.Roles = sorted(q.States), sorted(q.Runs), sorted(q.Plans), sorted(q.Roles)
	n.Holder = PersonKey(q.Holder)
	return digest(struct {
		Of    string
		Query InterruptQuery
	}{"interrupts", n})
}

// Is reports whether two queries select the same, whatever their pages.
func (q *RunQuery) Is(other *RunQuery) bool { return q.named() == other.named() }

// Start is where the page begins: behind a place, or, where found is false, with the first row. A cursor that does not
// fit is ErrQuery.
func (q *RunQuery) Start() (after Place, found bool, err error) { return placeIn(q.After, q.named()) }

// Start is where the page begins: behind a place, or, where found is false, with the first row. A cursor that does not
// fit is ErrQuery.
func (q *InterruptQuery) Start() (after Place, found bool, err error) {
	return placeIn(q.After, q.named())
}

// CursorOf is the cursor at the place of another query's cursor; "" for "". A store that finds by asking another store with
// another query needs it: both have to list in the same order.
func (q *InterruptQuery) CursorOf(text string, of *InterruptQuery) (string, error) {
	p, found, err := placeIn(text, of.named())
	if err != nil || !found {
		return "", err
	}
	return cursor{p, q.named()}.text(), nil
}

// Page makes the page of rows that a store has found, in any order.
//
// Its rows are those that the query selects and that come behind its cursor, in its order. A store gives it all of them, or one
// more than the page has from the front: a page has a next one where there is a row behind it.
func (q *RunQuery) Page(found []Numbered[RunRow]) (p RunPage, err error) {
	if err := q.Check(); err != nil {
		return p, err
	}
	after, behind, _ := q.Start()
	place := func(r *Numbered[RunRow]) Place { return Place{q.time(&r.Row), r.N, r.Row.ID} }
	list := paged(found, q.Match, place, func(at Place) bool { return !behind || at.Compare(after) < 0 })
	slices.Reverse(list) // the newest first
	for i := range list[:min(len(list), q.Size())] {
		p.Runs = append(p.Runs, list[i].Row)
	}
	if n := q.Size(); len(list) > n {
		p.Next = cursor{place(&list[n-1]), q.named()}.text()
	}
	return p, nil
}

// Asked is an interrupt with the plan of the run that asks.
type Asked struct {
	Interrupt
	Plan string
}

// Page makes the page of rows that a store has found, as [RunQuery.Page] does.
func (q *InterruptQuery) Page(found []Numbered[Asked]) (p InterruptPage, err error) {
	if err := q.Check(); err != nil {
		return p, err
	}
	after, behind, _ := q.Start()
	place := func(r *Numbered[Asked]) Place { return Place{q.time(&r.Row.Interrupt), r.N, r.Row.ID} }
	match := func(a *Asked) bool { return q.Match(&a.Interrupt, a.Plan) }
	list := paged(found, match, place, func(at Place) bool { return !behind || at.Compare(after) > 0 })
	for i := range list[:min(len(list), q.Size())] {
		in := &list[i].Row.Interrupt
		if q.Brief {
			in.Request, in.RequestSchema, in.ResponseSchema = nil, nil, nil
		}
		p.Interrupts = append(p.Interrupts, *in)
	}
	if n := q.Size(); len(list) > n {
		p.Next = cursor{place(&list[n-1]), q.named()}.text()
	}
	return p, nil
}

// paged are the rows that match and are behind a cursor, in the order of their places. It changes the list.
func paged[T any](list []Numbered[T], match func(*T) bool, place func(*Numbered[T]) Place, behind func(Place) bool) []Numbered[T] {
	list = slices.DeleteFunc(list, func(r Numbered[T]) bool { return !match(&r.Row) || !behind(place(&r)) })
	sort.Slice(list, func(i, j int) bool { return place(&list[i]).Compare(place(&list[j])) < 0 }) // slices.SortFunc would be compiled for each type of row
	return list
}
