package phrase

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// epoch is a time for readings that need none.
var epoch = time.Unix(0, 0)

// Read takes an utterance as the answer to the question for a slot: "fifty bucks please", "uh, the second one". What
// people say around an answer does not matter; the score of a value that other words surround is lower, as those may
// have meant something else. It reports false when the utterance holds no such value, or several. A value that cannot
// be (31 February, another currency, none of the choices) is reported with its Reason.
func (l Locale) Read(slot Slot, text string, now time.Time) (Value, bool) {
	return l.reading(text, now).answer(slot)
}

func (r *reading) answer(s Slot) (Value, bool) {
	switch s.kind() {
	case Text:
		return r.textAnswer(s)
	case List:
		return r.listAnswer(s)
	case Boolean:
		return r.booleanAnswer()
	}
	one := s.scanner(r.language)
	values := r.all(one)
	if len(values) == 0 && (s.kind() == Time || s.kind() == DateTime) {
		r.bare = true
		values = r.all(one)
	}
	if len(values) == 0 {
		if s.kind() == Single {
			return r.noChoice()
		}
		return Value{}, false
	}
	first := values[0]
	for _, v := range values[1:] {
		if !sameValue(v.Value, first.Value) {
			if s.kind() == Single {
				return r.several(values)
			}
			return Value{}, false
		}
	}
	v := first.Value
	score, ok := r.around(first.i, values[len(values)-1].j)
	if !ok || r.denied(first.i) {
		return Value{}, false
	}
	if s.kind() == Money && v.Reason == "" && r.isThing(first) {
		return r.refusal(r.said(first.i, first.j+1)+" is no amount of money", first.i, first.j+1), true
	}
	if s.counts() && r.isSomething(first.j) || r.bare && score < 1 {
		score = min(score, 0.4)
	}
	v.Score *= score
	return v, true
}

// counts reports whether a slot's values are numbers, behind which what is counted can stand.
func (s Slot) counts() bool { return s.kind() == Number || s.kind() == Integer }

// sameValue reports whether two values are the same one said twice.
func sameValue(a, b Value) bool { return a.Value != nil && a.Value == b.Value }

// around is how sure a value is when the other words of the utterance are those outside some tokens: 1 when they are
// only what people say around an answer, less for each that means something.
func (r *reading) around(i, j int) (float64, bool) {
	if r.cut {
		return 0, false
	}
	others := 0
	for k := 0; k < len(r.says); {
		if t := r.says[k]; t >= i && t < j {
			k++
			continue
		}
		if _, n := r.language.fillers.at(r.line, k); n > 0 {
			k += n
			continue
		}
		switch r.language.class(r.tokens[r.says[k]].fold) {
		case content, negation:
			others++
		}
		k++
	}
	switch {
	case others == 0:
		return 1, true
	case others > 6:
		return 0.3, true
	}
	return 0.8 - 0.08*float64(others), true
}

// denied reports whether a value that begins at a token is one that is not meant: "not 50", "anything but savings".
func (r *reading) denied(i int) bool {
	for range 3 {
		for i--; i >= 0 && r.tokens[i].sort == mark; i-- {
			if r.isClauseEnd(i) {
				return false
			}
		}
		if i < 0 {
			return false
		}
		switch w := r.tokens[i].fold; {
		case r.language.class(w) == negation, w == "but" && r.word(i-1) != "not", w == "except", w == "besides":
			return true
		case r.language.class(w) == content:
			return false
		}
	}
	return false
}

// isSomething reports whether a thing that is counted stands right behind a number: "fifty bananas".
func (r *reading) isSomething(j int) bool {
	if j >= len(r.tokens) || r.tokens[j].sort == mark {
		return false
	}
	k, _ := slices.BinarySearch(r.says, j)
	if _, n := r.language.fillers.at(r.line, k); n > 0 {
		return false
	}
	return r.language.class(r.tokens[j].fold) == content
}

// isThing reports whether an amount without a currency is a number of something else: "fifty bananas".
func (r *reading) isThing(v found) bool {
	if !r.isSomething(v.j) || r.language.class(r.word(v.j)) != content {
		return false
	}
	if _, ok := r.coin(v.j - 1); ok {
		return false
	}
	if _, ok := r.coin(v.i); ok {
		return false
	}
	if _, ok := r.date(v.j); ok {
		return false
	}
	return true
}

// none is what is said instead of choosing.
type none string

// noChoice is an answer to a choice that chooses nothing.
func (r *reading) noChoice() (Value, bool) {
	for k := range r.says {
		if why, n := r.language.skips.at(r.line, k); n > 0 {
			i, j := r.says[k], r.says[k+n-1]+1
			if score, ok := r.around(i, j); !ok || score < 0.7 {
				return Value{}, false
			}
			return r.refusal(string(why), i, j), true
		}
	}
	return Value{}, false
}

// several is an answer that names more than one choice.
func (r *reading) several(values []found) (Value, bool) {
	kept := values[:0:0]
	for _, v := range values {
		if !r.denied(v.i) {
			kept = append(kept, v)
		}
	}
	if len(kept) == 0 {
		return Value{}, false
	}
	first := kept[0]
	for _, v := range kept[1:] {
		if !sameValue(v.Value, first.Value) {
			last := kept[len(kept)-1]
			return r.refusal("one of the choices can be taken, and several were said: "+r.said(first.i, last.j), first.i, last.j), true
		}
	}
	score, ok := r.around(values[0].i, values[len(values)-1].j)
	first.Score *= score
	return first.Value, ok
}

// textAnswer is what was said, without the politeness around it.
func (r *reading) textAnswer(s Slot) (Value, bool) {
	whole := strings.TrimSpace(r.text)
	if len(r.says) == 0 {
		if whole == "" {
			return Value{}, false
		}
		start := strings.Index(r.text, whole)
		return s.checked(Value{Value: whole, Text: whole, Start: start, End: start + len(whole), Score: 0.5}), true
	}
	i, j := r.trimmed()
	start, end := r.textSpan(i, j)
	v := Value{Value: r.text[start:end], Text: r.text[start:end], Start: start, End: end, Score: 1}
	if s.Pattern == nil {
		return v, true
	}
	if v = s.checked(v); v.Reason != "" {
		start = strings.Index(r.text, whole)
		raw := s.checked(Value{Value: whole, Text: whole, Start: start, End: start + len(whole), Score: 1})
		if raw.Reason == "" {
			return raw, true
		}
	}
	return v, true
}

// trimmed is the spoken words of an answer in words: from i to before j, without what is said around it. If that is
// all, nothing is taken away.
func (r *reading) trimmed() (i, j int) {
	i, j = 0, len(r.says)
	for i < j {
		n := r.introduction(i, j)
		if n == 0 {
			break
		}
		i += n
	}
	for j > i+1 && !r.cut {
		word := r.tokens[r.says[j-1]].fold
		if word == "you" && r.tokens[r.says[j-2]].fold == "thank" && j > i+2 {
			j -= 2
			continue
		}
		if r.language.class(word) != hum && !r.language.polite[word] {
			break
		}
		j--
	}
	if i >= j {
		return 0, len(r.says)
	}
	return i, j
}

// introduction is how many spoken words from i on only introduce the answer that ends before j.
func (r *reading) introduction(i, j int) int {
	if r.language.class(r.tokens[r.says[i]].fold) == hum {
		return 1
	}
	_, n := r.language.intros.at(r.line, i)
	if left := j - i - n; left <= 0 || left > 4 {
		return 0
	}
	return n
}

// textSpan is where the spoken words from i to before j stand. Where nothing was taken away at an end, the marks there
// belong to the text.
func (r *reading) textSpan(i, j int) (start, end int) {
	start, end = r.wide(r.says[i], r.says[j-1]+1)
	if i == 0 {
		for start = 0; start < end && isBlank(r.text[start]); start++ {
		}
	}
	if j == len(r.says) {
		for end = len(r.text); end > start && isBlank(r.text[end-1]); end-- {
		}
	}
	return start, end
}

// checked is a text with the reason why it is not what is asked for, if it is not.
func (s Slot) checked(v Value) Value {
	if s.Pattern == nil {
		return v
	}
	text, _ := v.Value.(string)
	if !s.looksLike(text) {
		v.Value, v.Score, v.Reason = nil, 0.5, `"`+clip(text)+`" does not look like what is asked for`
	}
	return v
}

// looksLike reports whether the pattern matches a text as a whole.
func (s Slot) looksLike(text string) bool {
	if len(text) > maxBytes {
		return false
	}
	at := s.Pattern.FindStringIndex(text)
	if at == nil || at[0] == 0 && at[1] == len(text) {
		return at != nil
	}
	whole, err := regexp.Compile(`\A(?:` + s.Pattern.String() + `)\z`) // the first of its alternatives may be too short
	return err == nil && whole.MatchString(text)
}

// booleanAt reads true, false, yes, no, on and off.
func (r *reading) booleanAt(i int) (found, bool) {
	b, ok := r.language.booleans[r.word(i)]
	if !ok {
		return found{}, false
	}
	if r.denied(i) {
		return found{}, false
	}
	return found{r.value(b, i, i+1, 1), i, i + 1}, true
}

func (r *reading) booleanAnswer() (Value, bool) {
	yes, no, rest, score := r.assent()
	if yes != no && rest == "" {
		return r.value(yes, 0, len(r.tokens), score), true
	}
	if yes || no || len(r.says) == 0 {
		return Value{}, false
	}
	values := r.all((*reading).booleanAt)
	if len(values) != 1 {
		return Value{}, false
	}
	v := values[0]
	around, ok := r.around(v.i, v.j)
	if !ok || around < 1 || r.unsure() {
		return Value{}, false
	}
	return v.Value, true
}

// listAnswer reads the members of a list: "apples, pears and plums".
func (r *reading) listAnswer(s Slot) (Value, bool) {
	items := Slot{}
	if s.Items != nil {
		items = *s.Items
	}
	if why, n := r.language.skips.at(r.line, 0); n > 0 && n == len(r.says) && why == isNone && !r.cut {
		return r.value([]any{}, 0, len(r.tokens), 0.9), true
	}
	var values []found
	if items.kind() == Text {
		values = r.texts(items)
	} else {
		values = r.all(items.scanner(r.language))
	}
	if len(values) == 0 {
		return Value{}, false
	}
	members := make([]any, len(values))
	for n, v := range values {
		if v.Reason != "" {
			return r.refusal("member "+strconv.Itoa(n+1)+": "+v.Reason, v.i, v.j), true
		}
		if r.denied(v.i) {
			return Value{}, false
		}
		members[n] = v.Value.Value
	}
	score := 1.0
	if items.kind() != Text {
		var ok bool
		if score, ok = r.outside(values); !ok {
			return Value{}, false
		}
	}
	return r.value(members, values[0].i, values[len(values)-1].j, score), true
}

// outside is how sure values are when other words stand around and between them.
func (r *reading) outside(values []found) (float64, bool) {
	if r.cut {
		return 0, false
	}
	others := 0
	for _, t := range r.says {
		inside := slices.ContainsFunc(values, func(v found) bool { return t >= v.i && t < v.j })
		if !inside && r.language.class(r.tokens[t].fold) == content {
			others++
		}
	}
	return max(0.3, 1-0.15*float64(others)), true
}

// texts are the members of a list of texts.
func (r *reading) texts(items Slot) []found {
	var all []found
	if len(r.says) == 0 {
		return nil
	}
	from, to := r.trimmed()
	i := from
	add := func(j int) {
		if j > i {
			a, b := r.says[i], r.says[j-1]+1
			start, end := r.wide(a, b)
			v := Value{Value: r.text[start:end], Text: r.text[start:end], Start: start, End: end, Score: 1}
			all = append(all, found{items.checked(v), a, b})
		}
	}
	for j := from; j < to; j++ {
		word := r.tokens[r.says[j]].fold
		if r.language.ands[word] {
			add(j)
			i = j + 1
		} else if j > i && r.separates(j) {
			add(j)
			i = j
		}
	}
	add(to)
	return all
}

// separates reports whether a comma, a semicolon, an ampersand or a new line stands before a spoken word.
func (r *reading) separates(j int) bool {
	for t := r.says[j-1] + 1; t < r.says[j]; t++ {
		switch r.tokens[t].sign {
		case ',', ';', '&', '\n', '/', '+', '•':
			return true
		}
	}
	return false
}

// Render is a value as it is said: what Read makes the same value of.
func Render(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var all []string
		for _, m := range v {
			all = append(all, Render(m))
		}
		return strings.Join(all, ", ")
	}
	return ""
}
