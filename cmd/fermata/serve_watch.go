package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/cmd/fermata/internal/watch"
	"github.com/fermata-go/fermata/definition"
)

// keepCurrent serves the folder as it is until the context ends: each change of its files gives the handler other definitions.
// Runs keep theirs.
func (s *serving) keepCurrent(ctx context.Context, screen *startScreen) {
	for ctx.Err() == nil {
		paths := screen.watched()
		watching, stop := context.WithCancel(ctx)
		changes := watch.Start(watching, paths...)
		s.reload(screen, nil) // what has changed before it was watched
		for slices.Equal(paths, screen.watched()) {
			changed, ok := <-changes
			if !ok {
				break
			}
			s.reload(screen, changed)
		}
		stop()
	}
}

// watched are the paths that decide what a folder defines: the folder, the agents, and what recipes name elsewhere.
func (s *startScreen) watched() []string {
	paths := []string{s.folder}
	if s.flags.agents != "" {
		paths = append(paths, s.flags.agents)
	}
	for i := range s.files {
		l := s.files[i].loaded
		if l == nil {
			continue
		}
		var source struct {
			Dir   string
			Files map[string]json.RawMessage
		}
		if json.Unmarshal(l.Source(), &source) != nil {
			continue
		}
		for name := range source.Files {
			paths = append(paths, filepath.Join(source.Dir, filepath.FromSlash(name)))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// reload loads the folder again, and says what is different.
func (s *serving) reload(screen *startScreen, changed []string) {
	before := screen.files
	files, err := s.m.loadFolder(screen.folder, s.flags.agents, s.house.dsn, before)
	if err != nil { // a folder that cannot be read now can be in a moment
		files = slices.Clone(before)
		for i := range files {
			files[i].problems = []definition.Problem{{File: screen.folder, Message: err.Error()}}
		}
	}
	if !differ(before, files) {
		return
	}
	screen.files = files
	if err := s.take(files); err != nil {
		s.m.err.Println(s.m.err.Styles().Bad.Apply("the folder is served as it was before: ") + err.Error())
		return
	}
	s.m.sayReload(screen, before, changed)
}

// take serves what a folder defines, and starts the runs of its schedules.
func (s *serving) take(files []servedFile) error {
	if err := s.takeSchedules(files); err != nil {
		return err
	}
	return s.api.Replace(definitions(files, s.talks), faults(files)...)
}

// differ reports whether two loads of a folder serve other definitions, or say something else of its files.
func differ(before, now []servedFile) bool {
	return !slices.EqualFunc(before, now, func(a, b servedFile) bool {
		return a.file == b.file && sameText(a.loaded, b.loaded) && slices.Equal(a.problems, b.problems) && slices.Equal(a.notes, b.notes)
	})
}

// sameText reports whether two definitions have one text.
func sameText(a, b loaded) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return bytes.Equal(a.Source(), b.Source())
}

// faults are the files that cannot be loaded, for the API.
func faults(files []servedFile) (all []api.Fault) {
	for i := range files {
		f := &files[i]
		if len(f.problems) == 0 {
			continue
		}
		fault := api.Fault{File: f.file}
		if f.loaded != nil {
			fault.Name = f.loaded.Name()
		}
		for _, p := range f.problems {
			fault.Problems = append(fault.Problems, api.FaultProblem(p))
		}
		all = append(all, fault)
	}
	return all
}

// sayReload says what a change of the folder has changed.
func (m *Main) sayReload(screen *startScreen, before []servedFile, changed []string) {
	if screen.flags.json {
		line := screen.line()
		line.Changed = append([]string{}, changed...)
		m.writeLine(line)
		return
	}
	if m.global.quiet {
		return
	}
	if len(changed) > 0 {
		m.sayChanged(changed, false)
	}
	was := make(map[string]loaded)
	for i := range before {
		if l := before[i].loaded; l != nil {
			was[l.Name()] = l
		}
	}
	s, styles := m.err, m.err.Styles()
	for i := range screen.files {
		f := &screen.files[i]
		m.showProblems(m.err, f.problems)
		if f.loaded == nil {
			continue
		}
		name := f.loaded.Name()
		old := was[name]
		delete(was, name)
		switch {
		case len(f.problems) > 0:
			s.Println(styles.Wait.Apply(s.Glyphs().Stopped) + " " + name + styles.Faint.Apply("  served as it was before"))
		case old == nil:
			s.Println(styles.Good.Apply(s.Glyphs().Done) + " " + name + styles.Faint.Apply("  new: "+f.file))
		case !sameText(old, f.loaded):
			s.Println(styles.Good.Apply(s.Glyphs().Done) + " " + name + styles.Faint.Apply("  changed: new runs take it"))
		}
		for _, note := range f.notes {
			s.Println(styles.Wait.Apply("warning: ") + name + ": " + term.Flat(note))
		}
	}
	for _, f := range before {
		if f.loaded != nil && was[f.loaded.Name()] != nil {
			s.Println(styles.Faint.Apply(s.Glyphs().Skipped + " " + f.loaded.Name() + "  removed: no new runs"))
		}
	}
}

// stillThere reports whether a file that was served is there, whatever it says now: an editor may be writing it.
func stillThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
