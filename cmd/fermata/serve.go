package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/console"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schedule"
	"github.com/fermata-go/fermata/server"
)

// serveFlags are the flags of fermata serve.
type serveFlags struct {
	addressFlags
	login       loginFlags
	insecure    bool
	noWork      bool
	readOnly    bool
	noConsole   bool
	check       bool
	drain       time.Duration
	concurrency int
	queues      []string
	agents, as  string
	json        bool
}

// addressFlags say where a server is reached, and by what names.
type addressFlags struct {
	listen  string
	admin   string
	hosts   []string
	origins []string
}

func (m *Main) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [FOLDER]",
		Short: "Serve the recipes and dialogues of a folder over HTTP, and run them",
		Long: "Serve an HTTP API and a console, to be opened in a browser, for all recipes and dialogues below FOLDER (default .): start runs, show them, " +
			"answer their questions, hold conversations. " +
			"The same process works on the runs of the store. It takes changes of the folder without a restart: new runs take the changed " +
			"file, and one that cannot be loaded is reported and served as it was. " +
			"It listens on this machine only, unless people log in (--auth): with tokens, at an OpenID Connect issuer (oidc), or at a proxy. Ctrl-C refuses new requests and waits until its runs rest; a " +
			"second Ctrl-C ends at once, and other workers take over.",
		Example: "fermata serve examples/recipes\nfermata serve recipes --listen 127.0.0.1:9000 --store postgres:\nfermata serve recipes --listen 0.0.0.0:7788 --auth tokens\n" +
			"fermata serve recipes --auth oidc --oidc-issuer https://login.example.com/realms/desk --oidc-client fermata --oidc-secret-file secret \\\n" +
			"  --url https://desk.example.com --grant finance=operator,task:manager --grant '*=viewer'\n" +
			"fermata serve recipes --check",
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return m.serve(c.Context(), folder, &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:7788", "the `address` to listen on: HOST:PORT; port 0 is any free one")
	f.login.register(flags)
	flags.BoolVar(&f.insecure, "insecure", false, "listen on an address that other machines reach, without a login")
	flags.StringSliceVar(&f.hosts, "host", nil, "further `names` by which requests may ask for the server, as a reverse proxy passes them on")
	flags.StringSliceVar(&f.origins, "origin", nil, "`origins`, as https://shop.example.com, whose pages may use the API and hold conversations, besides the server's own")
	flags.BoolVar(&f.noWork, "no-work", false, "only serve: leave the runs to other workers")
	flags.BoolVar(&f.noConsole, "no-console", false, "serve the HTTP API alone, without the pages of the console")
	flags.BoolVar(&f.readOnly, "read-only", false, "refuse all requests that change something")
	flags.BoolVar(&f.check, "check", false, "load everything, open the store, say what would be served, and end; 1 if something cannot be loaded")
	flags.DurationVar(&f.drain, "drain", 30*time.Second, "the `time` that requests and runs have to finish after Ctrl-C")
	flags.IntVar(&f.concurrency, "concurrency", 0, "the `number` of runs at a time (default eight for each processor)")
	flags.StringSliceVar(&f.queues, "queue", nil, "the `queues` whose runs it claims, as gpu,default (default all of them)")
	flags.StringVar(&f.agents, "agents", "", "a `file` with agents that recipes name")
	flags.StringVar(&f.as, "as", m.user(), "who executes the runs, for the record: a `name`")
	flags.BoolVar(&f.json, "json", false, "write the start screen, each change of the folder, and each occurrence of a schedule as a line of JSON")
	addAdminFlag(flags, &f.admin)
	return c
}

// serve serves a folder until Ctrl-C.
func (m *Main) serve(ctx context.Context, folder string, f *serveFlags) error {
	if err := f.checkListen(); err != nil {
		return err
	}
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	if err := f.checkAuth(d); err != nil {
		return err
	}
	if f.login.secret, err = m.oidcSecret(&f.login); err != nil {
		return err
	}
	if f.noWork && d.memory() {
		return usagef("--no-work: a store in memory has no other workers; name one that lasts with --store")
	}
	files, err := m.loadFolder(folder, f.agents, d, nil)
	if err != nil {
		return err
	}
	screen := startScreen{folder: folder, files: files, store: d.String(), flags: f}
	if f.check {
		return m.checkServe(ctx, d, &screen)
	}
	if screen.nothing() {
		return m.nothingServed(&screen)
	}
	if screen.admin, err = m.openAdmin(ctx, f.admin); err != nil {
		return err
	}
	h, err := m.openServed(ctx, d, f)
	if err != nil {
		return errors.Join(err, screen.admin.close())
	}
	err = m.serveOn(ctx, h, &screen)
	return h.closed(errors.Join(err, screen.admin.close()))
}

// openServed opens the store with a runtime that executes its runs, unless others do.
func (m *Main) openServed(ctx context.Context, d dsn, f *serveFlags) (h *house, err error) {
	o := fermata.Options{Name: f.as, Logger: m.serveLog()}
	if !f.noWork {
		o.Plans = func(ctx context.Context, run fermata.RunInfo) (*plan.Plan, error) {
			return m.planOf(ctx, h, run, f.agents, m.needModels, needPlaces)
		}
	}
	return m.openAt(ctx, d, true, o)
}

func (m *Main) serveLog() *slog.Logger {
	return (&logLines{show: m.err.Println}).logger(m.global.verbose)
}

// serveOn serves on an open store.
func (m *Main) serveOn(ctx context.Context, h *house, screen *startScreen) error {
	f := screen.flags
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return &exit{exitStore, fmt.Errorf("--listen: %w; is another server running there? --listen 127.0.0.1:0 takes a free port", err)}
	}
	screen.url = "http://" + listener.Addr().String()
	s, err := m.newServing(ctx, h, screen)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return s.run(ctx, listener, screen)
}

// newServing makes what serves, and loads the files into it.
func (m *Main) newServing(ctx context.Context, h *house, screen *startScreen) (*serving, error) {
	f := screen.flags
	var draining atomic.Bool
	door, err := m.openDoor(ctx, h, f, screen.url)
	if err != nil {
		return nil, err
	}
	ready := func() error {
		if draining.Load() {
			return errors.New("the server is shutting down")
		}
		return door.ready()
	}
	if err := screen.admin.serve(h, ready); err != nil {
		return nil, err
	}
	talks := &talking{m: m, house: h, hosts: f.hosts, origins: f.origins, who: door.who, readOnly: f.readOnly}
	handler, err := api.New(h.Runtime, api.Options{
		Talks: talks.gone, Queued: true, ReadOnly: f.readOnly, Fires: f.fires(), Version: buildVersion().Version, Journals: h.store, Pauses: shownPauses{h.pauses()},
		Plans: func(ctx context.Context, run fermata.RunInfo) (*plan.Plan, error) {
			return m.planOf(ctx, h, run, f.agents)
		},
		Executes: func(ctx context.Context, run fermata.RunInfo) error {
			_, err := m.planOf(ctx, h, run, f.agents, m.needModels, needPlaces)
			return err
		},
		Edits: func(ctx context.Context, run fermata.RunInfo) (func(any) error, error) {
			return m.editCheck(ctx, h, run, f.agents)
		},
		Ready:  ready,
		Server: server.Options{Authorize: door.who, Hosts: f.hosts, Origins: f.origins, Hold: f.noWork, Logger: m.serveLog()},
	})
	if err != nil {
		return nil, err
	}
	served := http.Handler(handler)
	if !f.noConsole {
		served = console.Handler(handler)
	}
	served = door.handler(served)
	if screen.tokens, err = f.countTokens(ctx, h); err != nil {
		return nil, err
	}
	s := &serving{
		m: m, house: h, api: handler, flags: f, door: door, draining: &draining, over: make(chan struct{}),
		talks: talks, says: &scheduleSpeaker{m: m, asJSON: f.json, failed: make(map[string]string)},
	}
	if err := s.take(screen.files); err != nil {
		return nil, err
	}
	s.http = &http.Server{
		Handler: screen.admin.measure(s.endingStreams(served)), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(m.serveLog().Handler(), slog.LevelWarn),
	}
	return s, nil
}

// serving is a server at work.
type serving struct {
	m        *Main
	house    *house
	api      *api.Handler // to which a change of the folder is told
	flags    *serveFlags
	door     *door // how people log in
	http     *http.Server
	draining *atomic.Bool
	over     chan struct{} // closed when streams end
	talks    *talking      // the conversations of dialogues

	scheduler *schedule.Scheduler // nil where this server starts no runs of schedules
	says      *scheduleSpeaker    // shows what it starts
}

// run serves and works until Ctrl-C, or until one of both fails.
func (s *serving) run(ctx context.Context, listener net.Listener, screen *startScreen) error {
	ctx, stop := s.m.untilTold(ctx, func() {
		s.m.err.Println("takes no more requests and runs; those under way come to rest first (Ctrl-C again ends at once)")
	}, func() {})
	defer stop()
	ctx, end := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end()
	served, worked := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.http.Serve(listener) }()
	go func() { worked <- s.work(ctx) }()
	s.m.showStart(screen)
	watching.Go(func() { s.keepCurrent(ctx, screen) })
	watching.Go(func() { s.fire(ctx) })
	watching.Go(func() { s.door.keepAsking(ctx) })
	var failed error
	select {
	case <-ctx.Done():
		return s.drain(worked)
	case failed = <-served:
		end()
	case failed = <-worked:
		worked <- nil
		if ctx.Err() != nil && failed == nil {
			return s.drain(worked)
		}
	}
	return errors.Join(failed, s.drain(worked))
}

// work executes the runs of the store; without a worker it only waits.
func (s *serving) work(ctx context.Context) error {
	if s.flags.noWork {
		<-ctx.Done()
		return nil
	}
	say := s.m.workSayer(false)
	if s.flags.json || s.m.global.quiet { // which say nothing of runs
		say = func(workLine) {}
	}
	return s.m.workOn(ctx, s.house, &workFlags{concurrency: s.flags.concurrency, queues: s.flags.queues}, say)
}

// drain ends in order: no new requests, streams end, what is at work finishes up to the limit. The store is closed by the caller.
func (s *serving) drain(worked <-chan error) error {
	s.draining.Store(true)
	close(s.over)
	ctx, cancel := context.WithTimeout(context.Background(), s.flags.drain)
	defer cancel()
	down := s.http.Shutdown(ctx)
	var err error
	select {
	case err = <-worked:
	case <-ctx.Done():
		s.m.err.Println(fmt.Sprintf("runs were still at work after %v: they stop here, and a worker continues them", s.flags.drain))
	}
	if down != nil {
		s.m.err.Println(fmt.Sprintf("requests were still open after %v: they are cut off", s.flags.drain))
		_ = s.http.Close()
	}
	return err
}

// endingStreams ends what lasts as long as a run when the server drains. Other requests finish.
func (s *serving) endingStreams(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lasts(r) {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			go func() {
				select {
				case <-s.over:
					cancel()
				case <-ctx.Done():
				}
			}()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// checkServe says what would be served. The exit code is 1 if something cannot be loaded.
func (m *Main) checkServe(ctx context.Context, d dsn, screen *startScreen) error {
	if err := m.checkStore(ctx, d); err != nil {
		return err
	}
	if err := m.checkIssuer(ctx, screen.flags); err != nil {
		return err
	}
	m.showStart(screen)
	if screen.nothing() && len(screen.failed()) == 0 {
		return m.nothingServed(screen)
	}
	if len(screen.failed()) > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

// checkStore opens a store that is there, and makes none.
func (m *Main) checkStore(ctx context.Context, d dsn) error {
	if err := d.checkFile(true); err != nil {
		return err
	}
	there, err := m.exists(ctx, d)
	if err != nil || !there || d.memory() {
		return err
	}
	h, err := m.openAt(ctx, d, false, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	return h.Close()
}

// nothingServed is the end of a server that has nothing to serve.
func (m *Main) nothingServed(screen *startScreen) error {
	failed := screen.failed()
	if len(failed) == 0 {
		return &exit{exitFailed, fmt.Errorf("%s has no recipe and no dialogue: expected files such as refund.yaml or refund/recipe.yaml; begin one with: %s",
			screen.folder, m.command("init"))}
	}
	m.showFailed(failed)
	return &exit{exitFailed, fmt.Errorf("nothing of %s could be loaded: %s", screen.folder, term.Count(len(failed), "file"))}
}
