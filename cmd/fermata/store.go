package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
	"github.com/fermata-go/fermata/telemetry"
)

// dsn says where runs are kept.
type dsn struct {
	kind string // what recipes call the kind of store
	at   string // the path of a file, or the address of a server with its secrets; never shown
	from string // what named it: --store, a variable, or "" for the default
	flag string // what --store takes for it in commands that are shown; "" where they find it without
}

// kinds lists the kinds of stores that the command knows.
func kinds() storekind.List { return stores.All() }

// serverKinds lists the kinds that are servers.
func serverKinds() storekind.List { return kinds().At(storekind.Server) }

// defaultKind is the kind of the file that runs are kept in where nothing says otherwise.
func defaultKind() string { return kinds().At(storekind.File)[0].About().Name }

// storeHelp is what --store says of itself.
func storeHelp() string {
	var forms, names, variables []string
	for _, k := range kinds() {
		about := k.About()
		if about.Place != storekind.Server {
			forms = append(forms, about.Address)
			continue
		}
		forms, names, variables = append(forms, about.Name+"://…"), append(names, about.Name+":"), append(variables, "$"+about.Variable)
	}
	forms = slices.Insert(forms, 1, "a path")
	last := len(forms) - 1
	return "where runs are kept: " + strings.Join(forms[:last], ", ") + " or " + forms[last] + "; " + strings.Join(names, " and ") +
		" are the `store` in " + strings.Join(variables, " and ") + " (default $FERMATA_STORE, else a file in the XDG state folder)"
}

// about describes the kind of the store.
func (d dsn) about() storekind.About {
	if k := kinds().Named(d.kind); k != nil {
		return k.About()
	}
	return storekind.About{}
}

func (d dsn) memory() bool { return d.kind != "" && d.about().Place == storekind.Memory }

// isFile reports whether the store is a file, which may not be there yet.
func (d dsn) isFile() bool { return d.about().Place == storekind.File }

func (d dsn) isServer() bool { return d.about().Place == storekind.Server }

func (d dsn) address() storekind.Address { return storekind.Address{Kind: d.kind, At: d.at} }

// String is the store without its secrets.
func (d dsn) String() string { return kinds().Public(d.address()) }

// storeDSN settles which store is meant: --store, else FERMATA_STORE, else a file in the XDG state folder.
func (m *Main) storeDSN() (d dsn, err error) {
	switch {
	case m.global.store != "":
		d, err = parseDSN(m.global.store, "--store")
		d.flag = d.String()
		switch {
		case d.at == "" || d.isFile():
			d.flag = m.global.store
		case err == nil && kinds().HasSecrets(d.address()):
			about := d.about()
			m.hidden = "the password is left out of these commands: " + about.Password + " may have it"
			if !m.warned && m.err != nil {
				m.warned = true
				m.err.Println(m.err.Styles().Wait.Apply("warning: ") + "--store holds what may be a password, and every user of this machine can read the " +
					"arguments of its processes: put the address into FERMATA_STORE or " + about.Variable + ", or the password into " + about.Password)
			}
		}
	case m.Getenv("FERMATA_STORE") != "":
		d, err = parseDSN(m.Getenv("FERMATA_STORE"), "FERMATA_STORE")
	default:
		d, err = m.defaultFile()
	}
	if err != nil || d.at != "" || !d.isServer() {
		m.shown = d.flag
		return d, err
	}
	named, err := m.serverOf(d.kind)
	switch {
	case err != nil:
		return d, err
	case named.kind == "":
		return d, usagef("%s %q: expected the address of a server, %s, here or in %s", d.from, d.kind+":", d.about().Address, d.about().Variable)
	}
	named.flag = d.flag
	m.shown = d.flag
	return named, nil
}

func (m *Main) defaultFile() (dsn, error) {
	folder, err := m.stateFolder()
	return dsn{kind: defaultKind(), at: filepath.Join(folder, "fermata.db")}, err
}

// serverOf is the server of a kind that the environment names: in FERMATA_STORE, or in the variable of its kind. Without
// one it is the zero dsn.
func (m *Main) serverOf(kind string) (dsn, error) {
	about := dsn{kind: kind}.about()
	for _, name := range []string{"FERMATA_STORE", about.Variable} {
		if name == "" {
			continue
		}
		text := m.Getenv(name)
		if text == "" {
			continue
		}
		d, err := parseDSN(text, name)
		switch {
		case err != nil:
			return dsn{}, err
		case d.kind == kind && d.at != "":
			return d, nil
		case name != "FERMATA_STORE":
			return dsn{}, usagef("%s: expected %s, found a store of kind %s", name, about.Address, d.kind)
		}
	}
	return dsn{}, nil
}

// storeFor is the store for a recipe that asks for a kind of it in state.persistence: --store where it is of that kind,
// else what the environment has of it, else for sqlite the default file. ephemeral takes any store.
func (m *Main) storeFor(kind, file string) (dsn, error) {
	plain, err := m.storeDSN()
	if err != nil || kind == "" || kind == "ephemeral" || plain.kind == kind {
		return plain, err
	}
	if plain.from == "--store" || plain.flag != "" {
		return dsn{}, invalidf("--store %v is a store of kind %s, and %s asks for %s (state.persistence): leave --store away, give one of kind %s, "+
			"or let the recipe say ephemeral, which takes any store", plain, plain.kind, file, kind, kind)
	}
	d, err := m.serverOf(kind)
	switch {
	case err != nil:
		return dsn{}, err
	case d.kind != "":
		d.flag = kind + ":"
	case kind == defaultKind():
		if d, err = m.defaultFile(); err != nil {
			return dsn{}, err
		}
		d.flag = d.at
	default:
		about := dsn{kind: kind}.about()
		return dsn{}, invalidf("%s asks for %s (state.persistence), and no such store is configured: expected --store %s, or that address in "+
			"%s or FERMATA_STORE; found %v (%s). A recipe that says ephemeral takes any store",
			file, kind, about.Address, about.Variable, plain, plain.origin())
	}
	m.shown = d.flag
	return d, nil
}

// origin is what named the store.
func (d dsn) origin() string {
	if d.from == "" {
		return "the default"
	}
	return d.from
}

// parseDSN reads an address that from has named.
func parseDSN(text, from string) (dsn, error) {
	a, err := kinds().Parse(text)
	if err != nil {
		return dsn{}, usagef("%s: %v", from, err)
	}
	return dsn{kind: a.Kind, at: a.At, from: from}, nil
}

// stateFolder is where the command keeps its own files.
func (m *Main) stateFolder() (string, error) {
	if folder := m.Getenv("XDG_STATE_HOME"); filepath.IsAbs(folder) {
		return filepath.Join(folder, "fermata"), nil
	}
	home := m.Getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", &journal.StoreError{Op: "open", Err: fmt.Errorf("no --store, no FERMATA_STORE, and no home folder: %w", err)}
		}
	}
	return filepath.Join(home, ".local", "state", "fermata"), nil
}

// storeOptions are how stores are opened. Drivers log nothing to stderr: what matters they return.
func (m *Main) storeOptions() storekind.Options {
	return storekind.Options{Getenv: m.Getenv, Quiet: true}
}

// house is an open runtime with its store.
type house struct {
	*fermata.Runtime
	store journal.Store
	dsn   dsn
	flush func() // exports what the observer has made

	telemetry *telemetry.Telemetry // the observer; nil for none
}

// open is openAt for the store that is meant.
func (m *Main) open(ctx context.Context, o fermata.Options) (*house, error) {
	d, err := m.storeDSN()
	if err != nil {
		return nil, err
	}
	return m.openAt(ctx, d, true, o)
}

// openAt opens a store and a runtime on it. Close it. A store that is not there is made, if it may be, but no folder for it. Else
// a file that somebody named is an error, and an empty store stands for any other.
func (m *Main) openAt(ctx context.Context, d dsn, mayMake bool, o fermata.Options) (_ *house, err error) {
	if err := d.checkFile(mayMake); err != nil {
		return nil, err
	}
	there := true
	if !mayMake {
		if there, err = m.exists(ctx, d); err != nil {
			return nil, err
		}
	}
	log := o.Logger
	if log == nil {
		log = (&logLines{show: m.err.Println}).logger(m.global.verbose)
	}
	if m.global.verbose {
		o.Logger = log
	}
	o.Services = append(o.Services, m.services()...)
	h := &house{dsn: d}
	m.forgets = d.memory()
	if h.telemetry, h.flush, err = m.observer(log); err != nil {
		return nil, err
	}
	if h.telemetry != nil {
		o.Observer = h.telemetry
	}
	defer func() {
		if err != nil {
			h.flush()
		}
	}()
	if there && !d.memory() {
		if h.store, err = m.openSealed(ctx, d, !mayMake); err != nil {
			return nil, err
		}
		o.Store = h.store
	}
	if h.Runtime, err = fermata.New(o); err != nil {
		if h.store != nil {
			_ = h.store.Close()
		}
		return nil, err
	}
	return h, nil
}

// exists reports whether there is a store. Of one that is wrong or of an older format there is one: opening it says so, or
// brings it to this format.
func (m *Main) exists(ctx context.Context, d dsn) (bool, error) {
	if d.isFile() {
		_, err := os.Stat(d.at)
		return !errors.Is(err, fs.ErrNotExist), nil
	}
	inspector, can := kinds().Named(d.kind).(storekind.Inspector)
	if !can {
		return true, nil
	}
	found, ready, err := inspector.Inspect(ctx, d.at, m.storeOptions())
	if err != nil || ready {
		return ready, err
	}
	wrong := slices.ContainsFunc(found, func(f storekind.Finding) bool { return f.Level == storekind.Bad })
	return wrong || !slices.ContainsFunc(found, func(f storekind.Finding) bool { return f.Absent }), nil
}

// closed closes the house behind what came of its use.
func (h *house) closed(err error) error {
	if closing := h.Close(); err == nil {
		return closing
	}
	return err
}

// absent reports whether the store is not there, and an empty one stands for it.
func (h *house) absent() bool { return h.store == nil && !h.dsn.memory() }

// Close stops executing and closes the store.
func (h *house) Close() error {
	err := h.Runtime.Close()
	h.flush()
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return err
}

// withStore opens the store for a command that looks or records, and closes it. It makes none.
func (m *Main) withStore(ctx context.Context, do func(ctx context.Context, h *house) error) error {
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	h, err := m.openAt(ctx, d, false, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	return h.closed(do(ctx, h))
}
