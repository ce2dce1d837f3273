package main

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// startScreen is what a server says of itself.
type startScreen struct {
	folder string
	files  []servedFile
	store  string
	url    string // "" for one that is only checked
	flags  *serveFlags
	tokens int // that work, where requests need one
	admin  *admin
}

// failed are the files that cannot be loaded.
func (s *startScreen) failed() (all []servedFile) {
	for i := range s.files {
		if len(s.files[i].problems) > 0 {
			all = append(all, s.files[i])
		}
	}
	return all
}

// nothing reports whether there is nothing to serve.
func (s *startScreen) nothing() bool {
	return !slices.ContainsFunc(s.files, func(f servedFile) bool { return f.loaded != nil })
}

// counted says how many recipes and dialogues are served.
func (s *startScreen) counted() string {
	recipes, dialogues := 0, 0
	for i := range s.files {
		switch {
		case s.files[i].recipe() != nil:
			recipes++
		case s.files[i].loaded != nil:
			dialogues++
		}
	}
	switch {
	case dialogues == 0:
		return term.Count(recipes, "recipe")
	case recipes == 0:
		return term.Count(dialogues, "dialogue")
	}
	return term.Count(recipes, "recipe") + " and " + term.Count(dialogues, "dialogue")
}

// servedLine is the start screen in --json.
type servedLine struct {
	URL         string             `json:"url,omitempty"`
	Admin       string             `json:"admin,omitempty"` // where /metrics is
	Store       string             `json:"store"`
	Auth        string             `json:"auth"`             // none, or ways with commas between them: tokens, oidc, proxy
	Tokens      *int               `json:"tokens,omitempty"` // that work, where requests need one
	Worker      bool               `json:"worker"`
	ReadOnly    bool               `json:"readOnly"`
	Definitions []servedDefinition `json:"definitions"`
	Failed      []fileReport       `json:"failed"`            // a definition of such a file is what it was before
	Changed     []string           `json:"changed,omitempty"` // the files whose change this line is about; none at the start
}

type servedDefinition struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	File  string   `json:"file"`
	Notes []string `json:"notes,omitempty"`
}

// showStart shows what is served, where, and how it ends.
func (m *Main) showStart(screen *startScreen) {
	if screen.flags.json {
		m.writeLine(screen.line())
		return
	}
	failed := screen.failed()
	m.showFailed(failed)
	s, styles := m.out, m.out.Styles()
	verb := "serves"
	if screen.url == "" {
		verb = "would serve"
	}
	if screen.nothing() {
		return
	}
	s.Println(styles.Strong.Apply("Fermata "+verb+" "+screen.counted()) + styles.Faint.Apply(" of "+screen.folder))
	if screen.url != "" {
		s.Println("", "  "+styles.Code.Apply(screen.url))
	}
	s.Println("")
	list := term.Table{Indent: 2}
	for i := range screen.files {
		f := &screen.files[i]
		if f.loaded == nil {
			continue
		}
		mark := styles.Good.Apply(s.Glyphs().Done)
		if len(f.notes) > 0 {
			mark = styles.Wait.Apply(s.Glyphs().Stopped)
		}
		list.Rows = append(list.Rows, []string{mark, f.loaded.Name(), styles.Faint.Apply(f.file)})
	}
	s.Println(s.Fit(list.Lines(s))...)
	for i := range screen.files {
		for _, note := range screen.files[i].notes {
			m.err.Println(m.err.Styles().Wait.Apply("warning: ") + screen.files[i].loaded.Name() + ": " + term.Flat(note))
		}
	}
	s.Println("")
	s.Println((&term.Table{Indent: 2, Rows: screen.facts(m)}).Lines(s)...)
}

// facts are the lines below the list.
func (s *startScreen) facts(m *Main) [][]string {
	faint := m.out.Styles().Faint
	fact := func(name, text string) []string { return []string{faint.Apply(name), text} }
	facts := append([][]string{fact("store", s.store)}, s.loginFacts(m, fact)...)
	switch {
	case s.flags.noWork:
		facts = append(facts, fact("worker", "none here; runs wait for "+m.command("work")))
	case len(s.flags.queues) > 0:
		facts = append(facts, fact("worker", "in this process, for the queues "+strings.Join(s.flags.queues, ", ")))
	default:
		facts = append(facts, fact("worker", "in this process"))
	}
	if s.admin != nil {
		facts = append(facts, fact("metrics", s.admin.url()+"/metrics"))
	}
	if s.flags.readOnly {
		facts = append(facts, fact("access", "read-only: requests that change something are refused"))
	}
	if s.url != "" {
		facts = append(facts, fact("stop", "Ctrl-C finishes what is at work; a second one ends at once"))
	}
	return facts
}

// showFailed says which files could not be loaded, and why.
func (m *Main) showFailed(failed []servedFile) {
	for i := range failed {
		m.showProblems(m.err, failed[i].problems)
	}
	if n := len(failed); n > 0 {
		m.err.Println(m.err.Styles().Bad.Apply(m.err.Glyphs().Failed+" not served: ") + term.Count(n, "file"))
	}
}

func (s *startScreen) line() servedLine {
	line := servedLine{
		URL: s.url, Admin: s.admin.url(), Store: s.store, Auth: s.flags.login.auth, Worker: !s.flags.noWork, ReadOnly: s.flags.readOnly,
		Definitions: []servedDefinition{}, Failed: []fileReport{},
	}
	if s.flags.login.has(authTokens) && s.url != "" {
		line.Tokens = &s.tokens
	}
	for i := range s.files {
		f := &s.files[i]
		if len(f.problems) > 0 {
			line.Failed = append(line.Failed, fileReport{File: f.file, Problems: fileProblems(f.problems)})
		}
		if f.loaded == nil {
			continue
		}
		line.Definitions = append(line.Definitions, servedDefinition{
			Name: f.loaded.Name(), Kind: definitionKind(f.loaded), File: f.file, Notes: f.notes,
		})
	}
	return line
}
