package email

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/mail"
	"regexp"
	"strings"

	"github.com/fermata-go/fermata/channels"
)

// Options configure the channel. Secret, From and Server are required.
type Options struct {
	Secret string // signs the requests of the mail server
	From   string // of answers, "Bank <bank@example.com>"; messages from it are ignored
	// Accept reports whether a message counts, by its header: whether the mail server has verified the sender
	// (see Verified). Defaults to all of them.
	Accept   func(h mail.Header) bool
	Server   string // of SMTP, with TLS: "smtp.example.com:465", or a port at which TLS begins by STARTTLS
	Username string // defaults to no authentication
	Password string
	TLS      *tls.Config // defaults to the certificates that this machine trusts
	// Plain allows a server of this machine without TLS.
	Plain bool
}

// Channel is a mailbox. New makes one.
type Channel struct {
	o    Options
	from *mail.Address
}

// New makes the channel "email". An error says that an option is wrong.
func New(o Options) (*Channel, error) {
	from, err := mail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("email.Options.From %q: expected an address such as Bank <bank@example.com>: %w", o.From, err)
	}
	host, _, err := net.SplitHostPort(o.Server)
	if err != nil {
		return nil, fmt.Errorf("email.Options.Server %q: expected a host and a port such as smtp.example.com:465: %w", o.Server, err)
	}
	if ip := net.ParseIP(host); o.Plain && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("email.Options.Plain: %s is another machine: it needs TLS", host)
	}
	return &Channel{o: o, from: from}, nil
}

// Name implements channels.Channel.
func (*Channel) Name() string { return "email" }

// address is where answers go, and the thread that they continue.
type address struct {
	To         string   `json:"to"`
	Subject    string   `json:"subject,omitempty"`
	ID         string   `json:"id"`                   // of the user's message, with its brackets
	References []string `json:"references,omitempty"` // the messages before it
}

// Receive implements channels.Channel.
func (c *Channel) Receive(r *channels.Request) (got channels.Received, err error) {
	stamp := r.Header.Get("X-Timestamp")
	want := channels.HexHMAC(c.o.Secret, []byte(stamp+"."), r.Body)
	if c.o.Secret == "" || !channels.SameSecret(r.Header.Get("X-Signature"), want) {
		return got, channels.ErrForged
	}
	if err := channels.Recent(stamp, r.Now); err != nil {
		return got, err
	}
	m, err := Read(r.Body)
	if err != nil { // its cause may show the message, and is not logged
		return got, fmt.Errorf("%w: expected a message with one sender and a Message-ID", channels.ErrMalformed)
	}
	if m.Automatic || strings.EqualFold(m.From, c.from.Address) || c.o.Accept != nil && !c.o.Accept(m.Header) {
		return got, nil
	}
	to, err := json.Marshal(address{To: m.From, Subject: m.Subject, ID: m.ID, References: m.References})
	if err != nil {
		return got, err
	}
	text := Reply(m.Text)
	for _, name := range m.Files {
		text += " [file: " + name + "]"
	}
	if text = strings.TrimSpace(text); text == "" {
		text = m.Subject
	}
	got.Messages = []channels.Message{{User: m.From + "+" + m.thread(), ID: m.ID, Text: text, Address: to, Language: m.Header.Get("Content-Language")}}
	return got, nil
}

// Verified returns an Options.Accept for a mail server that checks DMARC. The server writes what it found above all that a
// sender has written (RFC 8601): messages count whose first Authentication-Results is of the server and has dmarc=pass. The
// name is the one that the server writes there: "mx.example.com".
func Verified(server string) func(h mail.Header) bool {
	return func(h mail.Header) bool {
		who, found, _ := strings.Cut(h.Get("Authentication-Results"), ";")
		name, _, _ := strings.Cut(strings.TrimSpace(who), " ") // a version may follow
		return strings.EqualFold(name, server) && dmarcPass.MatchString(found)
	}
}

var dmarcPass = regexp.MustCompile(`(?i)(^|;)\s*dmarc\s*=\s*pass\b`)

// thread identifies the thread: by its first message, which is the user's own.
func (m *Message) thread() string {
	first := m.ID
	if len(m.References) > 0 {
		first = m.References[0]
	}
	return hash(first)
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// Buttons implements channels.Channel: mail has none.
func (*Channel) Buttons([]string) bool { return false }
