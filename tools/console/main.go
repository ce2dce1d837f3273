// Command console builds the console: it bundles the sources in console/web and writes the files that the binary embeds to
// console/dist, compressed and named by what is in them.
//
//	go run ./console [-check] [-units DIR]
//
// It runs in the folder tools, whose module has esbuild; the packages of console/web come from npm. With -check it writes
// nothing and fails where the committed files are not what the sources make. With -units it writes the parts that know no page to
// a folder, where the tests in console/web/test read them.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Folders, from the folder tools.
const (
	webDir  = "../console/web"
	distDir = "../console/dist"
)

// budget is what every page needs, in bytes: index.html, its style and its scripts. Pages come beside it; console_test.go bounds each.
const budget = 34 << 10

func main() {
	check := flag.Bool("check", false, "compare with the committed files, and write nothing")
	units := flag.String("units", "", "write the parts that know no page to a `folder`, for tests")
	flag.Parse()
	if *units != "" {
		if err := buildUnits(*units); err != nil {
			fmt.Fprintln(os.Stderr, "console:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*check, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "console:", err)
		os.Exit(1)
	}
}

func run(check bool, out io.Writer) error {
	if _, err := os.Stat(filepath.Join(webDir, "node_modules")); err != nil {
		if check {
			fmt.Fprintln(out, "console: not compared, for the packages of console/web are not there: npm ci in that folder")
			return nil
		}
		return errors.New("the packages of console/web are not there: run npm ci in that folder")
	}
	made, err := build()
	if err != nil {
		return err
	}
	if check {
		return compare(made)
	}
	if err := write(made); err != nil {
		return err
	}
	return weigh(made, out)
}

// build makes the files, by the names under which they are served.
func build() (map[string][]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/main.tsx", "src/style.css"}, AbsWorkingDir: absolute(webDir), Outdir: "/console", Bundle: true, Splitting: true,
		Format: api.FormatESModule, Target: api.ES2022, JSX: api.JSXAutomatic, JSXImportSource: "preact", MinifyWhitespace: true,
		MinifyIdentifiers: true, MinifySyntax: true, EntryNames: "[name]-[hash]", ChunkNames: "[name]-[hash]", LegalComments: api.LegalCommentsNone,
		Charset: api.CharsetUTF8, LogLevel: api.LogLevelWarning, Metafile: true,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%d problems", len(result.Errors))
	}
	made, page := map[string][]byte{}, map[string]string{}
	preloads, err := preloaded(result.Metafile)
	if err != nil {
		return nil, err
	}
	page["{{preloads}}"] = preloads
	for _, f := range result.OutputFiles {
		name := filepath.Base(f.Path)
		made[name] = f.Contents
		entry, _, _ := strings.Cut(name, "-")
		page["{{"+entry+filepath.Ext(name)+"}}"] = name
	}
	icon, err := os.ReadFile(filepath.Join(webDir, "icon.svg"))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(icon)
	name := "icon-" + strings.ToUpper(hex.EncodeToString(sum[:4])) + ".svg"
	made[name], page["{{icon.svg}}"] = icon, name
	index, err := os.ReadFile(filepath.Join(webDir, "index.html"))
	if err != nil {
		return nil, err
	}
	for _, mark := range slices.Sorted(maps.Keys(page)) {
		index = bytes.ReplaceAll(index, []byte(mark), []byte(page[mark]))
	}
	made["index.html"] = index
	return made, nil
}

// preloaded are links to the scripts that the first one imports, which a browser then loads beside it and not after it. Those
// that it imports when a page needs them are not among them.
func preloaded(metafile string) (string, error) {
	var meta struct {
		Outputs map[string]struct {
			EntryPoint string `json:"entryPoint"`
			Imports    []struct{ Path, Kind string }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return "", err
	}
	found := map[string]bool{}
	var follow func(path string)
	follow = func(path string) {
		for _, i := range meta.Outputs[path].Imports {
			if i.Kind == "import-statement" && !found[i.Path] {
				found[i.Path] = true
				follow(i.Path)
			}
		}
	}
	for path, o := range meta.Outputs {
		if o.EntryPoint == "src/main.tsx" {
			follow(path)
		}
	}
	var links []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		links = append(links, `<link rel="modulepreload" href="/console/`+filepath.Base(path)+`">`)
	}
	return strings.Join(links, "\n"), nil
}

// buildUnits writes the parts that are tested without a page.
func buildUnits(dir string) error {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/json.ts", "src/form/model.ts", "src/run/model.ts", "src/run/compared.ts", "src/talk/model.ts"}, AbsWorkingDir: absolute(webDir), Outdir: absolute(dir),
		Bundle: true, Splitting: true, Format: api.FormatESModule, Target: api.ES2022, OutExtension: map[string]string{".js": ".mjs"}, Write: true,
		LogLevel: api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return fmt.Errorf("%d problems", len(result.Errors))
	}
	return nil
}

func absolute(dir string) string {
	path, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return path
}

// write replaces the committed files.
func write(made map[string][]byte) error {
	old, err := filepath.Glob(filepath.Join(distDir, "*.gz"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(distDir, 0o755); err != nil {
		return err
	}
	for name, data := range made {
		if err := os.WriteFile(filepath.Join(distDir, name+".gz"), compressed(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func compressed(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// compare fails where the committed files differ from those made: in what is in them, for versions of Go compress differently.
func compare(made map[string][]byte) error {
	names, err := filepath.Glob(filepath.Join(distDir, "*.gz"))
	if err != nil {
		return err
	}
	var differ []string
	seen := map[string]bool{}
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".gz")
		seen[name] = true
		data, err := unpacked(path)
		if err != nil {
			return err
		}
		if want, ok := made[name]; !ok || !bytes.Equal(want, data) {
			differ = append(differ, name)
		}
	}
	for name := range made {
		if !seen[name] {
			differ = append(differ, name)
		}
	}
	if len(differ) > 0 {
		slices.Sort(differ)
		return fmt.Errorf("console/dist is not what console/web makes: %s; run make console-build", strings.Join(differ, ", "))
	}
	return nil
}

func unpacked(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return io.ReadAll(r)
}

// weigh shows how heavy the files are, and fails above the budget.
func weigh(made map[string][]byte, out io.Writer) error {
	first, all := 0, 0
	for _, name := range slices.Sorted(maps.Keys(made)) {
		size := len(compressed(made[name]))
		all += size
		if bytes.Contains(made["index.html"], []byte(name)) || name == "index.html" {
			first += size
		}
		fmt.Fprintf(out, "%7d  %s\n", size, name)
	}
	fmt.Fprintf(out, "%7d  for every page, of at most %d; %d in all, compressed\n", first, budget, all)
	if first > budget {
		return fmt.Errorf("what every page needs has %d bytes; expected at most %d", first, budget)
	}
	return nil
}
