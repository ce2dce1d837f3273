package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// listedFolders and listedFiles bound what is listed of changes; all are counted.
const (
	listedFolders = 12
	listedFiles   = 20
)

type changesInput struct {
	Repository repository `json:"repository"`
	Base       base       `json:"base"`
	Sensitive  []string   `json:"sensitive"` // folders and files that want a second look
}

type changesOutput struct {
	Changes changeSet `json:"changes"`
}

// changeSet says how large a change is, and where.
type changeSet struct {
	Summary   string   `json:"summary"` // "42 files in 9 folders, +1204 -310 lines"
	Files     int      `json:"files"`
	Added     int      `json:"added"` // lines
	Deleted   int      `json:"deleted"`
	Lines     int      `json:"lines"`     // added and deleted
	Binary    int      `json:"binary"`    // files without lines
	Packages  int      `json:"packages"`  // folders with Go files among them
	Code      int      `json:"code"`      // Go files that are not tests
	Tests     int      `json:"tests"`     // Go files that are
	GoMod     bool     `json:"goMod"`     // go.mod or go.sum, anywhere
	Sensitive []string `json:"sensitive"` // files in sensitive places, at most listedFiles
	Folders   []place  `json:"folders"`   // where most lines changed first
}

// place is a folder with what changed in it.
type place struct {
	Folder  string `json:"folder"`
	Files   int    `json:"files"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
}

func changes(ctx context.Context, in changesInput) (changesOutput, error) {
	from := in.Base.Commit
	if from == "" {
		empty, err := git(ctx, in.Repository.Root, "hash-object", "-t", "tree", "--stdin") // the standard input is empty
		if err != nil {
			return changesOutput{}, err
		}
		from = strings.TrimSpace(empty)
	}
	diff, err := git(ctx, in.Repository.Root, "diff", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv",
		from, in.Repository.Head, "--")
	if err != nil {
		return changesOutput{}, err
	}
	files, err := readDiff(diff)
	if err != nil {
		return changesOutput{}, err
	}
	return changesOutput{measure(files, in.Sensitive)}, nil
}

// changedFile is one file of a diff.
type changedFile struct {
	path           string
	before         string // where it was, if it was moved
	added, deleted int
	binary         bool
}

// readDiff reads what git diff --numstat -z says: "1\t2\tpath\0", or "1\t2\t\0before\0path\0" for a file that moved.
func readDiff(text string) ([]changedFile, error) {
	var files []changedFile
	next := func() string {
		var part string
		part, text, _ = strings.Cut(text, "\x00")
		return part
	}
	for text != "" {
		line := next()
		parts := strings.SplitN(line, "\t", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("git diff: expected two numbers and a path, found %q", line)
		}
		f := changedFile{path: parts[2], binary: parts[0] == "-"}
		if !f.binary {
			var err error
			if f.added, err = strconv.Atoi(parts[0]); err == nil {
				f.deleted, err = strconv.Atoi(parts[1])
			}
			if err != nil {
				return nil, fmt.Errorf("git diff: expected two numbers and a path, found %q", line)
			}
		}
		if f.path == "" {
			f.before, f.path = next(), next()
		}
		files = append(files, f)
	}
	return files, nil
}

// measure sums a diff up.
func measure(files []changedFile, sensitive []string) changeSet {
	s := changeSet{Files: len(files), Sensitive: []string{}, Folders: []place{}}
	folders, packages := make(map[string]place), make(map[string]bool)
	for _, f := range files {
		s.Added += f.added
		s.Deleted += f.deleted
		if f.binary {
			s.Binary++
		}
		dir, name := path.Split(f.path)
		dir = cmp.Or(strings.TrimSuffix(dir, "/"), ".")
		at := folders[dir]
		folders[dir] = place{dir, at.Files + 1, at.Added + f.added, at.Deleted + f.deleted}
		switch {
		case strings.HasSuffix(name, "_test.go"):
			s.Tests++
			packages[dir] = true
		case strings.HasSuffix(name, ".go"):
			s.Code++
			packages[dir] = true
		case name == "go.mod", name == "go.sum":
			s.GoMod = true
		}
		if len(s.Sensitive) < listedFiles && (within(f.path, sensitive) || within(f.before, sensitive)) {
			s.Sensitive = append(s.Sensitive, f.path)
		}
	}
	s.Lines, s.Packages = s.Added+s.Deleted, len(packages)
	s.Folders = slices.SortedFunc(maps.Values(folders), func(a, b place) int {
		return cmp.Or(cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted), cmp.Compare(a.Folder, b.Folder))
	})
	s.Summary = fmt.Sprintf("%s in %s, +%d -%d lines", count(s.Files, "file"), count(len(folders), "folder"), s.Added, s.Deleted)
	if s.Packages > 0 {
		s.Summary += fmt.Sprintf("; %s, %s", count(s.Packages, "Go package"), count(s.Tests, "test file"))
	}
	s.Folders = s.Folders[:min(len(s.Folders), listedFolders)]
	return s
}

// within reports whether a file is one of the places, or in one of them.
func within(file string, places []string) bool {
	return file != "" && slices.ContainsFunc(places, func(p string) bool {
		p = strings.Trim(p, "/")
		return p != "" && (file == p || strings.HasPrefix(file, p+"/") || path.Base(file) == p)
	})
}
