package main

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutant is one defect of the engine.
type mutant struct {
	Law   string `json:"law"`   // the law that it breaks: "J3"
	Title string `json:"title"` // the defect, as a sentence
	File  string `json:"file"`  // from the root of the module, with slashes
	Kill  []kill `json:"kill"`  // tests that have to notice, the quickest first

	at    string // where it is defined: "mutants/journal.txt:12"
	hunks []hunk
}

// hunk is a text of the file before and after: whole lines.
type hunk struct {
	old, new string
}

// kill is a package and the tests in it that may notice a mutant.
type kill struct {
	Package string `json:"package"` // "./journal/memory"
	Run     string `json:"run"`     // as go test -run
}

//go:embed mutants/*.txt
var listed embed.FS

// mutants are all that are listed, by file and place.
func mutants() ([]mutant, error) {
	names, err := fs.Glob(listed, "mutants/*.txt")
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range names {
		text, err := listed.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// headLine is the first line of a mutant: "# J3: an append behind a newer entry is taken".
var headLine = regexp.MustCompile(`^# ([A-Z]\d+): (.+)$`)

// parse reads mutants. Each is a block of lines, blocks are apart by an empty line:
//
//	# J3: an append behind a newer entry is taken
//	file journal/memory/store.go
//	-	if r.n != b.After {
//	+	if r.n < b.After {
//	kill ./journal/memory TestStore
//
// Lines with - are the text before, lines with + the text after. A line with - behind one with + begins another place.
func parse(name, text string) ([]mutant, error) {
	var all []mutant
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		if m := headLine.FindStringSubmatch(line); m != nil {
			all = append(all, mutant{Law: m[1], Title: m[2], at: at})
			continue
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "//") {
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf(`%s: expected "# LAW: title", found %q`, at, line)
		}
		if err := all[len(all)-1].add(line); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	for i := range all {
		if m := &all[i]; m.File == "" || len(m.hunks) == 0 || len(m.Kill) == 0 || slices.ContainsFunc(m.hunks, hunk.isEmpty) {
			return nil, fmt.Errorf("%s: %s needs a file, a text before that differs from the text after, and tests", m.at, m.Title)
		}
	}
	return all, nil
}

func (h hunk) isEmpty() bool { return h.old == "" || h.old == h.new }

// add takes a line of the mutant's block.
func (m *mutant) add(line string) error {
	switch {
	case strings.HasPrefix(line, "-"):
		if n := len(m.hunks); n == 0 || m.hunks[n-1].new != "" {
			m.hunks = append(m.hunks, hunk{})
		}
		m.hunks[len(m.hunks)-1].old += line[1:] + "\n"
	case strings.HasPrefix(line, "+") && len(m.hunks) > 0:
		m.hunks[len(m.hunks)-1].new += line[1:] + "\n"
	case strings.HasPrefix(line, "file "):
		m.File = strings.TrimPrefix(line, "file ")
	case strings.HasPrefix(line, "kill "):
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return fmt.Errorf("expected kill PACKAGE TESTS, found %q", line)
		}
		m.Kill = append(m.Kill, kill{Package: fields[1], Run: fields[2]})
	default:
		return fmt.Errorf("expected a line with -, +, file or kill, found %q", line)
	}
	return nil
}

// errStale says that the text of a mutant is not in the tree any more.
var errStale = errors.New("stale")

// apply returns the file of the tree at root with the defect in it.
func (m *mutant) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no file %s", errStale, m.File)
	}
	if err != nil {
		return nil, err
	}
	for _, h := range m.hunks {
		switch n := bytes.Count(text, []byte(h.old)); {
		case n == 0:
			return nil, fmt.Errorf("%w: %s does not have this any more, rewrite the mutant: %s", errStale, m.File, h.old)
		case n > 1:
			return nil, fmt.Errorf("%w: %s has this %d times, add lines until it is found once: %s", errStale, m.File, n, h.old)
		}
		text = bytes.Replace(text, []byte(h.old), []byte(h.new), 1)
	}
	return text, nil
}

// chosen are the mutants whose law, title or file matches.
func chosen(all []mutant, pattern string) ([]mutant, error) {
	if pattern == "" {
		return all, nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	some := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return !re.MatchString(m.Law) && !re.MatchString(m.Title) && !re.MatchString(m.File)
	})
	if len(some) == 0 {
		return nil, fmt.Errorf("-run %s matches none of %d mutants", pattern, len(all))
	}
	return some, nil
}

// byLaw orders mutants as the laws are ordered: J2 before J10.
func byLaw(a, b mutant) int {
	number := func(law string) int {
		n := 0
		for _, digit := range law[1:] {
			n = 10*n + int(digit-'0')
		}
		return n
	}
	return cmp.Or(cmp.Compare(a.Law[0], b.Law[0]), cmp.Compare(number(a.Law), number(b.Law)))
}
