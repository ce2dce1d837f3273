package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Listing is what go list says, taken apart. The standard library is left out: everything is built on it.
type Listing struct {
	Packages []Package         // in the order of their paths
	Origins  map[string]Origin // of the modules that they are in, by path
}

// Package is a package of the module, or one that it imports.
type Package struct {
	Path        string   `json:"path"`
	Module      string   `json:"module"`
	Own         bool     `json:"own,omitempty"` // of the module that is looked at
	Dir         string   `json:"dir"`
	Files       []string `json:"files,omitempty"`       // that are compiled, those of tests not among them
	Imports     []string `json:"imports,omitempty"`     // of packages that are listed, in order
	TestImports []string `json:"testImports,omitempty"` // what only its tests import; for packages of its own alone
}

// Origin is where a module comes from.
type Origin struct {
	Version  string `json:"version,omitempty"`
	Sum      string `json:"sum,omitempty"`      // of its files; "" where they may change: in a folder of their own, or vendored
	Replaced string `json:"replaced,omitempty"` // by another module, or a folder
}

// listedPackage is a package as go list writes it.
type listedPackage struct {
	ImportPath, Name, Dir, ForTest string
	Standard                       bool
	Module                         *listedModule
	GoFiles, CgoFiles, Imports     []string
}

type listedModule struct {
	Path, Version, Sum string
	Main               bool
	Replace            *listedModule
}

// parsePackages reads what `go list -deps -test -json` writes: one object after the other.
func parsePackages(listing string) (Listing, error) {
	l := Listing{Origins: make(map[string]Origin)}
	by := make(map[string]*Package)
	tests := make(map[string][]string)
	for d := json.NewDecoder(strings.NewReader(listing)); ; {
		var p listedPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return l, fmt.Errorf("the output of go list cannot be read: %w", err)
		}
		path, _, variant := strings.Cut(p.ImportPath, " [")
		switch {
		case p.Standard, p.Module == nil, p.madeUp():
		case variant && (path == p.ForTest || path == p.ForTest+"_test"):
			tests[p.ForTest] = append(tests[p.ForTest], p.Imports...)
		case variant: // compiled once more for a test; what it imports is known
		default:
			by[path] = p.pack(path)
			l.Origins[p.Module.Path] = p.Module.origin()
		}
	}
	for _, path := range slices.Sorted(maps.Keys(by)) {
		p := by[path]
		p.Imports = known(p.Imports, by, nil)
		p.TestImports = known(tests[path], by, append(slices.Clone(p.Imports), path))
		l.Packages = append(l.Packages, *p)
	}
	return l, nil
}

// madeUp reports whether it is the main function of tests: go writes its file, into the build cache.
func (p *listedPackage) madeUp() bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") && len(p.GoFiles) == 1 && strings.ContainsAny(p.GoFiles[0], `/\`)
}

func (p *listedPackage) pack(path string) *Package {
	return &Package{
		Path: path, Module: p.Module.Path, Own: p.Module.Main, Dir: p.Dir,
		Files: slices.Concat(p.GoFiles, p.CgoFiles), Imports: p.Imports,
	}
}

func (m *listedModule) origin() Origin {
	o := Origin{Version: m.Version, Sum: m.Sum}
	if r := m.Replace; r != nil {
		o.Sum, o.Replaced = r.Sum, strings.TrimSpace(r.Path+" "+r.Version)
	}
	return o
}

// known are the imports that are listed, each once, those aside that are to be left out.
func known(imports []string, by map[string]*Package, without []string) []string {
	var list []string
	for _, i := range imports {
		path, _, _ := strings.Cut(i, " [")
		if by[path] != nil && !slices.Contains(without, path) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// world are the packages, to walk along their imports.
type world struct {
	all []Package
	by  map[string]*Package
}

func newWorld(packages []Package) *world {
	w := &world{packages, make(map[string]*Package, len(packages))}
	for i := range packages {
		w.by[packages[i].Path] = &packages[i]
	}
	return w
}

// own are the paths of the packages that are looked at.
func (w *world) own() []string {
	var list []string
	for i := range w.all {
		if w.all[i].Own {
			list = append(list, w.all[i].Path)
		}
	}
	return list
}

// reach are the packages that are built when those of from are, if the own module did not import the module without: ""
// for as it is.
func (w *world) reach(from []string, without string) map[string]bool {
	seen := make(map[string]bool)
	for todo := slices.Clone(from); len(todo) > 0; {
		p := w.by[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		for _, path := range p.Imports {
			if without == "" || !p.Own || w.by[path].Module != without {
				todo = append(todo, path)
			}
		}
	}
	return seen
}

// direct are the modules that packages of the own module import, each with these packages, in the order of their paths.
func (w *world) direct() map[string][]string {
	list := make(map[string][]string)
	for i := range w.all {
		if !w.all[i].Own {
			continue
		}
		for _, path := range w.all[i].Imports {
			if p := w.by[path]; !p.Own && !slices.Contains(list[p.Module], path) {
				list[p.Module] = append(list[p.Module], path)
			}
		}
	}
	return list
}
