package email_test

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/email"
)

func signed(body []byte) *http.Request { return signedAt(body, time.Now()) }

func signedAt(body []byte, at time.Time) *http.Request {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return channeltest.POST("/channels/email", body, "X-Timestamp", stamp, "X-Signature", channels.HexHMAC("a-secret", []byte(stamp+"."), body))
}

// server is a mail server in memory. It gives what it is sent to a provider, and says its verdicts in codes of SMTP.
type server struct {
	net.Listener
	p   *channeltest.Provider
	tls *tls.Config // of STARTTLS; nil for none

	headers chan mail.Header // of the first messages
	raw     chan string      // the messages themselves; nil for nobody reads them
}

func serve(t testing.TB, s *server) *server {
	t.Helper()
	var err error
	if s.Listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.headers = make(chan mail.Header, 9)
	go func() {
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			go s.talk(conn)
		}
	}()
	return s
}

func (s *server) talk(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	say("220 mail.example.org")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); word {
		case "EHLO":
			if s.tls != nil {
				say("250-mail.example.org\r\n250 STARTTLS")
			} else {
				say("250 mail.example.org")
			}
		case "STARTTLS":
			if s.tls == nil {
				say("502 unknown")
				continue
			}
			say("220 go on")
			conn = tls.Server(conn, s.tls)
			in = bufio.NewReader(conn)
		case "DATA":
			say("354 go on")
			var data strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				data.WriteString(strings.TrimPrefix(line, "."))
			}
			if !s.take(data.String(), say) {
				return
			}
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// take takes a message, and reports whether the server is still there.
func (s *server) take(data string, say func(string)) bool {
	m, err := email.Read([]byte(data))
	if err != nil {
		say("550 " + err.Error())
		return true
	}
	if s.raw != nil {
		s.raw <- data
	}
	select {
	case s.headers <- m.Header:
	default:
	}
	v := s.p.Take(channeltest.Sent{To: m.Header.Get("To"), Text: strings.TrimSuffix(m.Text, "\n")})
	switch {
	case v.Silent:
		return false
	case v.Status == http.StatusUnauthorized:
		say("535 wrong password")
	case v.Status/100 == 5, v.Status == http.StatusTooManyRequests:
		say("451 try again later")
	case v.Status/100 == 4:
		say("550 no such user")
	default:
		say("250 ok")
	}
	return true
}

func newChannel(t testing.TB, p *channeltest.Provider) channels.Channel {
	s := serve(t, &server{p: p})
	ch, err := email.New(email.Options{Secret: "a-secret", From: "Bank <bank@example.org>", Server: s.Addr().String(), Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func TestEmail(t *testing.T) {
	order := channeltest.Recording(t, "plain.eml")
	none, wrong, other := signed(order), signed(order), signed(order)
	none.Header.Del("X-Signature")
	wrong.Header.Set("X-Signature", strings.Repeat("0", 64))
	other.Body = signed(channeltest.Recording(t, "plain.eml", "order something", "order everything")).Body
	channeltest.Suite{
		New: newChannel,
		Message: func(id, text string) *http.Request {
			return signed(channeltest.Recording(t, "plain.eml", "Message-ID: <first@example.com>", "Message-ID: <"+id+"@example.com>\r\nReferences: <first@example.com>", "order something", text))
		},
		In: func(id, text, language string) *http.Request {
			return signed(channeltest.Recording(t, "plain.eml", "Message-ID: <first@example.com>",
				"Message-ID: <"+id+"@example.com>\r\nReferences: <first@example.com>\r\nContent-Language: "+language, "order something", text))
		},
		Forged: map[string]*http.Request{
			"no signature": none, "a wrong signature": wrong, "another body": other, "an old one": signedAt(order, time.Now().Add(-6*time.Minute)),
		},
		Ignored: map[string]*http.Request{
			"a holiday": signed(channeltest.Recording(t, "vacation.eml")), "a bounce": signed(channeltest.Recording(t, "bounce.eml")),
			"a newsletter": signed(channeltest.Recording(t, "plain.eml", "Message-ID:", "List-Unsubscribe: <https://list.example.com/out>\r\nMessage-ID:")),
			"nobody":       signed(channeltest.Recording(t, "plain.eml", "Ada@example.com", "No-Reply@example.com")),
			"a list":       signed(channeltest.Recording(t, "list.eml")), "an answer of its own": signed(channeltest.Recording(t, "own.eml")),
		},
		Recorded: map[string]channeltest.Recorded{
			"a text":             {Request: signed(order), User: userOf("ada@example.com", "<first@example.com>"), Texts: []string{"order something"}},
			"a reply and a file": {Request: signed(channeltest.Recording(t, "reply.eml")), User: userOf("ada@example.com", "<first@example.com>"), Texts: []string{"Green tea, süß. [file: invoice €.pdf]"}},
			"HTML in Latin-1":    {Request: signed(channeltest.Recording(t, "html.eml")), User: userOf("joerg@example.com", "<html@example.com>"), Texts: []string{"Grüner Tee\nzwölf <bitte>"}},
			"a signature":        {Request: signed(channeltest.Recording(t, "signature.eml")), User: userOf("ada@example.com", "<signature@example.com>"), Texts: []string{"milk\nfor two"}},
		},
		NoWishes: true,
		Markup:   ". <b>tea</b> =20", Shown: ". <b>tea</b> =20", // a mail is plain text
	}.Run(t)
}

// digest is how ids of messages are shortened.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// userOf is the user of a thread.
func userOf(from, first string) string { return from + "+" + digest(first) }

// TestAnAnswerContinuesTheThread shows the header of an answer, which is the same when it is sent again.
func TestAnAnswerContinuesTheThread(t *testing.T) {
	var got []mail.Header
	for range 2 {
		p := &channeltest.Provider{}
		s := serve(t, &server{p: p})
		ch, err := email.New(email.Options{Secret: "a-secret", From: "Bank <bank@example.org>", Server: s.Addr().String(), Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		in, err := ch.Receive(channeltest.Request(t, signed(channeltest.Recording(t, "reply.eml", "Subject: Re: Tea", "Subject: =?utf-8?q?T=C3=A9_=0D=0ABcc:_eve@example.com?="))))
		if err != nil {
			t.Fatal(err)
		}
		if err := ch.Send(t.Context(), &channels.Outgoing{Key: "email:ada/7", Address: in.Messages[0].Address, Text: "Ordered.\n.\nFrom here"}); err != nil {
			t.Fatal(err)
		}
		if all, _ := p.Sent(); len(all) != 1 || all[0].Text != "Ordered.\n.\nFrom here" {
			t.Errorf("sent was %q", all)
		}
		h := <-s.headers
		h["Date"] = nil
		got = append(got, h)
	}
	want := mail.Header{
		"From": {`"Bank" <bank@example.org>`}, "To": {"<ada@example.com>"}, "Date": nil,
		"Subject":    {"=?utf-8?q?Re:_T=C3=A9_=0D=0ABcc:_eve@example.com?="},
		"Message-Id": {"<" + digest("email:ada/7") + "@example.org>"}, "In-Reply-To": {"<second@example.com>"},
		"References":     {"<first@example.com> <4b3a@example.org> <second@example.com>"},
		"Auto-Submitted": {"auto-replied"}, "X-Auto-Response-Suppress": {"All"}, "Mime-Version": {"1.0"}, "Content-Type": {"text/plain; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"},
	}
	for _, h := range got {
		if diff := cmp.Diff(want, h); diff != "" {
			t.Error(diff)
		}
	}
}

// TestAnswersNeedTLS sends by STARTTLS, and nothing to a server without it.
func TestAnswersNeedTLS(t *testing.T) {
	web := httptest.NewTLSServer(http.NotFoundHandler())
	defer web.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	to, err := json.Marshal(map[string]string{"to": "ada@example.com", "id": "<1@example.com>"})
	if err != nil {
		t.Fatal(err)
	}
	for _, offered := range []bool{true, false} {
		p := &channeltest.Provider{}
		s := &server{p: p}
		if offered {
			s.tls = &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
		}
		serve(t, s)
		ch, err := email.New(email.Options{From: "bank@example.org", Server: s.Addr().String(), TLS: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}})
		if err != nil {
			t.Fatal(err)
		}
		err = ch.Send(t.Context(), &channels.Outgoing{Address: to, Text: "Hello"})
		if all, _ := p.Sent(); (err == nil) != offered || (len(all) == 1) != offered {
			t.Errorf("TLS is offered: %v; sent %v, %v", offered, all, err)
		}
	}
}

// TestASenderMayHaveToBeVerified leaves out what the mail server has not verified.
func TestASenderMayHaveToBeVerified(t *testing.T) {
	ch, err := email.New(email.Options{Secret: "a-secret", From: "bank@example.org", Server: "127.0.0.1:25", Accept: func(h mail.Header) bool {
		return strings.Contains(h.Get("Authentication-Results"), "dmarc=pass")
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"plain.eml": 1, "signature.eml": 0} {
		got, err := ch.Receive(channeltest.Request(t, signed(channeltest.Recording(t, name))))
		if err != nil || len(got.Messages) != want {
			t.Errorf("%s: %d messages, %v; expected %d", name, len(got.Messages), err, want)
		}
	}
}

// TestOptionsAreChecked refuses what cannot work, and passwords over a network without TLS.
func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []email.Options{
		{From: "nobody", Server: "h:25"}, {From: "a@example.com", Server: "h"}, {From: "a@example.com", Server: "smtp.example.com:25", Plain: true},
	} {
		if _, err := email.New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestOneSenderCounts refuses a message with two, of which another program may verify the one that this one does not read.
func TestOneSenderCounts(t *testing.T) {
	raw := string(channeltest.Recording(t, "plain.eml", "From: Ada", "From: Eve <eve@example.com>\r\nFrom: Ada"))
	if m, err := email.Read([]byte(raw)); err == nil {
		t.Errorf("it is of %s", m.From)
	}
	ch, err := email.New(email.Options{Secret: "a-secret", From: "bank@example.org", Server: "127.0.0.1:25"})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{raw, "card 4111 1111\n\nsecret", "From: card 4111\n\nsecret"} {
		_, err = ch.Receive(channeltest.Request(t, signed([]byte(bad))))
		if !errors.Is(err, channels.ErrMalformed) || strings.Contains(err.Error(), "4111") || strings.Contains(err.Error(), "eve@") {
			t.Errorf("%v", err)
		}
	}
}

// TestVerified believes the first result, which is the mail server's own, and no other one.
func TestVerified(t *testing.T) {
	accept := email.Verified("mx.example.org")
	for found, want := range map[string]bool{
		"mx.example.org; dkim=pass header.d=example.com; dmarc=pass header.from=example.com": true,
		"mx.example.org 1; dmarc=pass":                        true,
		"MX.example.org;dmarc = pass (p=none)":                true,
		"mx.example.org; dmarc=fail":                          false,
		"mx.example.org; dkim=pass; x-dmarc=pass":             false,
		"mx.example.org; dmarc=passed":                        false,
		"mx.example.com; dmarc=pass":                          false,
		"mx.example.org.evil.example; dmarc=pass":             false,
		"evil.example; dmarc=fail (mx.example.org;dmarc=pass": false,
		"": false,
	} {
		if got := accept(mail.Header{"Authentication-Results": {found, "mx.example.org; dmarc=pass"}}); got != want {
			t.Errorf("%q: %v, expected %v", found, got, want)
		}
	}
	if accept(mail.Header{}) {
		t.Error("a message without results counts")
	}
}

// TestLongSubjectsFit keeps the lines of a header within 998 bytes, which is as much as servers take.
func TestLongSubjectsFit(t *testing.T) {
	for _, subject := range []string{strings.Repeat("tea ", 2000), strings.Repeat("té€", 2000)} {
		p := &channeltest.Provider{}
		raw := make(chan string, 1)
		s := serve(t, &server{p: p, raw: raw})
		ch, err := email.New(email.Options{Secret: "a-secret", From: "bank@example.org", Server: s.Addr().String(), Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		to, err := json.Marshal(map[string]string{"to": "ada@example.com", "id": "<1@example.com>", "subject": subject})
		if err != nil {
			t.Fatal(err)
		}
		if err := ch.Send(t.Context(), &channels.Outgoing{Address: to, Text: "Hello"}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(<-raw) {
			if len(line) > 998 {
				t.Errorf("a line of %d bytes: %.60q", len(line), line)
			}
		}
		if h := <-s.headers; !strings.HasPrefix(h.Get("Subject"), "Re: te") && !strings.HasPrefix(h.Get("Subject"), "=?utf-8?q?Re:_t=C3=A9") {
			t.Errorf("the subject is %q", h.Get("Subject"))
		}
	}
}

// TestTheEndOfALargeMessageMayBeMissing reads a message whose attachment was cut off.
func TestTheEndOfALargeMessageMayBeMissing(t *testing.T) {
	raw := string(channeltest.Recording(t, "reply.eml"))
	at := strings.Index(raw, "invoice")
	if at < 0 {
		t.Fatal("the recording has no file")
	}
	end := strings.Index(raw[at:], "\n\n")
	if end < 0 {
		end = strings.Index(raw[at:], "\r\n\r\n")
	}
	m, err := email.Read([]byte(raw[:at+end+6]))
	if err != nil || email.Reply(m.Text) != "Green tea, süß." || len(m.Files) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestNothingIsSignedWithoutASecret refuses what is signed with the secret "", which is a variable that nobody has set.
func TestNothingIsSignedWithoutASecret(t *testing.T) {
	ch, err := email.New(email.Options{From: "bank@example.org", Server: "127.0.0.1:25"})
	if err != nil {
		t.Fatal(err)
	}
	body, stamp := channeltest.Recording(t, "plain.eml"), strconv.FormatInt(time.Now().Unix(), 10)
	r := channeltest.POST("/channels/email", body, "X-Timestamp", stamp, "X-Signature", channels.HexHMAC("", []byte(stamp+"."), body))
	if _, err := ch.Receive(channeltest.Request(t, r)); !errors.Is(err, channels.ErrForged) {
		t.Errorf("%v", err)
	}
}

// TestReply cuts what is quoted.
func TestReply(t *testing.T) {
	for text, want := range map[string]string{
		"yes\n\nAm Di., 24. Nov. 2026 um 10:01 Uhr schrieb Bank <bank@example.org>:\n> Order?": "yes",
		"yes\n\n-----Original Message-----\nFrom: Bank\nOrder?":                                "yes",
		"yes\n________________________________\nFrom: Bank":                                    "yes",
		"yes\n\nFrom: Bank <bank@example.org>\nSent: Tuesday\nTo: Ada\n\nOrder?":               "yes",
		"ja\n\n*Von:* Bank\n*Gesendet:* Dienstag\n\nOrder?":                                    "ja",
		"from: Vienna\nto: Graz":            "from: Vienna\nto: Graz",
		"> Order tea?\nyes\n> Or milk?\nno": "yes\nno",
		"on monday, please":                 "on monday, please",
		"--\nAda":                           "",
	} {
		if got := email.Reply(text); got != want {
			t.Errorf("%q: found %q, expected %q", text, got, want)
		}
	}
}

// TestCodesOfSMTP tells failures that pass from refusals.
func TestCodesOfSMTP(t *testing.T) {
	for status, permanent := range map[int]bool{http.StatusForbidden: true, http.StatusUnauthorized: false, http.StatusServiceUnavailable: false} {
		p := &channeltest.Provider{}
		p.Plan(channeltest.Verdict{Status: status})
		err := newChannel(t, p).Send(t.Context(), &channels.Outgoing{Address: json.RawMessage(`{"to":"ada@example.com","id":"<1@example.com>"}`), Text: "Hello"})
		why, ok := errors.AsType[*channels.SendError](err)
		if !ok || why.Permanent != permanent {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func FuzzReceive(f *testing.F) {
	ch, err := email.New(email.Options{Secret: "a-secret", From: "bank@example.org", Server: "127.0.0.1:25"})
	if err != nil {
		f.Fatal(err)
	}
	var seeds [][]byte
	for _, name := range []string{"plain", "reply", "html", "bounce"} {
		seeds = append(seeds, channeltest.Recording(f, name+".eml"))
	}
	channeltest.FuzzReceive(f, ch, signed, seeds...)
}
