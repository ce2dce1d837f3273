package dialogue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// ReviewQuery says which turns and conversations a review is about. The zero value reviews all, and lists the newest
// conversations that had trouble.
//
// One struct: each field is a filter, and a parameter of the HTTP API.
type ReviewQuery struct {
	Since, Until time.Time     // of turns: from Since on, and before Until. Zero for no bound
	Flow         string        // turns in a flow, or that began it or offered it. "" for all
	Marks        []Mark        // lists conversations that have one of these. Defaults to Troubles()
	Left         time.Duration // after how long without a word a user counts as gone, where a flow is open. Defaults to 24 hours
	Now          time.Time     // when that is reckoned. Defaults to now
	Limit        int           // bounds the list of conversations, and that of utterances. Defaults to 20
	After        string        // lists the conversations after the one with this id: Review.Next of the page before
}

// Review is what there is to learn from the conversations of a dialogue.
type Review struct {
	Totals        ReviewCounts         `json:"totals"`
	Steps         []ReviewStep         `json:"steps"`          // those with most trouble first
	Utterances    []ReviewUtterance    `json:"utterances"`     // that were not understood, or meant several flows; the commonest first
	MoreTexts     int                  `json:"more_texts"`     // utterances that Limit has left out
	Conversations []ReviewConversation `json:"conversations"`  // a page, the newest first
	Next          string               `json:"next,omitempty"` // is ReviewQuery.After of the next page; "" for none
	Unreadable    []ReviewUnreadable   `json:"unreadable,omitempty"`
}

// ReviewCounts are how often things happened.
//
// One struct: each field is a member of a stable format.
type ReviewCounts struct {
	Conversations  int `json:"conversations"`
	Turns          int `json:"turns"` // messages of users, without those to a person who has taken over
	Misses         int `json:"misses"`
	Clarifications int `json:"clarifications"`
	Rejections     int `json:"rejections"`
	Corrections    int `json:"corrections"`
	Cancels        int `json:"cancels"`
	Handoffs       int `json:"handoffs"`
	DropOffs       int `json:"drop_offs"`
	// MissRate is the share of turns that were misses, from 0 to 1.
	MissRate float64 `json:"miss_rate"`
	// DropOffRate is the share of conversations that were left here, from 0 to 1.
	DropOffRate float64 `json:"drop_off_rate"`
}

// Trouble is how many misses, clarifications, handoffs and drop-offs there were.
func (c *ReviewCounts) Trouble() int { return c.Misses + c.Clarifications + c.Handoffs + c.DropOffs }

// ReviewStep counts what happened where users were.
type ReviewStep struct {
	Place
	ReviewCounts
}

// ReviewConversation is a conversation in a review.
type ReviewConversation struct {
	ID     string       `json:"id"`
	Began  time.Time    `json:"began"`
	Last   time.Time    `json:"last"`            // when the user said something last
	Status string       `json:"status"`          // see StatusOpen
	Error  string       `json:"error,omitempty"` // of one that did not end as it should
	Place  Place        `json:"place"`           // where its user is, or has left
	Counts ReviewCounts `json:"counts"`          // without rates
	Turns  []ReviewTurn `json:"turns,omitempty"` // those with one of the marks that were asked for
}

// ReviewUnreadable is a conversation that could not be read.
type ReviewUnreadable struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Review reads the conversations of the dialogue on the store, also those of other processes. It changes nothing, and
// disturbs none that is going on: a turn that is not answered yet is left out. A conversation is read once, and again only
// when it has changed. A fork counts from where it was forked. Turns shows all of one conversation.
func (c *Conversations) Review(ctx context.Context, q ReviewQuery) (*Review, error) {
	q = q.filled()
	runs, err := c.rt.Runs(ctx, journal.RunFilter{Plan: c.dialogue.plan.Name(), Kind: planKind})
	if err != nil {
		return nil, err
	}
	r := reviewer{
		q: q, steps: make(map[Place]*ReviewStep), past: q.After == "", read: make(map[string]bool), forked: make(map[string]bool),
		review: &Review{Steps: []ReviewStep{}, Utterances: []ReviewUtterance{}, Conversations: []ReviewConversation{}},
	}
	known := make([]*told, len(runs))
	for i := range runs {
		run := &runs[i]
		if !q.Since.IsZero() && time.UnixMicro(run.Updated).Before(q.Since) {
			continue
		}
		t, err := c.told(ctx, run)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, fermata.ErrNotFound): // it was deleted meanwhile
		case errors.Is(err, fermata.ErrClosed):
			return nil, err
		case err != nil:
			r.review.Unreadable = append(r.review.Unreadable, ReviewUnreadable{run.ID, err.Error()})
		default:
			known[i], r.read[run.ID], r.forked[t.fork.Run] = t, true, true
		}
	}
	for i := range runs {
		if known[i] != nil {
			r.conversation(&runs[i], known[i])
		}
	}
	return r.done(), nil
}

// filled is a query with its defaults.
func (q ReviewQuery) filled() ReviewQuery {
	if len(q.Marks) == 0 {
		q.Marks = Troubles()
	}
	if q.Left <= 0 {
		q.Left = 24 * time.Hour
	}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	return q
}

// remembered are conversations that were read for a review, by their ids: what is kept is bounded by mostRemembered.
type remembered struct {
	mu    sync.Mutex
	of    map[string]*read
	turns int
}

type read struct {
	head uint64
	told told
}

// mostRemembered is how many turns are kept between reviews.
const mostRemembered = 200_000

// told reads a conversation that has changed since it was read last.
func (c *Conversations) told(ctx context.Context, run *fermata.RunInfo) (*told, error) {
	k := &c.reviewed
	k.mu.Lock()
	kept := k.of[run.ID]
	k.mu.Unlock()
	if kept != nil && kept.head == run.Head {
		return &kept.told, nil
	}
	t, err := c.tell(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || k.turns+len(t.turns) > mostRemembered {
		k.of, k.turns = make(map[string]*read), 0
	}
	if old := k.of[run.ID]; old != nil {
		k.turns -= len(old.told.turns)
	}
	k.turns += len(t.turns)
	now := &read{head: run.Head, told: t}
	k.of[run.ID] = now
	return &now.told, nil
}

// reviewer counts.
type reviewer struct {
	q      ReviewQuery
	review *Review
	steps  map[Place]*ReviewStep
	texts  utterances
	past   bool            // the page has begun
	read   map[string]bool // the ids of all conversations that were read
	forked map[string]bool // those that a fork continues
}

// conversation takes in a conversation.
func (r *reviewer) conversation(run *fermata.RunInfo, t *told) {
	var turns []*ReviewTurn
	for i := range t.turns {
		turn := &t.turns[i]
		if copied := r.read[t.fork.Run] && turn.Seq <= t.fork.Seq; !copied && r.asks(turn) {
			turns = append(turns, turn)
		}
	}
	if len(turns) == 0 {
		return
	}
	last := t.turns[len(t.turns)-1].At
	c := ReviewConversation{
		ID: run.ID, Began: time.UnixMicro(run.Created).UTC(), Last: last, Place: t.rests, Error: run.Error, Status: r.status(run, t, last),
	}
	here := make(map[Place]bool)
	for _, turn := range turns {
		c.Counts.count(turn)
		r.step(turn.Place, here).count(turn)
		if turn.Has(r.q.Marks...) {
			c.Turns = append(c.Turns, turn.clone())
		}
		if turn.Has(MarkMiss, MarkClarification) && !turn.Hidden {
			r.texts.add(turn)
		}
	}
	if c.Status == StatusLeft && r.within(last) && (r.q.Flow == "" || t.rests.Flow == r.q.Flow) {
		c.Counts.DropOffs++
		r.step(t.rests, here).DropOffs++
	}
	c.Counts.Conversations = 1
	r.review.Totals.add(&c.Counts)
	r.list(c)
}

// The statuses of conversations in a review.
const (
	StatusOpen   = "open"    // its user may go on
	StatusLeft   = "left"    // its user is gone, and a flow was open
	StatusHanded = "handoff" // a person has it
	StatusEnded  = "ended"   // it is over, or nothing was open when its user left
	StatusForked = "forked"  // a fork continues it: a message was taken back
)

// status is how a conversation stands.
func (r *reviewer) status(run *fermata.RunInfo, t *told, last time.Time) string {
	gone := run.Ended() || r.q.Now.Sub(last) >= r.q.Left
	switch {
	case r.forked[run.ID]:
		return StatusForked
	case t.human && !run.Ended():
		return StatusHanded
	case !gone:
		return StatusOpen
	case t.open && !t.human:
		return StatusLeft
	}
	return StatusEnded
}

// asks reports whether the review is about a turn.
func (r *reviewer) asks(t *ReviewTurn) bool {
	if !r.within(t.At) {
		return false
	}
	return r.q.Flow == "" || t.Place.Flow == r.q.Flow || slices.Contains(t.Candidates, r.q.Flow) ||
		slices.ContainsFunc(t.Commands, func(c Command) bool { return c.Flow == r.q.Flow })
}

// within reports whether the review is about a time.
func (r *reviewer) within(at time.Time) bool {
	return !at.Before(r.q.Since) && (r.q.Until.IsZero() || at.Before(r.q.Until))
}

// step is where a user was. It counts a conversation once.
func (r *reviewer) step(p Place, here map[Place]bool) *ReviewStep {
	st := r.steps[p]
	if st == nil {
		st = &ReviewStep{Place: p}
		r.steps[p] = st
	}
	if !here[p] {
		here[p] = true
		st.Conversations++
	}
	return st
}

// list puts a conversation on the page.
func (r *reviewer) list(c ReviewConversation) {
	page := &r.review.Conversations
	asked := len(c.Turns) > 0 || c.Counts.DropOffs > 0 && slices.Contains(r.q.Marks, MarkDropOff)
	switch {
	case !r.past:
		r.past = c.ID == r.q.After
	case !asked:
	case len(*page) < r.q.Limit:
		*page = append(*page, c)
	default:
		r.review.Next = (*page)[len(*page)-1].ID
	}
}

// done is the review.
func (r *reviewer) done() *Review {
	for _, st := range r.steps {
		st.rates()
		r.review.Steps = append(r.review.Steps, *st)
	}
	sort.Slice(r.review.Steps, func(i, j int) bool {
		a, b := &r.review.Steps[i], &r.review.Steps[j]
		return cmp.Or(
			cmp.Compare(b.Trouble(), a.Trouble()), cmp.Compare(b.Turns, a.Turns),
			strings.Compare(a.Flow, b.Flow), strings.Compare(a.Step, b.Step), strings.Compare(a.Slot, b.Slot),
		) < 0
	})
	r.review.Totals.rates()
	all := r.texts.groups()
	r.review.MoreTexts = max(0, len(all)-r.q.Limit)
	r.review.Utterances = append(r.review.Utterances, all[:len(all)-r.review.MoreTexts]...)
	return r.review
}

// count takes in a turn.
func (c *ReviewCounts) count(t *ReviewTurn) {
	if !t.Has(MarkSilence, MarkEvent, MarkHuman) {
		c.Turns++
	}
	for _, m := range t.Marks {
		if n := c.of(m); n != nil {
			*n++
		}
	}
}

// of is the count of a mark; nil for one that is not counted.
func (c *ReviewCounts) of(m Mark) *int {
	switch m {
	case MarkMiss:
		return &c.Misses
	case MarkClarification:
		return &c.Clarifications
	case MarkRejection:
		return &c.Rejections
	case MarkCorrection:
		return &c.Corrections
	case MarkCancel:
		return &c.Cancels
	case MarkHandoff:
		return &c.Handoffs
	case MarkDropOff:
		return &c.DropOffs
	}
	return nil
}

func (c *ReviewCounts) add(o *ReviewCounts) {
	c.Conversations += o.Conversations
	c.Turns += o.Turns
	for _, m := range Marks() {
		if n := c.of(m); n != nil {
			*n += *o.of(m)
		}
	}
}

// rates are the shares, once all is counted.
func (c *ReviewCounts) rates() {
	if c.Turns > 0 {
		c.MissRate = float64(c.Misses) / float64(c.Turns)
	}
	if c.Conversations > 0 {
		c.DropOffRate = float64(c.DropOffs) / float64(c.Conversations)
	}
}
