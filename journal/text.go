package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSONError says where a text is not JSON.
type JSONError struct {
	Offset int // in bytes
	Reason string
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// maxDepth is how deep lists and objects may lie in one another, as in encoding/json.
const maxDepth = 10_000

// compactText is b as a valid JSON text without white space.
func compactText(b []byte) (string, error) {
	c := checker{text: b}
	if err := c.whole(); err != nil {
		return "", err
	}
	if !c.spaces {
		return string(b), nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		return "", err
	}
	return out.String(), nil
}

// checker checks a JSON text, as RFC 8259 has it.
type checker struct {
	text   []byte
	at     int
	depth  int
	spaces bool // there is white space between the tokens
}

func (c *checker) whole() error {
	c.space()
	if err := c.value(); err != nil {
		return err
	}
	if c.space(); c.at < len(c.text) {
		return c.wrong("the end")
	}
	return nil
}

func (c *checker) wrong(expected string) error {
	found := "the end"
	if c.at < len(c.text) {
		found = strconv.QuoteRune(rune(c.text[c.at]))
	}
	return &JSONError{Offset: c.at, Reason: "expected " + expected + ", found " + found}
}

func (c *checker) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
			c.spaces = true
		default:
			return
		}
	}
}

// next is the byte to come, 0 at the end (no token begins with 0).
func (c *checker) next() byte {
	if c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

func (c *checker) value() error {
	switch b := c.next(); b {
	case '{':
		return c.list('}', "a member", c.member)
	case '[':
		return c.list(']', "a value", c.value)
	case '"':
		return c.string()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	default:
		if b == '-' || digit(b) {
			return c.number()
		}
		return c.wrong("a value")
	}
}

// list checks what stands between brackets, separated by commas.
func (c *checker) list(end byte, what string, element func() error) error {
	if c.depth++; c.depth > maxDepth {
		return &JSONError{Offset: c.at, Reason: fmt.Sprintf("nested deeper than %d", maxDepth)}
	}
	c.at++
	if c.space(); c.next() == end {
		c.at++
		c.depth--
		return nil
	}
	for {
		if c.space(); c.at == len(c.text) {
			return c.wrong(what)
		}
		if err := element(); err != nil {
			return err
		}
		c.space()
		switch c.next() {
		case ',':
			c.at++
		case end:
			c.at++
			c.depth--
			return nil
		default:
			return c.wrong(`',' or '` + string(end) + `'`)
		}
	}
}

func (c *checker) member() error {
	if c.next() != '"' {
		return c.wrong("a member's name")
	}
	if err := c.string(); err != nil {
		return err
	}
	if c.space(); c.next() != ':' {
		return c.wrong("':'")
	}
	c.at++
	c.space()
	return c.value()
}

func (c *checker) string() error {
	for c.at++; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			return nil
		case b < ' ':
			return c.wrong("a control character to be escaped")
		case b == '\\':
			if err := c.escape(); err != nil {
				return err
			}
		}
	}
	return c.wrong(`'"'`)
}

// escape stands on a backslash, and then on the last byte of the escape.
func (c *checker) escape() error {
	c.at++
	switch c.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			c.at++
			if b := c.next(); !digit(b) && (b|0x20 < 'a' || b|0x20 > 'f') {
				return c.wrong("four hexadecimal digits")
			}
		}
		return nil
	}
	return c.wrong("an escape")
}

func (c *checker) word(w string) error {
	for i := range len(w) {
		if c.next() != w[i] {
			return c.wrong(w)
		}
		c.at++
	}
	return nil
}

func (c *checker) number() error {
	if c.next() == '-' {
		c.at++
	}
	if c.next() == '0' {
		c.at++
	} else if err := c.digits(); err != nil {
		return err
	}
	if c.next() == '.' {
		c.at++
		if err := c.digits(); err != nil {
			return err
		}
	}
	if c.next()|0x20 == 'e' {
		c.at++
		if b := c.next(); b == '+' || b == '-' {
			c.at++
		}
		return c.digits()
	}
	return nil
}

func (c *checker) digits() error {
	if !digit(c.next()) {
		return c.wrong("a digit")
	}
	for digit(c.next()) {
		c.at++
	}
	return nil
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// skip is the end of the value that begins at i in a compact text.
func skip(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = skipString(s, i) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + min(depth, 0) // what closes another value ends a number or word before it
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// skipString is the end of the string that begins at i.
func skipString(s string, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// elements yields the elements of a list, as compact text.
func elements(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 1; i < len(list)-1; i++ {
			end := skip(list, i)
			if !yield(list[i:end]) {
				return
			}
			i = end
		}
	}
}

// members yields the members of an object, as names and compact text.
func members(object string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := 1; i < len(object)-1; i++ {
			colon := skipString(object, i)
			end := skip(object, colon+1)
			if !yield(unquote(object[i:colon]), object[colon+1:end]) {
				return
			}
			i = end
		}
	}
}

// unquote is the string that a JSON string stands for. Bytes that are no UTF-8 become U+FFFD, as in encoding/json.
func unquote(s string) string {
	plain := s[1 : len(s)-1]
	if strings.IndexByte(plain, '\\') < 0 && utf8.ValidString(plain) {
		return plain
	}
	var out string
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		return plain // not reached: s was checked
	}
	return out
}
