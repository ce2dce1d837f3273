package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recorder keeps the errors of a test instead of reporting them.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// errorsOf returns what a test reports, up to its first fatal error.
func errorsOf(t *testing.T, f func(testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.errors
}

// setUpdate sets the flag for one test.
func setUpdate(t *testing.T, to bool) {
	t.Helper()
	was := *update
	*update = to
	t.Cleanup(func() { *update = was })
}

const letters = `Letters: what stands
in each.
-- b.in --
one
-- b.golden --
1
2
3
-- empty --
-- a.in --
two
`

// put writes an archive into a folder of the test's own.
func put(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "letters.txtar")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func read1(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestArchivesAreReadInOrder(t *testing.T) {
	a := Open(t, put(t, letters))
	if got, want := a.Names("*.in", "b.*"), []string{"b.in", "b.golden", "a.in"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got := a.Text(t, "a.in"); got != "two\n" || !a.Has("empty") || a.Has("none") {
		t.Errorf("a.in is %q; empty: %t, none: %t", got, a.Has("empty"), a.Has("none"))
	}
	if got := read1(t, filepath.Join(a.Extract(t), "b.golden")); got != "1\n2\n3\n" {
		t.Errorf("extracted: %q", got)
	}
	if got := Beside("one/a.in", ".golden"); got != "one/a.golden" {
		t.Errorf("beside a.in: %q", got)
	}
}

// A difference is reported with the name of the case and the line of the archive where it begins.
func TestADifferenceHasAPlace(t *testing.T) {
	setUpdate(t, false)
	file := put(t, letters)
	a := Open(t, file)
	got := errorsOf(t, func(t testing.TB) {
		a.Compare(t, "b.golden", "1\n2\n3\n")
		a.Compare(t, "b.golden", "1\n2\nthree\n")
		a.Compare(t, "empty", "now\n")
	})
	if len(got) != 2 || !strings.HasPrefix(got[0], filepath.ToSlash(file)+":8: b.golden differs") || !strings.Contains(got[0], "three") ||
		!strings.HasPrefix(got[1], filepath.ToSlash(file)+":10: empty differs") {
		t.Errorf("found %q", got)
	}
	if text := read1(t, file); text != letters {
		t.Errorf("the archive was rewritten: %s", text)
	}
}

// An update changes the text of one case, and keeps order and comment.
func TestAnUpdateKeepsOrderAndComment(t *testing.T) {
	setUpdate(t, true)
	file := put(t, letters)
	Open(t, file).Compare(t, "b.golden", "eins\n")
	Open(t, file).Compare(t, "empty", "now\n") // another test of the same process
	want := strings.Replace(strings.Replace(letters, "1\n2\n3\n", "eins\n", 1), "-- empty --\n", "-- empty --\nnow\n", 1)
	if got := read1(t, file); got != want {
		t.Errorf("found:\n%s\nwant:\n%s", got, want)
	}
	alone := filepath.Join(t.TempDir(), "new", "a.golden")
	File(t, alone, "one")
	if got := read1(t, alone); got != "one" {
		t.Errorf("a file of its own holds %q", got)
	}
	setUpdate(t, false)
	if got := errorsOf(t, func(t testing.TB) { File(t, alone, "one"); File(t, alone, "two") }); len(got) != 1 || !strings.Contains(got[0], ":1: a.golden differs") {
		t.Errorf("a file of its own: %q", got)
	}
}

// Bytes are held in hexadecimal. They are written once and never again.
func TestStoredBytesAreNeverRewritten(t *testing.T) {
	setUpdate(t, true)
	file := put(t, letters)
	a := Open(t, file)
	data := []byte(strings.Repeat("\x00\xff\n-", 20))
	for _, one := range [][]byte{data, []byte("another")} {
		a.FillBytes(t, "empty", one)
		a.FillJSON(t, "a.in", 7)
	}
	setUpdate(t, false)
	a.FillBytes(t, "empty", nil)
	if got := a.Bytes(t, "empty"); string(got) != string(data) || a.Text(t, "a.in") != "two\n" {
		t.Errorf("found %q and %q", got, a.Text(t, "a.in"))
	}
}

// A mistake in the use of archives stops the test and explains what to do.
func TestMistakes(t *testing.T) {
	a := Open(t, put(t, letters), put(t, strings.ReplaceAll(letters, ".in", ".other")))
	for want, f := range map[string]func(testing.TB){
		"no archive fits":                 func(t testing.TB) { Open(t, "testdata/*.none") },
		"say what the topic":              func(t testing.TB) { Open(t, put(t.(*recorder).TB.(*testing.T), "\n-- a --\n")) },
		"add an empty section":            func(t testing.TB) { a.Compare(t, "none", "") },
		"two files are called":            func(t testing.TB) { a.Text(t, "b.golden") },
		"ends without a newline":          func(t testing.TB) { a.Compare(t, "a.in", "x") },
		"begins a file":                   func(t testing.TB) { a.Compare(t, "a.in", "x\n-- y --\n") },
		"a.in: encoding/hex: invalid byt": func(t testing.TB) { a.Bytes(t, "a.in") },
		"make it with go test -update":    func(t testing.TB) { File(t, filepath.Join(t.TempDir(), "none"), "") },
	} {
		if got := errorsOf(t, f); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q: found %q", want, got)
		}
	}
}
