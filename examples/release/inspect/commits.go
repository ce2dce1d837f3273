package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// listed bounds the commits that are listed; all are counted. shortSubject is how long a short subject is.
const (
	listed       = 200
	shortSubject = 72
)

type commitsInput struct {
	Repo  string `json:"repo"`  // a path; "" is the repository of this program
	Since string `json:"since"` // a revision; "" is the last tag
}

type commitsOutput struct {
	Repository repository `json:"repository"`
	Base       base       `json:"base"`
	Commits    commitList `json:"commits"`
}

// base is what a release is compared with: a tag or another revision, or nothing.
type base struct {
	Name   string `json:"name"`   // "v1.2.0"; "" where there is nothing
	Commit string `json:"commit"` // its full hash
}

type commitList struct {
	Summary  string   `json:"summary"` // "14 commits by 3 people since v1.2.0"
	Total    int      `json:"total"`
	Breaking int      `json:"breaking"` // of them, those that say that they break something
	Authors  []string `json:"authors"`  // who made most first
	List     []commit `json:"list"`     // newest first, at most listed
}

type commit struct {
	Commit   string `json:"commit"` // short hash
	Subject  string `json:"subject"`
	Short    string `json:"short"` // the subject, cut to what fits a line
	Kind     string `json:"kind"`  // feat, fix, …: the conventional prefix, "" without one
	Scope    string `json:"scope"` // what stands behind it in parentheses
	Text     string `json:"text"`  // the subject without prefix
	Breaking bool   `json:"breaking"`
	Author   string `json:"author"`
	Date     string `json:"date"`
}

func commits(ctx context.Context, in commitsInput) (commitsOutput, error) {
	repo, err := open(ctx, in.Repo)
	if err != nil {
		return commitsOutput{}, err
	}
	from, err := findBase(ctx, repo, in.Since)
	if err != nil {
		return commitsOutput{}, err
	}
	list, err := readCommits(ctx, repo, from)
	if err != nil {
		return commitsOutput{}, err
	}
	return commitsOutput{Repository: repo, Base: from, Commits: list}, nil
}

// findBase resolves since, or finds the last tag that leads to HEAD.
func findBase(ctx context.Context, repo repository, since string) (base, error) {
	if since == "" {
		tag, err := git(ctx, repo.Root, "describe", "--tags", "--abbrev=0", repo.Head)
		if err != nil {
			return base{}, nil //nolint:nilerr // no tag: everything is new
		}
		since = strings.TrimSpace(tag)
	}
	hash, err := git(ctx, repo.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", since+"^{commit}")
	if err != nil {
		err = fmt.Errorf("since is %q; expected a tag, branch or commit of %s", since, repo.Root)
		if repo.Shallow {
			err = fmt.Errorf("%w. The clone is shallow, perhaps it is in the rest: git -C %s fetch --unshallow --tags", err, repo.Root)
		}
		return base{}, err
	}
	return base{Name: since, Commit: strings.TrimSpace(hash)}, nil
}

// revisions are the commits of a release, for git.
func (b base) revisions(head string) string {
	if b.Commit == "" {
		return head
	}
	return b.Commit + ".." + head
}

// fields are what is read of a commit, as git log's format.
const fields = "%h%x00%aN%x00%as%x00%s%x00%b"

func readCommits(ctx context.Context, repo repository, from base) (commitList, error) {
	log, err := git(ctx, repo.Root, "log", "-z", "--format="+fields, from.revisions(repo.Head), "--")
	if err != nil {
		return commitList{}, err
	}
	all := commitList{Authors: []string{}, List: []commit{}}
	made := make(map[string]int)
	parts := strings.Split(strings.TrimSuffix(log, "\x00"), "\x00")
	width := strings.Count(fields, "%x00") + 1
	if log == "" {
		parts = nil
	}
	if len(parts)%width != 0 {
		return commitList{}, errors.New("git log: the output is not as expected")
	}
	for one := range slices.Chunk(parts, width) {
		c := commit{Commit: one[0], Author: one[1], Date: one[2], Subject: one[3], Short: shorten(one[3], shortSubject)}
		c.conventional(one[4])
		all.Total++
		if c.Breaking {
			all.Breaking++
		}
		if made[c.Author]++; made[c.Author] == 1 {
			all.Authors = append(all.Authors, c.Author)
		}
		if len(all.List) < listed {
			all.List = append(all.List, c)
		}
	}
	slices.SortStableFunc(all.Authors, func(a, b string) int { return made[b] - made[a] })
	all.Summary = summarize(all, repo, from)
	return all, nil
}

func summarize(l commitList, repo repository, from base) string {
	text := count(l.Total, "commit")
	switch len(l.Authors) {
	case 0:
	case 1, 2, 3:
		text += " by " + strings.Join(l.Authors, ", ")
	default:
		text += " by " + strconv.Itoa(len(l.Authors)) + " people"
	}
	switch {
	case from.Name != "":
		return text + " since " + from.Name
	case repo.Shallow:
		return text + " in a shallow clone: what came before, and the last tag, are not known"
	}
	return text + " since the beginning"
}

// prefix is how subjects begin where people follow conventionalcommits.org: "feat(store)!: keep deltas".
var prefix = regexp.MustCompile(`^([A-Za-z]+)(?:\(([^()]*)\))?(!)?:\s+(.+)$`)

// breakingNote is the line of a message's body that says so too.
var breakingNote = regexp.MustCompile(`(?m)^BREAKING[ -]CHANGE:`)

// conventional reads kind, scope and text out of the subject.
func (c *commit) conventional(body string) {
	c.Text = c.Subject
	if m := prefix.FindStringSubmatch(c.Subject); m != nil {
		c.Kind, c.Scope, c.Text = strings.ToLower(m[1]), m[2], m[4]
		c.Breaking = m[3] != ""
	}
	c.Breaking = c.Breaking || breakingNote.MatchString(body)
}
