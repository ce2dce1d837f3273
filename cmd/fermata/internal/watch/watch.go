// Package watch reports changes of recipes and of the files around them that may belong to them.
//
//	for changed := range watch.Start(ctx, "recipes/refund.yaml", "recipes") { … }
//
// It does not matter how an editor saves: in place, by renaming another file, or in several steps, which are one change
// once nothing has happened for [Quiet]. Where the file system tells nothing (network drives, some containers), it is
// looked at every [Poll].
package watch

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Times of watching.
const (
	Quiet = 60 * time.Millisecond
	Poll  = 2 * time.Second
)

// Bounds of what is looked at in a folder: a recipe may lie beside anything.
const (
	maxDepth = 6
	maxFiles = 2000
)

// extensions are those of recipes, agents files, tests, scripts of models, and tables.
var extensions = []string{".yaml", ".yml", ".json", ".jsonl", ".csv"}

// state is what files were like: by path.
type state map[string]stamp

// stamp changes with every write.
type stamp struct {
	size int64
	time time.Time
}

// Start watches files, and folders with all that recipes may use in them, until the context ends. Then the channel is
// closed. It yields the paths that have changed since the last time, or since Start, sorted. They include new paths and
// deleted ones.
func Start(ctx context.Context, paths ...string) <-chan []string {
	changes := make(chan []string)
	before, folders := look(paths)
	signs, follow, end := listen()
	follow(folders)
	go func() {
		defer close(changes)
		defer end()
		for untilQuiet(ctx, signs) {
			now, folders := look(paths)
			follow(folders)
			changed := before.changed(now)
			if before = now; len(changed) == 0 {
				continue
			}
			select {
			case changes <- changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return changes
}

// listen asks the file system to tell of changes in folders. Where it cannot, there are no signs.
func listen() (signs <-chan fsnotify.Event, follow func(folders []string), end func()) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func([]string) {}, func() {}
	}
	go func() {
		for range watcher.Errors { // signs were lost: they are looked for every Poll
		}
	}()
	follow = func(folders []string) {
		for _, folder := range folders {
			_ = watcher.Add(folder) // a folder that cannot be followed is looked at every Poll
		}
	}
	return watcher.Events, follow, func() { _ = watcher.Close() }
}

// untilQuiet waits for a sign, or for the next look, and then until there is no more. It is false when the context ended.
func untilQuiet(ctx context.Context, signs <-chan fsnotify.Event) bool {
	next := time.NewTimer(Poll)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-next.C:
			return true
		case sign := <-signs:
			if sign.Op != fsnotify.Chmod {
				next.Reset(Quiet)
			}
		}
	}
}

// look finds what there is, and the folders in which something may change.
func look(paths []string) (state, []string) {
	s, folders := make(state), make(map[string]bool)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			s.walk(path, folders)
			continue
		}
		folders[filepath.Dir(path)] = true
		if err == nil {
			s[filepath.Clean(path)] = stamp{info.Size(), info.ModTime()}
		}
	}
	return s, slices.Collect(maps.Keys(folders))
}

// walk adds what a folder holds. What cannot be read is left out.
func (s state) walk(folder string, folders map[string]bool) {
	found := 0
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(folder, path)
		switch {
		case err != nil:
			return nil //nolint:nilerr // it may be somebody else's
		case e.IsDir() && rel != "." && (strings.HasPrefix(e.Name(), ".") || strings.Count(rel, string(filepath.Separator)) >= maxDepth ||
			e.Name() == "node_modules" || e.Name() == "vendor"):
			return fs.SkipDir
		case e.IsDir():
			folders[path] = true
			return nil
		case !slices.Contains(extensions, filepath.Ext(path)):
			return nil
		}
		if found++; found > maxFiles {
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil {
			s[path] = stamp{info.Size(), info.ModTime()}
		}
		return nil
	})
}

// changed are the paths that differ.
func (s state) changed(now state) []string {
	var paths []string
	for path, is := range now {
		if was, there := s[path]; !there || was.size != is.size || !was.time.Equal(is.time) {
			paths = append(paths, path)
		}
	}
	for path := range s {
		if _, there := now[path]; !there {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
