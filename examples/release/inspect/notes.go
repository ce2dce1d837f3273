package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// notesInput is all that the release gate knows.
type notesInput struct {
	commitsOutput
	changesOutput
	vetOutput
	modulesOutput
	Decision string   `json:"decision"` // approved or passed
	Approver string   `json:"approver"` // "" where nobody was asked, or it is not known who
	Risk     string   `json:"risk"`
	Score    int      `json:"score"`
	Reasons  []reason `json:"reasons"`
	SentBack []string `json:"sent_back"` // the notes that it was sent back with
	Out      string   `json:"out"`       // the file to write; a relative path is in the repository
}

// reason is why the risk is what it is.
type reason struct {
	Points int    `json:"points"`
	Why    string `json:"why"`
}

type notesOutput struct {
	File string `json:"notes_file"` // absolute path
}

func notes(_ context.Context, in notesInput) (notesOutput, error) {
	if in.Repository.Root == "" || in.Out == "" {
		return notesOutput{}, fmt.Errorf("expected the output of commits, and out; found repository %q and out %q", in.Repository.Root, in.Out)
	}
	file, err := replaceFile(in.Repository.Root, in.Out, []byte(compose(in)))
	return notesOutput{file}, err
}

// sections are the headings of the kinds of commits, in the order of the notes.
var sections = []struct {
	heading string
	kinds   []string
}{
	{"Features", []string{"feat", "feature"}},
	{"Fixes", []string{"fix", "bugfix", "hotfix"}},
	{"Performance", []string{"perf"}},
	{"Reverts", []string{"revert"}},
	{"Documentation", []string{"docs", "doc"}},
	{"Inside", []string{"refactor", "style", "test", "tests", "build", "ci", "chore", "deps"}},
}

// compose writes the notes. They depend on nothing but the input: composed again they are the same, byte by byte.
func compose(in notesInput) string {
	var b strings.Builder
	b.WriteString(mark + "\n\n")
	title := "first release"
	if in.Base.Name != "" {
		title = "changes since " + in.Base.Name
	}
	fmt.Fprintf(&b, "# %s: %s\n\n", plain(in.Repository.Name), plain(title))
	fmt.Fprintf(&b, "%s, up to `%s`%s of %s. %s.\n", upper(plain(in.Commits.Summary)), in.Repository.Commit, onBranch(in.Repository),
		in.Repository.Date, upper(in.Changes.Summary))
	composeCommits(&b, in.Commits)
	composeFolders(&b, in.Changes)
	composeCheck(&b, in)
	return b.String()
}

func onBranch(r repository) string {
	if r.Branch == "" {
		return ""
	}
	return " on " + plain(r.Branch)
}

func composeCommits(b *strings.Builder, all commitList) {
	section := func(heading string, take func(commit) bool) {
		first := true
		for _, c := range all.List {
			if !take(c) {
				continue
			}
			if first {
				fmt.Fprintf(b, "\n## %s\n\n", heading)
				first = false
			}
			scope := ""
			if c.Scope != "" {
				scope = "**" + plain(c.Scope) + "**: "
			}
			fmt.Fprintf(b, "- %s%s (`%s`)\n", scope, plain(c.Text), c.Commit)
		}
	}
	section("Breaking changes", func(c commit) bool { return c.Breaking })
	var known []string
	for _, s := range sections {
		section(s.heading, func(c commit) bool { return !c.Breaking && slices.Contains(s.kinds, c.Kind) })
		known = append(known, s.kinds...)
	}
	section("Changes", func(c commit) bool { return !c.Breaking && !slices.Contains(known, c.Kind) })
	if more := all.Total - len(all.List); more > 0 {
		fmt.Fprintf(b, "\n… and %s before these.\n", count(more, "commit"))
	}
}

func composeFolders(b *strings.Builder, c changeSet) {
	if len(c.Folders) == 0 {
		return
	}
	b.WriteString("\n## Where\n\n| Folder | Files | Added | Deleted |\n|---|---:|---:|---:|\n")
	for _, p := range c.Folders {
		fmt.Fprintf(b, "| %s | %d | %d | %d |\n", strings.ReplaceAll(plain(p.Folder), "|", `\|`), p.Files, p.Added, p.Deleted)
	}
}

func composeCheck(b *strings.Builder, in notesInput) {
	b.WriteString("\n## Release check\n\n")
	decision := "passed, nobody had to be asked"
	if in.Decision == "approved" {
		decision = "approved by " + cmp.Or(plain(in.Approver), "a person")
	}
	fmt.Fprintf(b, "- Decision: %s\n- Risk: %s, %s\n", decision, in.Risk, count(in.Score, "point"))
	for _, r := range in.Reasons {
		fmt.Fprintf(b, "  - %d: %s\n", r.Points, plain(oneLine(r.Why)))
	}
	for _, note := range in.SentBack {
		fmt.Fprintf(b, "- Sent back: %s\n", plain(oneLine(note)))
	}
	fmt.Fprintf(b, "- go vet: %s\n", plain(in.Vet.Summary))
	for _, f := range in.Vet.Findings {
		fmt.Fprintf(b, "  - %s: %s\n", plain(f.Place), plain(f.Message))
	}
	fmt.Fprintf(b, "- Modules: %s\n", plain(in.Modules.Summary))
	for _, r := range in.Modules.Replaced {
		fmt.Fprintf(b, "  - replaced: %s by %s\n", plain(r.Module), plain(r.By))
	}
	for _, u := range in.Modules.Outdated {
		fmt.Fprintf(b, "  - outdated: %s %s, there is %s\n", plain(u.Module), u.Has, u.Latest)
	}
}

// plain is text that Markdown shows as it is: what looks like HTML is not. Code between backticks needs no help.
func plain(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 || i == len(parts)-1 {
			parts[i] = html.Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

var html = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
