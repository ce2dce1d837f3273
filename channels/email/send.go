package email

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/channels"
)

// longestSend is how long a server may take for one message.
const longestSend = time.Minute

// Send implements channels.Channel. The same message has the same Message-ID each time.
func (c *Channel) Send(ctx context.Context, o *channels.Outgoing) error {
	var to address
	if err := o.ReadAddress(&to); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longestSend)
	defer cancel()
	err := c.deliver(ctx, to.To, c.write(&to, o, time.Now()))
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return &channels.SendError{Reason: fmt.Sprintf("code %d", said.Code), Permanent: said.Code/100 == 5 && said.Code != wrongPassword}
	}
	return err
}

// untaken is an error before the server was given the message.
func untaken(err error) error {
	if _, ok := errors.AsType[*textproto.Error](err); ok {
		return err
	}
	return &channels.SendError{Reason: "the mail server did not listen: " + err.Error()}
}

// longestSubject keeps the line of a subject, whose characters may take 12 bytes each, within what servers take.
const longestSubject = 200

// wrongPassword is the code of SMTP for credentials that are wrong, and are replaced one day.
const wrongPassword = 535

// write is the message in MIME.
func (c *Channel) write(to *address, o *channels.Outgoing, at time.Time) []byte {
	var out bytes.Buffer
	_, domain, _ := strings.Cut(c.from.Address, "@")
	subject := to.Subject
	if !strings.HasPrefix(strings.ToLower(subject), "re:") {
		subject = "Re: " + subject
	}
	subject = strings.ReplaceAll(mime.QEncoding.Encode("utf-8", channels.Split(subject, longestSubject)[0]), "?= =?", "?=\r\n =?")
	references := slices.Concat(to.References, []string{to.ID})
	for _, field := range [][2]string{
		{"From", c.from.String()},
		{"To", (&mail.Address{Address: to.To}).String()},
		{"Subject", subject},
		{"Date", at.Format(time.RFC1123Z)},
		{"Message-ID", "<" + hash(o.Key) + "@" + domain + ">"},
		{"In-Reply-To", to.ID},
		{"References", strings.Join(references, "\r\n ")},
		{"Auto-Submitted", "auto-replied"},
		{"X-Auto-Response-Suppress", "All"}, // Exchange answers it with no absence
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		out.WriteString(field[0] + ": " + field[1] + "\r\n")
	}
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	_, _ = body.Write([]byte(strings.ReplaceAll(o.Text, "\n", "\r\n") + "\r\n")) // a buffer takes everything
	_ = body.Close()
	return out.Bytes()
}

// deliver gives a message to the server.
func (c *Channel) deliver(ctx context.Context, to string, message []byte) error {
	host, port, _ := net.SplitHostPort(c.o.Server) // New has checked it
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.o.Server)
	if err != nil {
		return &channels.SendError{Reason: "the mail server cannot be reached"}
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.o.TLS != nil {
		secure = c.o.TLS.Clone()
	}
	secure.ServerName = host
	if port == "465" {
		conn = tls.Client(conn, secure)
	}
	server, err := smtp.NewClient(conn, host)
	if err != nil {
		return untaken(err)
	}
	defer func() { _ = server.Close() }()
	if port != "465" && !c.o.Plain {
		if err := server.StartTLS(secure); err != nil {
			return untaken(err)
		}
	}
	if c.o.Username != "" {
		if err := server.Auth(smtp.PlainAuth("", c.o.Username, c.o.Password, host)); err != nil {
			return untaken(err)
		}
	}
	if err := server.Mail(c.from.Address); err != nil {
		return untaken(err)
	}
	if err := server.Rcpt(to); err != nil {
		return untaken(err)
	}
	w, err := server.Data()
	if err != nil {
		return untaken(err)
	}
	if _, err := w.Write(message); err != nil {
		return err
	}
	if err := w.Close(); err != nil { // here the server takes it
		return err
	}
	_ = server.Quit() // it has been taken
	return nil
}
