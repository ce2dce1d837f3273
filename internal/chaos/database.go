package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
)

// errNoServer says that the programs of a database are not on this machine.
var errNoServer = errors.New("its programs are not on this machine")

// instance says how servers of a kind of store are started here, and stopped.
type instance struct {
	init    func(db *database, ctx context.Context) error // makes its data, and sets version and command
	address string                                        // what a store opens; %s is the host and the port
	aborts  bool                                          // it ends at once, and without a checkpoint, by SIGQUIT; others are killed
	fast    bool                                          // it ends in order by SIGINT, and by SIGTERM only when all clients are gone
	humble  bool                                          // it does not run as root
}

// servers are the kinds of stores whose servers can be started here.
var servers = map[string]*instance{
	"postgres": {init: (*database).initPostgres, address: "postgres://fermata@%s/postgres?sslmode=disable", aborts: true, fast: true, humble: true},
	"redis":    {init: (*database).initRedis, address: "redis://%s"},
}

// database is a store that workers share.
type database struct {
	kind    string
	of      *instance // nil for a file
	version string    // of the server, or in words
	proxy   *proxy    // the network before it; nil for a file
	file    string    // its path, "" for a server

	command []string      // of the server
	dir     string        // of its data
	server  *exec.Cmd     // while it runs
	ended   chan struct{} // closed when it has ended
	said    *bytes.Buffer // its output since it was started
	port    int           // where it listens
}

// newDatabase makes an instance in a folder, and starts it.
func newDatabase(ctx context.Context, kind, dir string) (*database, error) {
	db := &database{kind: kind, of: servers[kind], dir: filepath.Join(dir, "data")}
	known := stores.All().At(storekind.File, storekind.Server)
	switch k := stores.All().Named(kind); {
	case k == nil:
		return nil, fmt.Errorf("a store of the kind %q: expected %s", kind, strings.Join(known.Names(), ", "))
	case k.About().Place == storekind.Memory:
		return nil, fmt.Errorf("the store in memory ends with its process: there is nothing that could survive; expected %s", strings.Join(known.Names(), ", "))
	case k.About().Place == storekind.File:
		db.file, db.version = filepath.Join(dir, "runs.db"), "in one file"
		return db, nil
	case db.of == nil:
		return nil, fmt.Errorf("a store of the kind %q: nobody has said here how its server is started", kind)
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	db.port = port
	if err := os.Mkdir(db.dir, 0o700); err != nil {
		return nil, err
	}
	if err := db.of.init(db, ctx); err != nil {
		return nil, err
	}
	if err := db.start(ctx); err != nil {
		return nil, err
	}
	db.proxy, err = newProxy(ctx, db.direct())
	return db, err
}

// freePort is a port that nobody listens at.
func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()                          //nolint:errcheck // it was only asked for its port
	return l.Addr().(*net.TCPAddr).Port, nil //nolint:forcetypeassert // of a TCP listener
}

// program finds a server's program, also where distributions hide it.
func program(name string) (string, error) {
	if file, err := exec.LookPath(name); err == nil {
		return file, nil
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/pgsql-*/bin/", "/opt/homebrew/opt/postgresql@*/bin/"} {
		if found, _ := filepath.Glob(pattern + name); len(found) > 0 {
			return slices.Max(found), nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, errNoServer)
}

func (db *database) initPostgres(ctx context.Context) error {
	initdb, err := program("initdb")
	if err != nil {
		return err
	}
	server, err := program("postgres")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, initdb, "-D", db.dir, "-A", "trust", "-U", "fermata", "--no-sync", "-E", "UTF8", "--locale=C")
	if err := db.unprivileged(cmd); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	db.command = []string{
		server, "-D", db.dir, "-p", fmt.Sprint(db.port), "-k", db.dir, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200",
	}
	out, _ := exec.CommandContext(ctx, server, "--version").Output()
	db.version = strings.TrimSpace(strings.TrimPrefix(string(out), "postgres (PostgreSQL)"))
	return nil
}

func (db *database) initRedis(ctx context.Context) error {
	server, err := program("redis-server")
	if err != nil {
		return err
	}
	db.command = []string{
		server, "--port", fmt.Sprint(db.port), "--bind", "127.0.0.1", "--dir", db.dir, "--appendonly", "yes", "--appendfsync", "always",
		"--save", "",
	}
	out, _ := exec.CommandContext(ctx, server, "--version").Output()
	for field := range strings.FieldsSeq(string(out)) {
		if v, ok := strings.CutPrefix(field, "v="); ok {
			db.version = v
		}
	}
	return nil
}

// start starts the server and waits until it listens.
func (db *database) start(ctx context.Context) error {
	db.said = &bytes.Buffer{}
	cmd := exec.Command(db.command[0], db.command[1:]...) //nolint:noctx // it is stopped by stop, in order
	cmd.Stdout, cmd.Stderr = db.said, db.said
	if err := db.unprivileged(cmd); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	db.server, db.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		_ = cmd.Wait()
		close(ended)
	}(db.ended)
	for began := time.Now(); time.Since(began) < time.Minute && ctx.Err() == nil; wait(ctx, 20*time.Millisecond) {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", db.direct()); err == nil {
			return c.Close()
		}
		select {
		case <-db.ended:
			return fmt.Errorf("%s ended: %s", db.command[0], db.said)
		default:
		}
	}
	return errors.Join(ctx.Err(), fmt.Errorf("%s does not listen after a minute", db.command[0]))
}

// stop ends the server: as by pulling the plug, or in order.
func (db *database) stop(crash bool) {
	if db.server == nil {
		return
	}
	_ = db.signal(crash)
	select {
	case <-db.ended:
	case <-time.After(20 * time.Second):
		_ = db.server.Process.Kill()
		<-db.ended
	}
	db.server = nil
}

func (db *database) direct() string { return fmt.Sprintf("127.0.0.1:%d", db.port) }

// address is what a store opens: through the network that is cut, or past it.
func (db *database) address(direct bool) string {
	if db.file != "" {
		return db.file
	}
	at := db.direct()
	if !direct {
		at = db.proxy.address()
	}
	return fmt.Sprintf(db.of.address, at)
}

func (db *database) close() {
	if db.proxy != nil {
		db.proxy.close()
	}
	db.stop(false)
}
