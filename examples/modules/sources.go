package main

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// Source is the counted part of a module and the key of the cached count. As long as it is equal, so are the files.
type Source struct {
	Module string   `json:"module"`
	Stamp  string   `json:"stamp"` // the checksum of the module or, where its files may change, their sizes and times
	Parts  []Folder `json:"parts"`
}

// Folder is a package of a module.
type Folder struct {
	Package string   `json:"package"`
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`
}

// findSources says what there is to count, a module at a time.
func findSources(ctx node.Context, in Listing) ([]Source, error) {
	tools, err := node.Service[Toolchain](ctx)
	if err != nil {
		return nil, err
	}
	by := make(map[string]*Source)
	for i := range in.Packages {
		p := &in.Packages[i]
		s := by[p.Module]
		if s == nil {
			s = &Source{Module: p.Module, Stamp: in.Origins[p.Module].Sum}
			by[p.Module] = s
		}
		s.Parts = append(s.Parts, Folder{p.Path, p.Dir, p.Files})
	}
	sources := make([]Source, 0, len(by))
	for _, name := range slices.Sorted(maps.Keys(by)) {
		s := by[name]
		if s.Stamp == "" {
			if s.Stamp, err = stamp(tools, s.Parts); err != nil {
				return nil, err
			}
		}
		sources = append(sources, *s)
	}
	return sources, nil
}

// stamp names the files of folders as they are now.
func stamp(tools Toolchain, parts []Folder) (string, error) {
	var b strings.Builder
	for _, part := range parts {
		for _, name := range part.Files {
			info, err := tools.Stat(filepath.Join(part.Dir, name))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%d %d\n", info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String(), nil
}

// countLines counts the lines of Go in each package of a module. It reads without a step: to read again does no harm.
func countLines(ctx node.Context, s Source) ([]int, error) {
	tools, err := node.Service[Toolchain](ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]int, len(s.Parts))
	for i, part := range s.Parts {
		for _, name := range part.Files {
			text, err := tools.ReadFile(filepath.Join(part.Dir, name))
			if err != nil {
				return nil, err
			}
			lines[i] += bytes.Count(text, []byte("\n"))
		}
	}
	return lines, nil
}
