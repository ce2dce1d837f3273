package phrase

// inWords reads a number in words: "two hundred and fifty", "a dozen", "half a million", "three point one four".
func (r *reading) inWords(i int) (number, bool) {
	if n, ok := r.half(i); ok {
		return n, true
	}
	n := number{decimal: newDecimal(0), i: i, j: i, words: true}
	for before := 1 << 30; ; { // the power of ten of the scale before: they go down
		at := n.j
		if at > i && r.word(at) == "and" {
			at++
		}
		part, next, ok := r.belowThousand(at, before == 1<<30)
		if !ok {
			break
		}
		scale, scaled := r.scale(next, false)
		if scaled && scale >= before {
			break
		}
		d := newDecimal(part)
		if !scaled {
			n.add(d)
			n.j = next
			break
		}
		d.shift(scale)
		n.add(d)
		n.j, before = next+1, scale
	}
	if n.j == i {
		return number{}, false
	}
	r.withFraction(&n)
	return n, true
}

// belowThousand reads what stands before a scale: "five", "twenty-five", "two hundred and fifty", "a".
func (r *reading) belowThousand(i int, first bool) (n int64, j int, ok bool) {
	if w := r.word(i); w == "a" || w == "an" {
		if !first || !r.isScale(i+1) {
			return 0, i, false
		}
		n, j = 1, i+1
	} else if first && r.language.Values.ScalesAlone && r.is(i, "hundred", "thousand") { // "hundert"
		n, j = 1, i
	} else if n, j, ok = r.belowHundred(i); !ok {
		return 0, i, false
	}
	if n == 0 || r.word(j) != "hundred" {
		return n, j, true
	}
	n, j = n*100, j+1
	at := r.past(j, "and")
	if rest, next, ok := r.belowHundred(at); ok && rest > 0 {
		return n + rest, next, true
	}
	return n, j, true
}

func (r *reading) belowHundred(i int) (n int64, j int, ok bool) {
	n, ok = r.language.Values.Units[r.word(i)]
	j = i + 1
	if !ok || n == 1 && r.is(i-1, "this", "that", "the", "which", "each", "every", "any", "no") && !r.isScale(j) && r.oclock(j) == j { // this one
		return 0, i, false
	}
	if n < 20 {
		return n, j, true
	}
	at := j
	if r.sign(at) == '-' {
		at++
	}
	if ones, ok := r.language.Values.Units[r.word(at)]; ok && ones > 0 && ones < 10 {
		return n + ones, at + 1, true
	}
	return n, j, true
}

// withFraction goes on with "point five", "and a half", "dozen", and with scales behind those.
func (r *reading) withFraction(n *number) {
	if r.word(n.j) == "point" {
		r.pointDigits(n)
	} else if at, ok := r.andHalf(n.j); ok && n.Cmp(&newDecimal(1000).Rat) < 0 { // a million and a half: of what?
		half, _ := parseDecimal("", "5")
		n.add(half)
		n.j = at
	} else if r.word(n.j) != "dozen" {
		return
	}
	r.greater(n)
}

// andHalf reads "and a half", or "and half" in languages that say so.
func (r *reading) andHalf(i int) (j int, ok bool) {
	if j, ok = r.at(i, "and", "a", "half"); !ok && r.language.Values.HoursNamed {
		j, ok = r.at(i, "and", "half")
	}
	return j, ok
}

func (r *reading) isScale(j int) bool {
	w := r.word(j)
	_, ok := r.scale(j, false)
	return ok || w == "hundred"
}

// half reads "half", "a half", "half a million", "half a dozen", "a quarter", "a dozen", "a couple of".
func (r *reading) half(i int) (number, bool) {
	at := r.past(i, "a", "an", "one")
	n := number{i: i, j: at + 1, words: true}
	if end, ok := r.andHalf(at); ok && at > i { // one and a half
		n.decimal, _ = parseDecimal("1", "5")
		n.j = end
		return n, true
	}
	switch r.word(at) {
	case "half":
		n.decimal, _ = parseDecimal("", "5")
		if w := r.word(n.j); w == "a" || w == "an" {
			if !r.isScale(n.j+1) && r.word(n.j+1) != "dozen" {
				return n, true
			}
			n.j++
		}
		r.greater(&n)
		return n, true
	case "quarter":
		if at == i {
			return number{}, false
		}
		n.decimal, _ = parseDecimal("", "25")
		if next, ok := r.at(n.j, "of", "a"); ok && r.isScale(next) {
			n.j = next
		}
		r.greater(&n)
		return n, true
	case "dozen":
		n.decimal = newDecimal(12)
		return n, at > i || i == 0
	case "couple":
		n.decimal = newDecimal(2)
		if r.word(n.j) == "of" {
			n.j++
		}
		r.greater(&n)
		return n, at > i
	}
	return number{}, false
}
