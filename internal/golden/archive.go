package golden

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// Archives are txtar archives whose files are found by their names, whichever archive they are in.
type Archives struct {
	patterns []string
	list     []*archive
}

// archive is one archive of testdata, as it is on disk.
type archive struct {
	path     string // as tests name it
	absolute string
	content  *txtar.Archive
}

// opened holds every archive that tests have opened, by its absolute path. Tests of one process share it, so that none
// writes an archive back without what another one has put into it.
var opened = struct {
	sync.Mutex
	byPath map[string]*archive
}{byPath: make(map[string]*archive)}

// Open reads the archives whose paths fit the patterns of [filepath.Glob]. Each has to begin with what its topic is.
func Open(t testing.TB, patterns ...string) *Archives {
	t.Helper()
	opened.Lock()
	defer opened.Unlock()
	a := &Archives{patterns: patterns}
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			a.list = append(a.list, read(t, file))
		}
	}
	if len(a.list) == 0 {
		t.Fatalf("no archive fits %q", patterns)
	}
	return a
}

// read reads an archive, unless a test has opened it already.
func read(t testing.TB, file string) *archive {
	t.Helper()
	absolute, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	if known := opened.byPath[absolute]; known != nil {
		return known
	}
	content, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(content.Comment)) == 0 {
		t.Fatalf("%s:1: say what the topic of the archive is", file)
	}
	one := &archive{path: filepath.ToSlash(file), absolute: absolute, content: content}
	opened.byPath[absolute] = one
	return one
}

// All yields each file with its text, in order. A name may come twice.
func (a *Archives) All(yield func(name, text string) bool) {
	for _, one := range a.list {
		for _, f := range one.content.Files {
			if !yield(f.Name, string(f.Data)) {
				return
			}
		}
	}
}

// Names returns the names that fit one of the patterns of [path.Match], in order.
func (a *Archives) Names(patterns ...string) []string {
	var names []string
	for name := range a.All {
		for _, pattern := range patterns {
			if fits, err := path.Match(pattern, name); fits && err == nil {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// Has reports whether there is a file of that name.
func (a *Archives) Has(name string) bool {
	for has := range a.All {
		if has == name {
			return true
		}
	}
	return false
}

// Text returns the text of a file.
func (a *Archives) Text(t testing.TB, name string) string {
	t.Helper()
	one, i := a.find(t, name)
	return string(one.content.Files[i].Data)
}

// Place returns where a file's text begins: "testdata/errors/yaml.txtar:12".
func (a *Archives) Place(t testing.TB, name string) (file string, line int) {
	t.Helper()
	one, i := a.find(t, name)
	line = 2 + bytes.Count(one.content.Comment, []byte("\n"))
	for _, f := range one.content.Files[:i] {
		line += 1 + bytes.Count(f.Data, []byte("\n"))
	}
	return one.path, line
}

// find returns the archive that holds a file, and which of its files it is. A name that is missing or not unique fails t.
func (a *Archives) find(t testing.TB, name string) (*archive, int) {
	t.Helper()
	var in *archive
	var at int
	for _, one := range a.list {
		for i, f := range one.content.Files {
			if f.Name != name {
				continue
			}
			if in != nil {
				t.Fatalf("two files are called %q: in %s and in %s", name, in.path, one.path)
			}
			in, at = one, i
		}
	}
	if in == nil {
		t.Fatalf("no archive of %q holds %q: add an empty section with that name to the archive of its topic, then go test -update", a.patterns, name)
	}
	return in, at
}

// Compare compares a text with a file of an archive or, with -update, puts it in its place. The text is empty or ends with
// a newline, as files in archives do.
func (a *Archives) Compare(t testing.TB, name, got string) {
	t.Helper()
	one, i := a.find(t, name)
	switch {
	case got != "" && !strings.HasSuffix(got, "\n"):
		t.Fatalf("%s: the text ends without a newline, and a file in an archive cannot", name)
	case len(txtar.Parse([]byte(got)).Files) > 0:
		t.Fatalf("%s: the text holds a line that begins a file in an archive", name)
	case *update:
		opened.Lock()
		defer opened.Unlock()
		one.content.Files[i].Data = []byte(got)
		write(t, one.absolute, txtar.Format(one.content))
	default:
		file, line := a.Place(t, name)
		differ(t, file, line, name, string(one.content.Files[i].Data), got)
	}
}

// Extract writes the files into a folder of the test's own and returns it.
func (a *Archives) Extract(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range a.All {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	return dir
}

// FillJSON writes a value as JSON into a file that is still empty, with -update. It leaves any other file as it is: what
// releases have stored is read for ever and never rewritten.
func (a *Archives) FillJSON(t testing.TB, name string, v any) {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	a.fill(t, name, string(text)+"\n")
}

// FillBytes does what [Archives.FillJSON] does, for bytes that an archive holds in hexadecimal.
func (a *Archives) FillBytes(t testing.TB, name string, data []byte) {
	t.Helper()
	var text strings.Builder
	for line := range slices.Chunk(data, 32) {
		text.WriteString(hex.EncodeToString(line) + "\n")
	}
	a.fill(t, name, text.String())
}

func (a *Archives) fill(t testing.TB, name, text string) {
	t.Helper()
	if a.Text(t, name) == "" && *update {
		a.Compare(t, name, text)
	}
}

// Bytes returns the bytes of a file that holds them in hexadecimal.
func (a *Archives) Bytes(t testing.TB, name string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(a.Text(t, name), "\n", ""))
	if err != nil {
		file, line := a.Place(t, name)
		t.Fatalf("%s:%d: %s: %v", file, line, name, err)
	}
	return data
}
