package phrase

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Number is the kind of numbers: json.Number in decimal digits, without an exponent.
var Number = &Kind{name: "number", scan: always((*reading).numberAt), none: (*reading).noneAtAll, counts: true, exact: true}

// Integer is the kind of whole numbers: json.Number without a fraction.
var Integer = &Kind{name: "integer", scan: always((*reading).integerAt), none: (*reading).partyOrNone, counts: true, exact: true}

// number is a number as it was said: with the tokens from i to before j.
type number struct {
	*decimal
	i, j  int
	words bool // it was said in words
	long  bool // it has more digits than any number
	fine  int  // how many decimal places were said, where nothing makes it greater
}

// numberAt reads a number that begins at a token: "1,234.50", "two hundred and fifty", "2k", "minus a half".
func (r *reading) numberAt(i int) (found, bool) {
	n, ok := r.number(i)
	if !ok {
		return found{}, false
	}
	j := r.percent(n.j)
	if n.long {
		return r.refusal(because(LongNumber, Args{"digits": maxDigits}), n.i, j), true
	}
	return r.value(json.Number(n.String()), n.i, j, 1), true
}

// integerAt reads a number that has to be whole.
func (r *reading) integerAt(i int) (found, bool) {
	if n := r.language.Values.Parties[r.folded(i+1)]; n > 0 && r.folded(i) == "zu" {
		return r.value(json.Number(strconv.Itoa(n)), i, i+2, 1), true
	}
	f, ok := r.numberAt(i)
	if !ok || f.Reason != "" {
		return f, ok
	}
	if n, _ := r.number(i); n.places() > 0 {
		return r.refusal(because(NotWhole, Args{"value": r.language.digits(n.String())}), f.i, f.j), true
	}
	return f, true
}

// percent skips a percent sign.
func (r *reading) percent(j int) int {
	if r.sign(j) == '%' || r.word(j) == "percent" {
		return j + 1
	}
	if at := j + 1; r.is(j, "per", "pour") { // vingt pour cent
		if r.sign(at) == '-' {
			at++
		}
		if w := r.word(at); w == "cent" || w == "100" && r.isSpelled(at) {
			return at + 1
		}
	}
	return j
}

// number reads a number with its sign, without a unit.
func (r *reading) number(i int) (number, bool) {
	at, negative := i, false
	switch {
	case isMinus(r.sign(i)) && r.isGlued(i+1) && (i == 0 || !r.isGlued(i) || r.tokens[i-1].sort == mark):
		at, negative = i+1, true
	case r.sign(i) == '+' && r.isGlued(i+1) && !r.isGlued(i):
		at = i + 1
	case r.word(i) == "minus" || r.word(i) == "negative":
		at, negative = i+1, true
	}
	n, ok := r.unsigned(at)
	if !ok {
		return number{}, false
	}
	n.i = i
	if negative && !n.long {
		n.negate()
	}
	return n, true
}

func isMinus(r rune) bool { return r == '-' || r == '−' || r == '–' }

func (r *reading) unsigned(i int) (number, bool) {
	if i >= len(r.tokens) {
		return number{}, false
	}
	if r.tokens[i].sort == digits || r.sign(i) == '.' && r.isGlued(i+1) && r.tokens[i+1].sort == digits && !r.isGlued(i) {
		return r.inDigits(i)
	}
	return r.inWords(i)
}

// inDigits reads a number in digits, with what makes it greater: "2k", "1.5 million".
func (r *reading) inDigits(i int) (number, bool) {
	if r.goesOnBefore(i) {
		return number{}, false // A320, v2.0
	}
	whole, fraction, j := r.separated(i)
	if r.goesOnBehind(j) {
		return number{}, false // 3.14.15
	}
	d, fits := parseDecimal(whole, fraction)
	if !fits {
		return number{i: i, j: j, long: true}, true
	}
	n := number{decimal: d, i: i, j: j, fine: len(fraction)}
	if r.isGlued(j) && r.tokens[j].sort == letters {
		scale, known := r.scale(j, true)
		if known {
			d.shift(scale)
			n.j++
			n.fine = 0
			return n, !r.isGlued(n.j) || r.tokens[n.j].sort == mark
		}
		return n, r.isUnit(j)
	}
	if r.word(j) == "point" && r.isSpelled(i) {
		r.pointDigits(&n)
	} else if at, ok := r.andHalf(j); ok && r.isSpelled(i) {
		half, _ := parseDecimal("", "5")
		n.add(half)
		n.j = at
	}
	r.greater(&n)
	return n, true
}

// goesOnBefore reports whether digits are the end of another token: those of "A320", "v2.0", "EUR49.90". Right behind the
// currency that amount has read they are not.
func (r *reading) goesOnBefore(i int) bool {
	if !r.isGlued(i) || i == r.priced {
		return false
	}
	before := r.tokens[i-1]
	if before.sort == letters {
		return true
	}
	if before.sort != mark || !r.isGlued(i-1) || i < 2 || r.tokens[i-2].sort == mark {
		return false
	}
	return joins(before.sign) || r.tokens[i-2].sort == letters && strings.ContainsRune("-/,", before.sign)
}

// goesOnBehind reports whether a token goes on with a sign and more letters or digits behind digits.
func (r *reading) goesOnBehind(j int) bool {
	return r.isGlued(j) && r.isGlued(j+1) && joins(r.sign(j)) && r.tokens[j+1].sort != mark
}

// joins reports signs that make one token of what stands on their sides.
func joins(sign rune) bool { return sign != 0 && strings.ContainsRune(".:'’_@\\&#", sign) }

func (r *reading) isSpelled(i int) bool { return i < len(r.tokens) && r.tokens[i].spelled }

// pointDigits reads the digits of a fraction that were said one by one.
func (r *reading) pointDigits(n *number) {
	fraction := ""
	j := n.j + 1
	for ; len(fraction) < maxDigits; j++ {
		if units, ok := r.language.Values.Units[r.word(j)]; ok && units < 10 {
			fraction += strconv.FormatInt(units, 10)
		} else if r.isSpelled(j) && len(r.word(j)) == 1 {
			fraction += r.word(j)
		} else {
			break
		}
	}
	if d, ok := parseDecimal("", fraction); ok {
		n.add(d)
		n.j = j
	}
}

// isUnit reports letters that may stand right behind a number: those of a currency.
func (r *reading) isUnit(j int) bool {
	_, ok := r.language.currencies[r.word(j)]
	return ok
}

// greater multiplies a number by the scales behind it: "1.5 million", "2 hundred thousand", "3 dozen".
func (r *reading) greater(n *number) {
	for r.tokenIsWord(n.j) {
		switch w := r.word(n.j); {
		case w == "hundred":
			n.shift(2)
		case w == "dozen" && n.Cmp(&newDecimal(100).Rat) < 0:
			n.times(12)
		default:
			scale, ok := r.scale(n.j, false)
			if !ok {
				return
			}
			n.shift(scale)
		}
		n.fine = 0
		n.j++
	}
}

func (r *reading) tokenIsWord(i int) bool { return i < len(r.tokens) && r.tokens[i].sort == letters }

// scale is the power of ten that a word stands for. Letters such as k do so only when they follow digits at once.
func (r *reading) scale(i int, glued bool) (int, bool) {
	w := r.word(i)
	n, ok := r.language.scales[w]
	if ok && len(w) <= 2 && !glued {
		return 0, false
	}
	return n, ok
}

// separated reads digits in groups and with a fraction. Of two different separators the last begins the fraction. One
// alone that could be either is what the locale has it for: in English 1.234 has a fraction and 1,234 none. A comma
// before two digits begins a fraction in any locale.
func (r *reading) separated(i int) (whole, fraction string, j int) {
	if r.sign(i) == '.' {
		return "0", r.word(i + 1), i + 2
	}
	parts, separators := []string{r.word(i)}, []rune(nil)
	j = i + 1
	for {
		s, next := r.separator(j)
		if s == 0 || len(parts) > maxDigits {
			break
		}
		parts, separators = append(parts, r.word(next)), append(separators, s)
		j = next + 1
	}
	if len(separators) == 0 {
		return parts[0], "", j
	}
	point := r.language.point()
	for n := len(separators); n > 0; n-- {
		if whole, fraction, ok := grouped(parts[:n+1], separators[:n], point); ok {
			return whole, fraction, i + 2*n + 1 - r.spaces(i, n)
		}
	}
	return parts[0], "", i + 1
}

// separator is what parts digits at a token from more digits, and where those are; 0 if nothing does.
func (r *reading) separator(j int) (rune, int) {
	if j >= len(r.tokens) {
		return 0, 0
	}
	t := r.tokens[j]
	if t.sort == digits && !t.glued { // a space that does not break
		gap := r.text[r.tokens[j-1].end:t.start]
		if gap == "\u00a0" || gap == "\u202f" || gap == "\u2009" {
			return ' ', j
		}
		if gap == " " && r.language.Values.SpaceGroups && len(t.fold) == 3 && !t.spelled && len(r.tokens[j-1].fold) <= 3 {
			return ' ', j
		}
		return 0, 0
	}
	switch {
	case t.sort != mark || !t.glued || !r.isGlued(j+1) || r.tokens[j+1].sort != digits:
		return 0, 0
	case t.sign == '.' || t.sign == ',' || isApostrophe(t.sign):
		if t.end-t.start > len(string(t.sign)) {
			return 0, 0 // "..", as in 1..2
		}
		return t.sign, j + 1
	}
	return 0, 0
}

// spaces is how many of the first n separators behind a token are spaces, which are no tokens.
func (r *reading) spaces(i, n int) int {
	spaces := 0
	for j := i + 1; n > 0; n-- {
		s, next := r.separator(j)
		if s == ' ' {
			spaces++
		}
		j = next + 1
	}
	return spaces
}

// grouped reads digits parted by separators as one number.
func grouped(parts []string, separators []rune, point rune) (whole, fraction string, ok bool) {
	last := len(separators) - 1
	final := separators[last]
	one := true // all separators are one
	for _, s := range separators[:last] {
		one = one && s == final
	}
	isPoint := final == '.' || final == ','
	switch {
	case !isPoint:
		if !one {
			return "", "", false
		}
	case last > 0 && one: // 1.234.567
		isPoint = false
	case last > 0: // 1,234.5
	case final == point: // 1.234
	case len(parts[1]) == 3 && len(parts[0]) <= 3 && parts[0] != "0": // 1,234
		isPoint = false
	case final == '.': // 1.5 where a comma is usual
	case len(parts[1]) != 2: // 1,2
		return "", "", false
	}
	groups := parts
	if isPoint {
		groups, fraction = parts[:last+1], parts[last+1]
	}
	for n, g := range groups {
		if n > 0 && len(g) != 3 || n == 0 && len(groups) > 1 && len(g) > 3 {
			return "", "", false
		}
		whole += g
	}
	for n := 1; n < len(groups)-1; n++ {
		if separators[n] != separators[0] {
			return "", "", false
		}
	}
	return whole, fraction, true
}
