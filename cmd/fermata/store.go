package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// dsn says where runs are kept.
type dsn struct {
	memory bool
	path   string
	from   string // what named it: --store, FERMATA_STORE, or "" for the default
}

func (d dsn) String() string {
	if d.memory {
		return "memory:"
	}
	return d.path
}

// storeDSN settles which store is meant: --store, else FERMATA_STORE, else a file in the XDG state folder.
func (m *Main) storeDSN() (dsn, error) {
	text, from := m.global.store, "--store"
	if text == "" {
		text, from = m.Getenv("FERMATA_STORE"), "FERMATA_STORE"
	}
	if text == "" {
		folder, err := m.stateFolder()
		return dsn{path: filepath.Join(folder, "fermata.db")}, err
	}
	return parseDSN(text, from)
}

func parseDSN(text, from string) (dsn, error) {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || strings.ContainsAny(scheme, `/\.`) || len(scheme) == 1 { // a path; C:\ is one too
		return dsn{path: text, from: from}, nil
	}
	switch strings.ToLower(scheme) {
	case "memory":
		if rest != "" {
			return dsn{}, usagef("%s %q: memory: takes nothing after the colon, found %q", from, text, rest)
		}
		return dsn{memory: true, from: from}, nil
	case "sqlite", "file":
		rest = strings.TrimPrefix(rest, "//")
		if rest == "" {
			return dsn{}, usagef("%s %q: expected sqlite:PATH, found no path", from, text)
		}
		return dsn{path: rest, from: from}, nil
	case "postgres", "postgresql", "redis", "rediss":
		return dsn{}, usagef("%s: stores of kind %s are not available yet; use sqlite:PATH or memory:", from, scheme)
	}
	known := []string{"memory", "sqlite", "postgres", "redis"}
	return dsn{}, usagef("%s: unknown kind of store %q; expected memory:, a path, or sqlite:PATH%s",
		from, scheme, nearest.Hint(scheme, known))
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

// house is an open runtime with its store.
type house struct {
	*fermata.Runtime
	store journal.Store
	dsn   dsn
	flush func() // exports what the observer has made
}

// open opens the store, which is made where it is not there, and a runtime on it. Close it.
func (m *Main) open(o fermata.Options) (*house, error) {
	d, err := m.storeDSN()
	if err != nil {
		return nil, err
	}
	return m.openAt(d, o)
}

func (m *Main) openAt(d dsn, o fermata.Options) (_ *house, err error) {
	log := o.Logger
	if log == nil {
		log = (&logLines{show: m.err.Println}).logger(m.global.verbose)
	}
	if m.global.verbose {
		o.Logger = log
	}
	h := &house{dsn: d}
	if o.Observer, h.flush, err = m.observer(log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.flush()
		}
	}()
	if !d.memory {
		store, err := sqlite.Open(d.path)
		if err != nil {
			return nil, err
		}
		h.store, o.Store = store, store
	}
	if h.Runtime, err = fermata.New(o); err != nil {
		if h.store != nil {
			_ = h.store.Close()
		}
		return nil, err
	}
	return h, nil
}

// Close stops driving and closes the store.
func (h *house) Close() error {
	err := h.Runtime.Close()
	h.flush()
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return err
}

// withStore opens the store for a command that looks or records, and closes it. A store that is not there yet is
// empty, and is not made.
func (m *Main) withStore(ctx context.Context, do func(ctx context.Context, h *house) error) error {
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	shown := d
	if !d.memory {
		if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
			d.memory = true
		}
	}
	h, err := m.openAt(d, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	h.dsn = shown
	err = do(ctx, h)
	if closing := h.Close(); err == nil {
		err = closing
	}
	return err
}
