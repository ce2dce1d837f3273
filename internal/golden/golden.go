package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Beside returns the name of a file with another extension. Beside("a/tabs.yaml", ".golden") is "a/tabs.golden".
func Beside(name, ext string) string { return strings.TrimSuffix(name, path.Ext(name)) + ext }

// File compares a text with a file or, with -update, writes the file.
func File(t testing.TB, file, got string) {
	t.Helper()
	want, err := os.ReadFile(file)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	case *update:
		write(t, file, []byte(got))
	case err != nil:
		t.Fatalf("%v; make it with go test -update", err)
	default:
		differ(t, file, 1, path.Base(file), string(want), got)
	}
}

// JSON compares a JSON text with a file, in which it is indented.
func JSON(t testing.TB, file string, got []byte) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	File(t, file, pretty.String()+"\n")
}

// write replaces a file whose text is another one.
func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if was, err := os.ReadFile(file); err == nil && bytes.Equal(was, data) {
		return
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// differ fails t where two texts differ. It names the first line that does: first is the line of the file where want begins.
func differ(t testing.TB, file string, first int, name, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	line := first
	for i := 0; i < min(len(want), len(got)) && want[i] == got[i]; i++ {
		if want[i] == '\n' {
			line++
		}
	}
	t.Errorf("%s:%d: %s differs (-want +got); if that is right, rewrite it with go test -update\n%s", file, line, name, cmp.Diff(want, got))
}
