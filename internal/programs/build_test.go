package programs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/programs"
)

// A program is built anew when its code has changed, and an error has what the compiler says.
func TestBuild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program's name ends in .exe")
	}
	module := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/speaks\n\ngo 1.25\n")
	t.Chdir(module)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	for _, word := range []string{"once", "again"} {
		write("main.go", "package main\n\nfunc main() { println(\""+word+"\") }\n")
		dir := t.TempDir()
		if err := programs.Build(t.Context(), dir, "."); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), filepath.Join(dir, "speaks")).CombinedOutput()
		if err != nil || string(said) != word+"\n" {
			t.Errorf("%q, %v; expected %q", said, err, word)
		}
	}
	write("main.go", "package main\n\nfunc main() { sing() }\n")
	if err := programs.Build(t.Context(), t.TempDir(), "."); err == nil || !strings.Contains(err.Error(), "undefined: sing") {
		t.Errorf("got %v", err)
	}
}
