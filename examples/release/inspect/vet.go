package main

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The bounds of go vet: how long it may take, and how many findings are listed; all are counted.
const (
	vetTime        = 4 * time.Minute
	listedFindings = 20
)

type vetInput struct {
	Repository repository `json:"repository"`
}

type vetOutput struct {
	Vet vetting `json:"vet"`
}

// The states of a vetting.
const (
	vetClean    = "clean"
	vetFindings = "findings"
	vetFailed   = "failed"  // it could not look at the code
	vetSkipped  = "skipped" // there is nothing to look at
)

// vetting is what go vet says of the files as they lie in the folder.
type vetting struct {
	Summary  string    `json:"summary"` // "clean", "2 findings", "not a Go module: …"
	State    string    `json:"state"`
	Total    int       `json:"total"`
	Findings []finding `json:"findings"` // at most listedFindings
}

type finding struct {
	Place   string `json:"place"` // file:line:column
	Message string `json:"message"`
}

func vet(ctx context.Context, in vetInput) (vetOutput, error) {
	v := vetting{Findings: []finding{}}
	if ok, reason := isModule(in.Repository.Root); !ok {
		v.State, v.Summary = vetSkipped, reason
		return vetOutput{v}, nil
	}
	_, said, err := golang(ctx, in.Repository.Root, vetTime, "vet", "./...")
	v.read(said, err)
	return vetOutput{v}, nil
}

// position is how a finding begins.
var position = regexp.MustCompile(`^(?:vet: )?(?:\./)?([^\s:]+\.go:\d+(?::\d+)?): (.+)$`)

// loading is what go says of code that it cannot load: that is no finding.
var loading = regexp.MustCompile(`no required module provides|is not in std|cannot find (package|module)|import cycle|expected 'package'|found packages`)

// read reads what go vet wrote. Findings may stand below the name of their package, "# example.org/p", or alone.
func (v *vetting) read(said string, err error) {
	if err == nil {
		v.State, v.Summary = vetClean, "clean"
		return
	}
	if strings.Contains(said, "matched no packages") {
		v.State, v.Summary = vetSkipped, "the module holds no package"
		return
	}
	for line := range strings.SplitSeq(said, "\n") {
		line = strings.TrimRight(line, "\r")
		if m := position.FindStringSubmatch(line); m != nil && !loading.MatchString(m[2]) {
			v.Findings = append(v.Findings, finding{m[1], m[2]})
		}
	}
	// Packages are looked at in parallel: only sorted are the findings the same every time.
	slices.SortStableFunc(v.Findings, func(a, b finding) int { return cmp.Compare(a.Place, b.Place) })
	v.Total = len(v.Findings)
	v.Findings = v.Findings[:min(v.Total, listedFindings)]
	if v.Total == 0 {
		v.State, v.Summary = vetFailed, "could not run: "+why(err, said, vetTime)
		return
	}
	v.State, v.Summary = vetFindings, count(v.Total, "finding")
}
