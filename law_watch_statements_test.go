package fermata_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal/postgres"
)

// tap reads what a store says to its server, on all its connections.
type tap struct {
	t *testing.T

	mu         sync.Mutex
	statements []tapped
	looks      int // how many statements there were that look for heads
}

// tapped is a statement that was executed.
type tapped struct {
	text string
	args []string
}

// dial is postgres.Options.Dial.
func (p *tap) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go p.listen(r)
	return &tappedConn{Conn: c, said: w}, nil
}

type tappedConn struct {
	net.Conn
	said *io.PipeWriter
}

func (c *tappedConn) Write(b []byte) (int, error) {
	_, _ = c.said.Write(b)
	return c.Conn.Write(b)
}

func (c *tappedConn) Close() error {
	_ = c.said.Close()
	return c.Conn.Close()
}

// listen notes the statements of one connection.
func (p *tap) listen(r *io.PipeReader) {
	defer func() { _, _ = io.Copy(io.Discard, r) }()
	said := pgproto3.NewBackend(r, io.Discard)
	if _, err := said.ReceiveStartupMessage(); err != nil {
		p.t.Error("a connection begins otherwise than without TLS:", err)
		return
	}
	texts := map[string]string{} // of prepared statements
	var bound tapped
	for {
		m, err := said.Receive()
		if err != nil {
			return // it is closed
		}
		switch m := m.(type) {
		case *pgproto3.Parse:
			texts[m.Name] = m.Query
		case *pgproto3.Bind:
			bound = tapped{text: texts[m.PreparedStatement]}
			for _, arg := range m.Parameters {
				bound.args = append(bound.args, string(arg))
			}
		case *pgproto3.Execute:
			p.note(bound)
		case *pgproto3.Query:
			if m.String != "-- ping" { // the driver's, of a connection that nobody used for a second
				p.note(tapped{text: m.String})
			}
		}
	}
}

func (p *tap) note(s tapped) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.statements = append(p.statements, s)
	if s.looks() {
		p.looks++
	}
}

// take returns the statements since the last time.
func (p *tap) take() []tapped {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.statements
	p.statements = nil
	return all
}

// awaitLooks waits until the heads were asked for n more times.
func (p *tap) awaitLooks(t *testing.T, n int) {
	t.Helper()
	looks := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.looks
	}
	n += looks()
	for end := time.Now().Add(patience); looks() < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the heads were asked for %d times, expected %d", looks(), n)
		}
	}
}

// during returns what is said while the heads are asked for n times, and how long that took.
func (p *tap) during(t *testing.T, n int) ([]tapped, time.Duration) {
	t.Helper()
	began := time.Now()
	p.take()
	p.awaitLooks(t, n)
	said := p.take()
	return said, time.Since(began)
}

// looks reports whether a statement asks for the heads of all watched runs at once.
func (s tapped) looks() bool {
	return strings.Contains(s.text, "ANY(") || strings.Contains(s.text, "ANY (")
}

// names are how statements name a run: by its id, and by the number that it has on the server.
func names(t *testing.T, server *pgx.Conn, schema, run string) []string {
	t.Helper()
	var id int64
	if err := server.QueryRow(t.Context(), "SELECT id FROM "+schema+".runs WHERE run = $1", run).Scan(&id); err != nil {
		t.Fatal(err)
	}
	wide := binary.BigEndian.AppendUint64(nil, uint64(id))
	return []string{run, string(wide), string(wide[4:]), strconv.FormatInt(id, 10)}
}

// of counts the statements that name one run: by its id anywhere, or by its number in front of those of entries.
func of(names []string, all []tapped) int {
	return statements(all, func(s tapped) bool {
		return slices.Contains(s.args, names[0]) || len(s.args) > 0 && slices.Contains(names, s.args[0])
	})
}

func statements(all []tapped, is func(tapped) bool) (n int) {
	for _, s := range all {
		if is(s) {
			n++
		}
	}
	return n
}

// restless is how many statements a runtime makes in a time, however many readers it has: it asks for the heads of their
// runs every two seconds, and for the server's time every five. What was due before may come late.
func restless(d time.Duration) int {
	return int(d/(2*time.Second)) + 2 + int(d/(5*time.Second)) + 2
}

// What a server of PostgreSQL sees of 500 readers in one process: one connection that listens, no statement for the readers
// of a run when another one is written to, and while nothing is written a number of statements that does not grow with them.
func TestE1_E3_WhatAServerSeesOfFollowers(t *testing.T) {
	t.Parallel()
	const readers, conns = 250, 4
	dsn, schema := testserver.Postgres(t), testserver.Schema(t)
	quiet := &tap{t: t}
	address := func(name string) string { // what is asked is read on its way, so it is not encrypted
		settings := "sslmode=disable application_name=" + name
		switch {
		case !strings.Contains(dsn, "://"):
			return dsn + " " + settings
		case strings.Contains(dsn, "?"):
			return dsn + "&" + strings.ReplaceAll(settings, " ", "&")
		}
		return dsn + "?" + strings.ReplaceAll(settings, " ", "&")
	}
	here, err := postgres.OpenWith(address(schema), postgres.Options{Schema: schema, Conns: conns, Dial: quiet.dial})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there, err := postgres.OpenWith(address("other"), postgres.Options{Schema: schema, Conns: conns})
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	rt := newRuntime(t, fermata.Options{Store: here, Lease: -1})
	opened := time.Now()
	writes(t, there, "run_a", 0)
	writes(t, there, "run_b", 0)
	a, b := follow(t, rt, "run_a", readers), follow(t, rt, "run_b", readers)
	awaitCount(t, "events of a", a, readers)
	awaitCount(t, "events of b", b, readers)

	server, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(context.Background())
	var all, listening int
	err = server.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE query ILIKE 'listen%') FROM pg_stat_activity WHERE application_name = $1",
		schema).Scan(&all, &listening)
	if err != nil {
		t.Fatal(err)
	}
	if listening != 1 || all > conns+1 {
		t.Errorf("%d readers have %d connections, of which %d listen; expected at most %d, and one", 2*readers, all, listening, conns+1)
	}

	// Nothing is written, and it is known for each run that nothing is missed. The first looks wake the readers: some
	// statements of theirs may come late, but not for ever.
	quiet.awaitLooks(t, 2)
	for end := time.Now().Add(patience); ; {
		said, took := quiet.during(t, 3)
		if len(said) <= restless(took) {
			break
		}
		if time.Now().After(end) {
			t.Errorf("%d readers of runs that rest make %d statements in %s, expected at most %d: %q", 2*readers, len(said), took, restless(took), said)
			break
		}
	}

	// One run is written to, and a third one. The last write tells that those before it were heard of.
	began := time.Now()
	quiet.take()
	const more = 6
	for n := range uint64(more) {
		if n == more-1 {
			for n := range uint64(20) {
				writes(t, there, "run_c", n)
			}
		}
		writes(t, there, "run_a", n+1)
		awaitCount(t, "events of a", a, readers*int64(n+2))
	}
	quiet.awaitLooks(t, 2)
	said := quiet.take()
	const each = 3                                                 // statements of a reader that is woken: the head, the entries and the row
	anyway := int(time.Since(opened)/time.Minute) * each * readers // all are woken every minute, which only a loaded machine sees here
	ofA, ofB, ofC := of(names(t, server, schema, "run_a"), said), of(names(t, server, schema, "run_b"), said), of(names(t, server, schema, "run_c"), said)
	if ofB > anyway {
		t.Errorf("%d writes to a made %d statements for the readers of b", more, ofB)
	}
	if ofC != 0 {
		t.Errorf("writes to c made %d statements, and nobody reads it", ofC)
	}
	if ofA == 0 || ofA > 2*each*more*readers+anyway { // a second sign makes a reader look again
		t.Errorf("%d writes to a made %d statements for its %d readers", more, ofA, readers)
	}
	most := restless(time.Since(began))
	if n := len(said) - ofA - ofB; n > most {
		t.Errorf("%d statements were made that are about no one run, in %s; expected at most %d", n, time.Since(began), most)
	}
	t.Logf("%d readers: %d connections, %d listening; %d writes to one run: %d statements for its %d readers, %d for all",
		2*readers, all, listening, more, ofA, readers, len(said)-ofA)
	if got := b.Load(); got != readers {
		t.Errorf("readers of b saw %d events, expected %d", got, readers)
	}
}
