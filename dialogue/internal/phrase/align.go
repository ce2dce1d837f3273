package phrase

import (
	"math"
	"unicode"
)

// A variant is laid over an utterance in the best way: a table has a cell for each element of the variant and each
// spoken word, with what the elements from there on are worth when laid over the words from there on. Its work is
// proportional to the number of cells and of values.

type move uint8

const (
	skip  move = iota // the spoken word is not in the phrase
	omit              // the element was not said
	take              // the element is said here, with n words
	begin             // a text begins here
)

// cell is what is best at one element and one spoken word; inside is the same when the element is a text that has begun
// before.
type cell struct {
	gain   float64
	inside float64
	move   move
	stops  bool  // inside: the text ends before this word
	n      int16 // of take
	value  int16 // of take, for a placeholder: which of its values
}

// score lays a variant over the utterance.
func (t *turn) score(v *variant) float64 {
	t.fill(v)
	gain := t.cells[0].gain
	if v.words == len(v.elements) {
		gain = max(gain, t.shuffled(v))
	}
	return max(0, min(1, v.reach*gain/v.total))
}

// fill makes the table, from its end. Row e is for the elements from e on; the last is for none.
func (t *turn) fill(v *variant) {
	width, n := t.said+1, len(v.elements)
	if need := (n + 1) * width; cap(t.cells) < need {
		t.cells = make([]cell, need)
	} else {
		t.cells = t.cells[:need]
	}
	denial := max(costNegation, 0.7*v.total)
	after := 0.0
	for i := t.said; i >= 0; i-- {
		if i < t.said {
			after += t.costAt(i, denial)
		}
		t.cells[n*width+i] = cell{gain: -after, inside: math.Inf(-1)}
	}
	for e := n - 1; e >= 0; e-- {
		el := v.elements[e]
		row, next := t.cells[e*width:(e+1)*width], t.cells[(e+1)*width:(e+2)*width]
		missing := 0.0
		if el.heavy {
			missing = t.m.missing
		}
		for i := t.said; i >= 0; i-- {
			c := cell{gain: next[i].gain - missing, inside: math.Inf(-1), move: omit}
			if i < t.said {
				if gain := row[i+1].gain - t.costAt(i, denial); gain > c.gain {
					c.gain, c.move = gain, skip
				}
			}
			t.say(el, i, &c, row, next)
			row[i] = c
		}
	}
}

func (t *turn) costAt(i int, denial float64) float64 {
	if t.cost[i] == costNegation {
		return denial
	}
	return t.cost[i]
}

// say tries the element itself at a spoken word.
func (t *turn) say(el element, i int, c *cell, row, next []cell) {
	switch {
	case el.literal >= 0:
		if i == t.said || !t.there[el.literal] {
			return
		}
		if n, worth := t.literalAt(t.m.literals[el.literal], i); worth > 0 {
			if gain := el.weight*worth + next[i+n].gain; gain > c.gain {
				*c = cell{gain: gain, inside: c.inside, move: take, n: int16(n)}
			}
		}
	case t.m.slots[el.slot].inWords():
		c.inside, c.stops = next[i].gain, true
		if i == t.said {
			return
		}
		if gain := row[i+1].inside - costInText; gain > c.inside {
			c.inside, c.stops = gain, false
		}
		if gain := el.weight - costText + row[i+1].inside; gain > c.gain {
			c.gain, c.move = gain, begin
		}
	default:
		for k, v := range t.slot(el.slot) {
			if v.from != i {
				continue
			}
			worth := el.weight * max(v.Score, 0.5)
			if gain := worth + next[v.to].gain; gain > c.gain {
				c.gain, c.move, c.n, c.value = gain, take, int16(v.to-v.from), int16(k)
			}
		}
	}
}

// shuffled is what a variant of words alone is worth when they were said in another order.
func (t *turn) shuffled(v *variant) float64 {
	const worthless = 0.25 // of what is said in another order
	gain, cost := 0.0, t.tail[0]
	for _, e := range v.elements {
		if !t.there[e.literal] {
			if e.heavy {
				return 0
			}
			continue
		}
		for i := range t.said {
			if n, worth := t.literalAt(t.m.literals[e.literal], i); worth > 0 {
				gain += e.weight * worth
				for k := range n {
					cost -= t.cost[i+k]
				}
				break
			}
		}
	}
	return (gain - max(0, cost)) * (1 - worthless)
}

// values are the values of a variant's placeholders, by the way that fill found best. The variant was not said where a text takes
// the place of its words: "why is my card late" is no "what is {thing}".
func (t *turn) values(v *variant) (values map[string]Value, said bool) {
	if v.words == len(v.elements) {
		return nil, true
	}
	t.fill(v)
	values = make(map[string]Value)
	literals, heard, text := 0.0, 0.0, false
	for _, el := range v.elements {
		if el.literal >= 0 && !el.free {
			literals += el.weight
		}
	}
	width := t.said + 1
	for e, i := 0, 0; e < len(v.elements); {
		el, c := v.elements[e], t.cells[e*width+i]
		switch c.move {
		case skip:
			i++
		case omit:
			e++
		case take:
			if el.slot >= 0 {
				values[t.m.slots[el.slot].Name] = t.slot(el.slot)[c.value].Value
			} else {
				heard += el.weight
			}
			e, i = e+1, i+int(c.n)
		case begin:
			j := i + 1
			for !t.cells[e*width+j].stops {
				j++
			}
			slot := t.m.slots[el.slot]
			values[slot.Name], text = t.textValue(slot, i, j), true
			e, i = e+1, j
		}
	}
	return values, !text || heard >= v.least*literals
}

// textValue is the text that the spoken words from i to before j say. One that ends with the last word that is looked
// at goes on to the end of the utterance.
func (t *turn) textValue(s Slot, i, j int) Value {
	last := j == t.said && (t.cut || t.said < len(t.says))
	for j > i+1 && !last && t.isAround(j-1) {
		j--
	}
	for i < j-1 && t.language.class(t.wordAt(i)) == hum {
		i++
	}
	from, to := t.says[i], t.says[j-1]+1
	start, end := t.wide(from, to)
	if last {
		end = len(t.text)
		for end > start && isBlank(t.text[end-1]) {
			end--
		}
	}
	v := Value{Value: t.text[start:end], Text: t.text[start:end], Start: start, End: end, Score: 0.9}
	if s.kind() == List {
		return t.listValue(s, v)
	}
	return t.checked(s, v)
}

// listValue is the list that a text says.
func (t *turn) listValue(s Slot, text Value) Value {
	v, ok := t.locale.Read(s, text.Text, t.now)
	if !ok {
		text.Value, text.Score, text.Reason = nil, 0.5, t.language.Say(WrongList, Args{"said": t.language.Quote(clip(text.Text))})
		return text
	}
	v.Start, v.End, v.Score = v.Start+text.Start, v.End+text.Start, v.Score*text.Score
	return v
}

// isAround reports whether a spoken word at the end of a text is politeness and no part of it.
func (t *turn) isAround(i int) bool {
	word := t.wordAt(i)
	return t.language.class(word) == hum || t.language.is(word, polite)
}

func isBlank(b byte) bool { return b < 0x80 && unicode.IsSpace(rune(b)) }
