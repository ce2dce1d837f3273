package house

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// overlay lets the README's commands compile without compiling the module a second time. The go command caches what it
// compiles by the folder of the code, so in a copy it finds nothing. A script named go stands before it in the PATH: it
// runs the real go in the tree itself, with an overlay that shows what the copy has, and then the program in the copy.
// With FERMATA_EXPLORE set, as in make readme, there is no script, and the copy is compiled.
type overlay struct {
	root, file string
	shown      map[string]string // a file of the tree: the one that is compiled in its place, "" for none
}

func newOverlay(t *testing.T, root string, s *shell) *overlay {
	t.Helper()
	o := &overlay{root: root, file: filepath.Join(t.TempDir(), "overlay.json"), shown: map[string]string{}}
	files, _, err := trackedFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") { // as in the copy
			o.shown[filepath.Join(root, filepath.FromSlash(name))] = ""
		}
	}
	o.save(t)
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	quote := func(v string) string { return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'" }
	script := fmt.Sprintf("#!/bin/sh\nreal=%s root=%s copy=%s overlay=%s\n", quote(program), quote(root), quote(dir), quote(o.file)) + standIn
	if err := os.WriteFile(filepath.Join(s.bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return o
}

// standIn runs the program of go run where the caller is, and its exit code becomes that of go run. What go run links is
// cached, and each program is called several times.
const standIn = `
here="$(pwd -P)"
case "$here" in "$copy"*) there="$root${here#"$copy"}" ;; *) exec "$real" "$@" ;; esac
export GOFLAGS="$GOFLAGS -buildvcs=false -overlay=$overlay"
case "$1" in
run)
  package="$2"
  shift 2
  programs="$(mktemp -d)"
  trap 'rm -rf "$programs"' EXIT
  "$real" run -C "$there" -exec cp "$package" "$programs" || exit
  "$programs/$(basename "$package")" "$@"
  ;;
install | vet)
  command="$1"
  shift
  "$real" "$command" -C "$there" "$@"
  ;;
*) exec "$real" "$@" ;;
esac
`

// replace compiles a file of the copy in place of the tree's own of that name, which need not exist.
func (o *overlay) replace(t *testing.T, name, file string) {
	t.Helper()
	o.shown[filepath.Join(o.root, filepath.FromSlash(name))] = file
	o.save(t)
}

func (o *overlay) save(t *testing.T) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"Replace": o.shown})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
