package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// state is what a Stream reads next.
type state uint8

const (
	beforeValue     state = iota
	beforeFirstItem       // or the end of the array
	beforeFirstName       // or the end of the object
	beforeName
	beforeColon
	behindValue // a comma, or the end of what is open
	inString
	inEscape // behind a backslash
	inCode   // behind \u
	inNumber
	inLiteral
	atEnd // behind the whole value
)

// wanted says what a state expects.
func (st *Stream) wanted() string {
	switch st.state {
	case beforeValue:
		return "a value"
	case beforeFirstItem:
		return `an item or "]"`
	case beforeFirstName:
		return `a name in quotes or "}"`
	case beforeName:
		return "a name in quotes"
	case beforeColon:
		return `":"`
	case behindValue:
		return fmt.Sprintf(`"," or "%c"`, st.top().closing())
	case inString:
		return "the rest of a string"
	case inEscape:
		return `one of "\/bfnrtu behind a backslash`
	case inCode:
		return `four hexadecimal digits behind \u`
	case inNumber:
		if wholeNumber(st.scalar) {
			return "what follows a number"
		}
		return "a digit"
	case inLiteral:
		return st.word
	}
	return "nothing behind the value"
}

// fail ends the stream with what it found in place of what it wanted.
func (st *Stream) fail(found string) {
	levels := len(st.frames)
	switch st.state {
	case beforeValue, inNumber, inLiteral:
	case inString, inEscape, inCode:
		if st.naming {
			levels--
		}
	default:
		levels--
	}
	st.err = one(st.where(levels), "expected JSON: at byte %d, expected %s, found %s", st.offset, st.wanted(), found)
}

// step reads a little of the text, and returns how many bytes.
func (st *Stream) step(text string) int {
	switch st.state {
	case inString:
		return st.stringPart(text)
	case inEscape:
		return st.escaped(text)
	case inCode:
		return st.digit(text)
	case inNumber:
		return st.numberPart(text)
	case inLiteral:
		return st.literalPart(text)
	}
	c := text[0]
	switch c {
	case ' ', '\t', '\n', '\r':
		return 1
	case '"':
		if st.state == beforeName || st.state == beforeFirstName {
			st.naming, st.name, st.state = true, st.name[:0], inString
			return 1
		}
	case '}', ']':
		if f := st.top(); f != nil && c == f.closing() && st.state != beforeValue && st.state != beforeName && st.state != beforeColon {
			st.closeFrame()
			return 1
		}
	case ',':
		if st.state == behindValue {
			st.state = beforeValue
			if st.top().object {
				st.state = beforeName
			}
			return 1
		}
	case ':':
		if st.state == beforeColon {
			st.state = beforeValue
			return 1
		}
	}
	if st.state == beforeValue || st.state == beforeFirstItem {
		return st.valueBegins(c, text)
	}
	st.fail(firstOf(text))
	return 0
}

// firstOf is what a text begins with. Of a character of several bytes it is the first, for the others may not be there yet.
func firstOf(text string) string {
	if c := text[0]; c >= utf8.RuneSelf {
		return fmt.Sprintf("the byte 0x%02x", c)
	}
	return strconv.Quote(text[:1])
}

func (st *Stream) valueBegins(c byte, text string) int {
	switch {
	case c == '{' || c == '[':
		if len(st.frames) == deepest {
			st.err = one(st.where(len(st.frames)-1), "expected at most %d levels of nesting, found more", deepest)
			return 0
		}
		st.push(c)
		return 1
	case c == '"':
		st.begin(aString)
		st.state = inString
		if !st.open.hidden {
			st.enter()
			st.out = append(st.out, '"')
		}
		return 1
	case c == '-' || c-'0' <= 9:
		st.begin(aNumber)
		st.state, st.scalar = inNumber, append(st.scalar[:0], c)
		return 1
	case c == 't':
		st.begin(aBoolean)
		st.word = "true"
	case c == 'f':
		st.begin(aBoolean)
		st.word = "false"
	case c == 'n':
		st.begin(aNull)
		st.word = "null"
	default:
		st.fail(firstOf(text))
		return 0
	}
	st.state, st.scalar = inLiteral, append(st.scalar[:0], c)
	return 1
}

// stringPart reads characters of a string up to the next that is special.
func (st *Stream) stringPart(text string) int {
	if len(st.cut) > 0 {
		return st.restOfCharacter(text)
	}
	n := 0
	for n < len(text) && text[n] >= ' ' && text[n] < utf8.RuneSelf && text[n] != '"' && text[n] != '\\' {
		n++
	}
	if n > 0 {
		st.loneSurrogate()
		st.put(text[:n])
		return n
	}
	switch c := text[0]; {
	case c == '\\':
		st.state = inEscape
		return 1
	case c == '"':
		st.loneSurrogate()
		if st.naming {
			st.naming = false
			st.named()
		} else {
			st.endString()
		}
		return 1
	case c < ' ':
		st.fail(firstOf(text) + `, which is written \u` + fmt.Sprintf("%04x", c))
		return 0
	}
	st.loneSurrogate()
	if !utf8.FullRuneInString(text) {
		st.cut = append(st.cut, text...)
		return len(text)
	}
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		st.put("\uFFFD") // as encoding/json has it
	} else {
		st.put(text[:size])
	}
	return size
}

// restOfCharacter goes on with a character whose first bytes ended a piece.
func (st *Stream) restOfCharacter(text string) int {
	st.cut = append(st.cut, text[0])
	if !utf8.FullRune(st.cut) {
		return 1
	}
	if r, size := utf8.DecodeRune(st.cut); r != utf8.RuneError || size > 1 {
		st.put(string(st.cut))
		st.cut = st.cut[:0]
		return 1
	}
	for range st.cut[1:] { // none of the bytes before this one is a character
		st.put("\uFFFD")
	}
	st.cut = st.cut[:0]
	return 0
}

// loneSurrogate gives up on a pair of surrogates of which only the first half came.
func (st *Stream) loneSurrogate() {
	if st.high != 0 {
		st.high = 0
		st.put("\uFFFD")
	}
}

func (st *Stream) escaped(text string) int {
	const names, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if text[0] == 'u' {
		st.state, st.escape, st.code = inCode, 0, 0
		return 1
	}
	i := strings.IndexByte(names, text[0])
	if i < 0 {
		st.fail(firstOf(text))
		return 0
	}
	st.state = inString
	st.loneSurrogate()
	st.put(meanings[i : i+1])
	return 1
}

func (st *Stream) digit(text string) int {
	d, err := strconv.ParseUint(text[:1], 16, 8)
	if err != nil {
		st.fail(firstOf(text))
		return 0
	}
	st.code = st.code<<4 | rune(d)
	if st.escape++; st.escape < 4 {
		return 1
	}
	st.state = inString
	high := st.high
	if high != 0 {
		if r := utf16.DecodeRune(high, st.code); r != utf8.RuneError {
			st.high = 0
			st.put(string(r))
			return 1
		}
		st.loneSurrogate()
	}
	if st.code >= 0xD800 && st.code < 0xDC00 {
		st.high = st.code
		return 1
	}
	st.put(string(st.code)) // U+FFFD for a second half without its first
	return 1
}

// numberPart reads what may belong to a number. Whether it does is looked at byte by byte, so that a text stops being
// JSON at the same byte however it is cut.
func (st *Stream) numberPart(text string) int {
	c := text[0]
	if c-'0' > 9 && !strings.ContainsRune("+-.eE", rune(c)) {
		if wholeNumber(st.scalar) {
			st.endNumber()
		} else {
			st.fail(firstOf(text))
		}
		return 0
	}
	if !continues(st.scalar, c) {
		if wholeNumber(st.scalar) {
			st.endNumber() // and then c is not what follows a value
		} else {
			st.fail(firstOf(text))
		}
		return 0
	}
	n := 1
	if leading := len(st.scalar) == 1 && st.scalar[0] == '-' && c == '0'; !leading && c-'0' <= 9 {
		for n < len(text) && text[n]-'0' <= 9 { // none of these can be wrong
			n++
		}
	}
	st.scalar = append(st.scalar, text[:n]...)
	return n
}

// wholeNumber reports whether the beginning of a number is one already.
func wholeNumber(text []byte) bool { return text[len(text)-1]-'0' <= 9 }

// continues reports whether c may follow the beginning of a number. It looks at the bytes before it only as far as the
// kind of c asks, which for digits is at most three.
func continues(text []byte, c byte) bool {
	last := text[len(text)-1]
	switch {
	case c-'0' <= 9:
		zero := last == '0' && (len(text) == 1 || len(text) == 2 && text[0] == '-')
		return !zero
	case c == '.':
		return last-'0' <= 9 && !slices.ContainsFunc(text, func(b byte) bool { return b == '.' || b == 'e' || b == 'E' })
	case c == 'e' || c == 'E':
		return last-'0' <= 9 && !slices.ContainsFunc(text, func(b byte) bool { return b == 'e' || b == 'E' })
	}
	return last == 'e' || last == 'E'
}

func (st *Stream) literalPart(text string) int {
	if text[0] != st.word[len(st.scalar)] {
		st.fail(firstOf(text))
		return 0
	}
	st.scalar = append(st.scalar, text[0])
	if len(st.scalar) == len(st.word) {
		st.endLiteral()
	}
	return 1
}

func appendToken(to []byte, name string) []byte {
	if strings.ContainsAny(name, "~/") {
		name = pointerEscaper.Replace(name)
	}
	return append(to, name...)
}

func appendIndex(to []byte, i int) []byte { return strconv.AppendInt(to, int64(i), 10) }
