package main

import "slices"

// Report is what has been found out.
type Report struct {
	Module    string `json:"module"`
	Toolchain string `json:"toolchain"` // the version of Go and the system: elsewhere other files are compiled

	Own      Size `json:"own"`
	Others   Size `json:"others"` // in the build, without the standard library
	Built    int  `json:"built"`  // modules that they are in
	Required int  `json:"required"`
	Direct   int  `json:"direct"` // of them those that go.mod does not mark as indirect

	Ranked []Row    `json:"ranked"` // by weight, as many as were asked for
	Drops  []Drop   `json:"drops"`  // of all direct dependencies, by lines
	Tests  []Row    `json:"tests"`  // what only tests lead to
	Unused []Unused `json:"unused"`

	Round   int     `json:"rounds"` // of the ranking
	Change  float64 `json:"change"` // of weights, in the last one
	Settled bool    `json:"settled"`
}

// Size is an amount of code.
type Size struct {
	Packages int `json:"packages"`
	Lines    int `json:"lines"`
}

// Row is a module of the ranking.
type Row struct {
	Module
	Weight  float64  `json:"weight"`            // its share of all dependencies', of 1
	Through []string `json:"through,omitempty"` // other direct dependencies that lead to it
}

// selecting is all that a report is made of.
type selecting struct {
	File      GoMod
	Toolchain string
	Modules   []Module
	Links     Links
	Weights   []float64
	Order     []int
	Round     int
	Change    float64
	Settled   bool
	Through   map[string][]string
	Drops     []Drop
	Unused    []Unused
}

// selectRows makes the report: the first modules of the ranking, with what is known of them.
func selectRows(in selecting) Report {
	r := Report{
		Module: in.File.Module.Path, Toolchain: in.Toolchain, Required: len(in.File.Require),
		Ranked: []Row{}, Drops: in.Drops, Tests: []Row{}, Unused: in.Unused,
		Round: in.Round, Change: in.Change, Settled: in.Settled,
	}
	for _, q := range in.File.Require {
		if !q.Indirect {
			r.Direct++
		}
	}
	by := make(map[string]Module)
	for _, m := range in.Modules {
		by[m.Path] = m
		switch {
		case m.Own:
			r.Own = Size{m.Packages, m.Lines}
		case m.Tests:
			r.Tests = append(r.Tests, Row{Module: m})
		default:
			r.Built++
			r.Others.Packages += m.Packages
			r.Others.Lines += m.Lines
		}
	}
	all := 0.0
	for _, w := range in.Weights[1:] {
		all += w
	}
	for _, i := range in.Order {
		path := in.Links.Modules[i]
		r.Ranked = append(r.Ranked, Row{by[path], in.Weights[i] / all, slices.Clone(in.Through[path])})
	}
	return r
}
