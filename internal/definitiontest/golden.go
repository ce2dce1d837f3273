package definitiontest

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares a text with a file or, with update, writes the file.
func Golden(t testing.TB, file, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test -update rewrites it\n%s", file, diff)
	}
}
