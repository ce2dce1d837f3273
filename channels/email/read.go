package email

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/htmlindex"
)

// Message is a message as it was read.
type Message struct {
	Header     mail.Header
	From       string // the address of the sender, in lower case
	Subject    string
	ID         string   // with its brackets
	References []string // the messages of the thread before it, the first one first
	Text       string   // all of it, with what it quotes
	Files      []string // names of what is attached
	Automatic  bool     // no person wrote it: an automatic reply, a bounce, a list
}

// Bounds of what is read of a message.
const (
	deepest   = 8        // parts within parts
	mostParts = 100      // altogether
	longest   = 64 << 10 // bytes of text
	mostRefs  = 50
)

// Read reads a message of MIME.
func Read(raw []byte) (*Message, error) {
	in, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("expected a message with a header: %w", err)
	}
	if len(in.Header["From"]) != 1 { // whoever verifies the sender may have read another one
		return nil, errors.New("expected From once")
	}
	words := mime.WordDecoder{CharsetReader: charset}
	from, err := (&mail.AddressParser{WordDecoder: &words}).Parse(in.Header.Get("From"))
	if err != nil {
		return nil, fmt.Errorf("expected one address in From: %w", err)
	}
	m := &Message{Header: in.Header, From: strings.ToLower(from.Address)}
	if m.Subject, err = words.DecodeHeader(in.Header.Get("Subject")); err != nil {
		m.Subject = in.Header.Get("Subject")
	}
	m.References = messageIDs(in.Header.Get("References"))
	if len(m.References) == 0 {
		m.References = messageIDs(in.Header.Get("In-Reply-To"))
	}
	ids := messageIDs(in.Header.Get("Message-Id"))
	if len(ids) == 0 {
		return nil, errors.New("expected a Message-ID")
	}
	m.ID, m.Automatic = ids[0], automatic(in.Header, m.From)
	r := reader{m: m, parts: mostParts}
	r.part(in.Header.Get, in.Body, 0)
	if m.Text = r.plain; strings.TrimSpace(m.Text) == "" {
		m.Text = r.html
	}
	return m, nil
}

var bracketed = regexp.MustCompile(`<[^<>\s]{1,250}>`)

func messageIDs(field string) []string {
	return bracketed.FindAllString(field, mostRefs)
}

// automatic reports whether a message was not written by a person.
func automatic(h mail.Header, from string) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	local, _, _ := strings.Cut(from, "@")
	submitted := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted")))
	switch strings.ToLower(h.Get("Precedence")) {
	case "bulk", "junk", "list", "auto_reply":
		return true
	}
	return kind == "multipart/report" || submitted != "" && submitted != "no" ||
		h.Get("List-Id") != "" || h.Get("List-Unsubscribe") != "" || h.Get("X-Autoreply") != "" || h.Get("X-Autorespond") != "" || h.Get("X-Failed-Recipients") != "" ||
		strings.TrimSpace(h.Get("Return-Path")) == "<>" || mute[local]
}

// mute are names behind which no person reads.
var mute = map[string]bool{
	"mailer-daemon": true, "postmaster": true, "noreply": true, "no-reply": true, "donotreply": true, "do-not-reply": true, "bounce": true, "bounces": true,
}

// reader collects the texts of a message.
type reader struct {
	m           *Message
	plain, html string
	parts       int // how many more are read
}

// part reads a part and those within it. What cannot be read is left out.
func (r *reader) part(header func(string) string, body io.Reader, depth int) {
	if r.parts--; r.parts < 0 || depth > deepest {
		return
	}
	kind, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		kind, params = "text/plain", nil
	}
	placed, place, _ := mime.ParseMediaType(header("Content-Disposition"))
	name := place["filename"]
	if name == "" {
		name = params["name"]
	}
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		all := multipart.NewReader(body, params["boundary"])
		for {
			p, err := all.NextRawPart()
			if err != nil {
				return
			}
			r.part(p.Header.Get, p, depth+1)
		}
	case placed == "attachment" || !strings.HasPrefix(kind, "text/"):
		words := mime.WordDecoder{CharsetReader: charset}
		if decoded, err := words.DecodeHeader(name); err == nil {
			name = decoded
		}
		if name == "" {
			name = kind
		}
		r.m.Files = append(r.m.Files, strings.Map(printable, name))
	default:
		text := decode(header("Content-Transfer-Encoding"), params["charset"], body)
		if kind == "text/html" {
			r.html += visible(text)
		} else {
			r.plain += text
		}
	}
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// decode is the text of a part, as far as it can be read.
func decode(encoding, set string, body io.Reader) string {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	if set != "" {
		if in, err := charset(set, body); err == nil {
			body = in
		}
	}
	data, _ := io.ReadAll(io.LimitReader(body, longest)) // what was read before an error counts
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return text
}

// charset reads a character set by its name.
func charset(name string, in io.Reader) (io.Reader, error) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, err
	}
	return e.NewDecoder().Reader(in), nil
}

// visible is the text of an HTML page, with a line for each of its blocks. Quotations are marked as in plain text.
func visible(page string) string {
	var out strings.Builder
	hidden, quoted := 0, 0
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(out.String())
		case html.TextToken:
			if text := strings.Join(strings.Fields(string(z.Text())), " "); hidden == 0 && text != "" {
				if quoted > 0 {
					text = "\n> " + text + "\n"
				}
				out.WriteString(text + " ")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			switch tag, _ := z.TagName(); string(tag) {
			case "script", "style", "head", "title":
				hidden++
			case "blockquote":
				quoted++
			case "br", "p", "div", "tr", "li", "h1", "h2", "h3":
				out.WriteString("\n")
			}
		case html.EndTagToken:
			switch tag, _ := z.TagName(); string(tag) {
			case "script", "style", "head", "title":
				hidden = max(hidden-1, 0)
			case "blockquote":
				quoted = max(quoted-1, 0)
			case "p", "div", "tr", "li", "h1", "h2", "h3":
				out.WriteString("\n")
			}
		}
	}
}

// quotes begin what a message quotes, as mail programs write it: everything after it is left out.
var quotes = regexp.MustCompile(`(?i)^(on .{5,200} wrote:|am .{5,200} schrieb .{0,200}:|le .{5,200} a écrit ?:|el .{5,200} escribió:|` +
	`-{3,} ?(original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht) ?-{3,}|_{20,})$`)

// Outlook quotes a message by its header alone: a line with the sender, and one with the time.
var (
	sender = regexp.MustCompile(`(?i)^\*?(from|von|de) ?:\*? .+`)
	sentAt = regexp.MustCompile(`(?i)^\*?(sent|gesendet|envoyé|date|datum) ?:\*? .+`)
)

// Reply is what the sender wrote: a text without what it quotes and without a signature.
func Reply(text string) string {
	var kept []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		bare, next := strings.TrimSpace(line), ""
		if i+1 < len(lines) {
			next = strings.TrimSpace(lines[i+1])
		}
		if line == "-- " || bare == "--" || quotes.MatchString(bare) || sender.MatchString(bare) && sentAt.MatchString(next) {
			break
		}
		if next != "" && quotes.MatchString(bare+" "+next) { // one that is broken over two lines
			break
		}
		if !strings.HasPrefix(bare, ">") {
			kept = append(kept, strings.TrimRight(line, " \t\r"))
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
