package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
)

// diagnoseStore looks at the store that commands use, and at the servers that recipes may ask for beside it.
func (m *Main) diagnoseStore(ctx context.Context) []finding {
	d, err := m.storeDSN()
	if err != nil {
		return []finding{bad("store", err.Error(), "use --store PATH")}
	}
	var findings []finding
	switch {
	case d.memory():
		findings = []finding{doubtful("store", "memory:", "runs end with the command that executes them")}
	case d.isFile():
		findings = []finding{ok("store", "%v (%s)", d, d.origin()), m.diagnoseFolder(d.at)}
		if info, err := os.Stat(d.at); err == nil {
			findings = append(findings, m.count(ctx, d, "file", "opens, "+term.Bytes(uint64(max(info.Size(), 0)))+", "))
		}
	default:
		findings = append([]finding{ok("store", "%v (%s)", d, d.origin())}, m.diagnoseServer(ctx, d)...)
	}
	for _, kind := range serverKinds().Names() {
		if kind == d.kind {
			continue
		}
		switch other, err := m.serverOf(kind); {
		case err != nil:
			findings = append(findings, bad(kind, err.Error(), ""))
		case other.kind != "":
			findings = append(findings, ok(kind, "%v (%s)", other, other.from))
			findings = append(findings, m.diagnoseServer(ctx, other)...)
		}
	}
	return findings
}

// diagnoseServer asks a server what it is and what it promises. Nothing is made on it.
func (m *Main) diagnoseServer(ctx context.Context, d dsn) (findings []finding) {
	inspector, can := kinds().Named(d.kind).(storekind.Inspector)
	if !can {
		return []finding{m.count(ctx, d, "runs", "")}
	}
	found, ready, err := inspector.Inspect(ctx, d.at, m.storeOptions())
	if err != nil {
		return []finding{broken("server", err)}
	}
	states := map[storekind.Level]string{storekind.Good: findingOK, storekind.Warning: findingWarning, storekind.Bad: findingError}
	for _, f := range found {
		findings = append(findings, finding{Check: f.Check, State: states[f.Level], Found: f.Found, Advice: f.Advice})
	}
	if ready {
		findings = append(findings, m.count(ctx, d, "runs", ""))
	}
	return findings
}

// broken is a store that cannot be used.
func broken(check string, err error) finding {
	switch {
	case errors.Is(err, journal.ErrNewer):
		return bad(check, err.Error(), "use a newer fermata")
	case errors.Is(err, journal.ErrCorrupt):
		return bad(check, err.Error(), "use another --store, or restore the file")
	}
	return bad(check, err.Error(), "")
}

// diagnoseFolder looks whether the store's folder can be written and has space. What is not there yet is made by the
// first run: then the nearest folder above it counts.
func (m *Main) diagnoseFolder(path string) finding {
	folder := filepath.Dir(path)
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() || filepath.Dir(folder) == folder {
			break
		}
		folder = filepath.Dir(folder)
	}
	probe, err := os.CreateTemp(folder, ".fermata-doctor-*")
	if err != nil {
		return bad("folder", folder+" cannot be written: "+cause(err), "use --store with a path that you may write")
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	free, known := freeSpace(folder)
	switch {
	case !known:
		return ok("folder", "%s can be written", folder)
	case free < 100<<20:
		return doubtful("folder", fmt.Sprintf("%s has %s free", folder, term.Bytes(free)), "runs stop when the disk is full; nothing that is stored is lost")
	}
	return ok("folder", "%s can be written, %s free", folder, term.Bytes(free))
}

func cause(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// count opens a store and counts what is in it.
func (m *Main) count(ctx context.Context, d dsn, check, lead string) finding {
	h, err := m.openAt(ctx, d, false, fermata.Options{})
	if err != nil {
		return broken(check, err)
	}
	defer func() { _ = h.Close() }()
	runs, err := h.Runs(ctx, journal.RunFilter{})
	var open []fermata.Interrupt
	if err == nil {
		open, err = h.Inbox(ctx, journal.InboxFilter{})
	}
	if err != nil {
		return bad(check, err.Error(), "")
	}
	return ok(check, "%s%s, %s open", lead, term.Count(len(runs), "run"), term.Count(len(open), "task"))
}
