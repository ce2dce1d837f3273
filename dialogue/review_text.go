package dialogue

import (
	"cmp"
	"hash/fnv"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// ReviewUtterance is something that users have said and that was not understood, or not in one way. Texts are one
// utterance where they have the same letters and numbers, or differ in one letter; all numbers are equal.
type ReviewUtterance struct {
	Text          string   `json:"text"`                 // as it was said most often
	Others        []string `json:"others,omitempty"`     // further ways to write it, at most 5
	Count         int      `json:"count"`                // how often it was said
	Conversations int      `json:"conversations"`        // in how many
	Misses        int      `json:"misses"`               // of Count
	Clarified     int      `json:"clarifications"`       // of Count
	Candidates    []string `json:"candidates,omitempty"` // the flows that it could have meant
	Places        []Place  `json:"places"`               // where it was said, the commonest first
	Conversation  string   `json:"conversation"`         // the newest in which Text was said
	Turn          int      `json:"turn"`                 // the message there that is Text
}

// utterances are what was said, by how it is written.
type utterances struct {
	of map[string]*text // by key
}

// text is one way to say something, and how often it was said.
type text struct {
	key           string
	written       map[string]*spelling // as it was said
	conversations map[string]bool
	places        map[Place]int
	candidates    map[string]bool
	count, missed int
}

// spelling is a text as it was written, and how often.
type spelling struct {
	count  int
	newest *ReviewTurn // which said it
}

// add takes in n times more.
func (s *spelling) add(n int, t *ReviewTurn) {
	s.count += n
	if s.newest == nil || t.At.After(s.newest.At) {
		s.newest = t
	}
}

// add takes in a turn.
func (all *utterances) add(t *ReviewTurn) {
	key := keyOf(t.Text)
	if key == "" {
		key = t.Text // of signs alone
	}
	if all.of == nil {
		all.of = make(map[string]*text)
	}
	one := all.of[key]
	if one == nil {
		one = &text{key: key, written: make(map[string]*spelling), conversations: make(map[string]bool), places: make(map[Place]int), candidates: make(map[string]bool)}
		all.of[key] = one
	}
	one.count++
	one.said(t.Text).add(1, t)
	one.conversations[t.Conversation] = true
	one.places[t.Place]++
	for _, flow := range t.Candidates {
		one.candidates[flow] = true
	}
	if t.Has(MarkMiss) {
		one.missed++
	}
}

// said is a way to write the text.
func (t *text) said(written string) *spelling {
	s := t.written[written]
	if s == nil {
		s = new(spelling)
		t.written[written] = s
	}
	return s
}

// keyOf is a text without what does not matter: case, signs, and which number it is.
func keyOf(s string) string {
	var b strings.Builder
	gap, number := false, false
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsNumber(r):
			if number && !gap {
				continue
			}
			r, number = '0', true
		case unicode.IsLetter(r), unicode.IsMark(r):
			number = false
		case number && (r == '.' || r == ','): // within a number, or behind it
			continue
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// groups joins texts that differ in one letter to the one of them that was said most often.
func (all *utterances) groups() []ReviewUtterance {
	var list []*text
	for _, one := range all.of {
		list = append(list, one)
	}
	often := func(a, b *text) int { return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.key, b.key)) }
	slices.SortFunc(list, often)
	near := make(map[uint64]*text)
	var heads []*text
	for _, one := range list {
		has, finds := slips(one.key)
		at := slices.IndexFunc(finds, func(form uint64) bool { return near[form] != nil })
		if at >= 0 {
			near[finds[at]].join(one)
			continue
		}
		heads = append(heads, one)
		for _, form := range has {
			if near[form] == nil {
				near[form] = one
			}
		}
	}
	slices.SortFunc(heads, often)
	groups := make([]ReviewUtterance, len(heads))
	for i, one := range heads {
		groups[i] = one.utterance()
	}
	return groups
}

// slips are by what a key is found, and by what it finds others that differ in one letter: with another letter in a
// place, or with one more or one less. Hashes stand for texts. A short key has none, as most words are near to another one.
func slips(key string) (has, finds []uint64) {
	const least, most = 8, 80
	runes := []rune(key)
	if len(runes) < least || len(runes) > most {
		return nil, nil
	}
	form := func(kind byte, parts ...string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte{kind}) // it never fails
		for _, p := range parts {
			_, _ = h.Write([]byte(p + "\x00"))
		}
		return h.Sum64()
	}
	has, finds = []uint64{form('=', key)}, []uint64{form('-', key)}
	for i := range runes {
		before, after := string(runes[:i]), string(runes[i+1:])
		other := form('*', before, after)
		has, finds = append(has, other, form('-', before+after)), append(finds, other, form('=', before+after))
	}
	return has, finds
}

func (t *text) join(o *text) {
	t.count, t.missed = t.count+o.count, t.missed+o.missed
	for written, s := range o.written {
		t.said(written).add(s.count, s.newest)
	}
	for id := range o.conversations {
		t.conversations[id] = true
	}
	for flow := range o.candidates {
		t.candidates[flow] = true
	}
	for p, n := range o.places {
		t.places[p] += n
	}
}

// utterance is how a text is shown. It names a message that is the text which is shown: numbers, and slips of one letter,
// differ between messages that are one utterance.
func (t *text) utterance() ReviewUtterance {
	const most = 5
	u := ReviewUtterance{
		Count: t.count, Conversations: len(t.conversations), Misses: t.missed, Clarified: t.count - t.missed, Candidates: keysOf(t.candidates),
	}
	written := keysOf(t.written)
	slices.SortStableFunc(written, func(a, b string) int { return cmp.Compare(t.written[b].count, t.written[a].count) })
	u.Text = written[0]
	of := t.written[u.Text].newest
	u.Conversation, u.Turn = of.Conversation, of.Turn
	u.Others = append(u.Others, written[1:min(len(written), most+1)]...)
	for p := range t.places {
		u.Places = append(u.Places, p)
	}
	sort.Slice(u.Places, func(i, j int) bool {
		a, b := u.Places[i], u.Places[j]
		return cmp.Or(cmp.Compare(t.places[b], t.places[a]), strings.Compare(a.Flow, b.Flow), strings.Compare(a.Step, b.Step), strings.Compare(a.Slot, b.Slot)) < 0
	})
	return u
}
