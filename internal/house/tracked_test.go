package house

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// trackedFiles lists the files of the repository at root: slash-separated, sorted, each a regular file that exists.
//
// In a git work tree these are the files that git tracks, with the content they have on disk. Without git, as in an
// unpacked archive, they are all files but those that are built and those that the commands of the README write.
func trackedFiles(root string) (files []string, byGit bool, err error) {
	files, byGit = gitFiles(root)
	if !byGit {
		if files, err = unpackedFiles(root); err != nil {
			return nil, false, err
		}
	}
	files = slices.DeleteFunc(files, func(name string) bool {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
		return err != nil || !info.Mode().IsRegular()
	})
	slices.Sort(files)
	return files, byGit, nil
}

// gitFiles asks git. ok is false if root is not the top of a work tree, or there is no git.
func gitFiles(root string) (files []string, ok bool) {
	above, err := git(root, "rev-parse", "--show-cdup") // empty at the top of a work tree
	if err != nil || strings.TrimSpace(above) != "" {
		return nil, false
	}
	list, err := git(root, "ls-files", "-z", "--cached")
	if err != nil || list == "" {
		return nil, false
	}
	return slices.Compact(strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")), true
}

// git runs git in a folder, without the variables that a hook sets for its own repository.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	out, err := cmd.Output()
	return string(out), err
}

// unpackedFiles walks the tree.
func unpackedFiles(root string) ([]string, error) {
	page, err := textOf(root, "README.md")
	if err != nil {
		return nil, err
	}
	ignore, err := textOf(root, ".gitignore")
	if err != nil {
		return nil, err
	}
	made, patterns := madeByThePage(page), strings.Fields(ignore)
	var files []string
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		without := rel == ".git" || made[rel] || slices.ContainsFunc(patterns, func(p string) bool { return ignores(p, rel, d.IsDir()) })
		switch {
		case without && d.IsDir():
			return fs.SkipDir
		case !without && d.Type().IsRegular():
			files = append(files, rel)
		}
		return nil
	})
	return files, err
}

// textOf reads a file at the root; one that is not there is empty.
func textOf(root, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// ignores reports whether a pattern of .gitignore matches, in the forms that the file of this repository has: "/x" is at
// the root, "x/" a folder, "**/x/y" anywhere, and anything else the name of a file or folder.
func ignores(pattern, name string, folder bool) bool {
	pattern, foldersOnly := strings.CutSuffix(pattern, "/")
	if foldersOnly && !folder {
		return false
	}
	if atRoot, ok := strings.CutPrefix(pattern, "/"); ok {
		return atRoot == name
	}
	if anywhere, ok := strings.CutPrefix(pattern, "**/"); ok {
		return strings.HasSuffix("/"+name, "/"+anywhere)
	}
	matched, err := path.Match(pattern, path.Base(name))
	return err == nil && matched
}

// initialised matches a command of the README that writes a folder.
var initialised = regexp.MustCompile(`fermata init (\w+)`)

// madeByThePage are the files and folders at the root that somebody has who followed the README.
func madeByThePage(page string) map[string]bool {
	made := make(map[string]bool)
	for _, b := range blocks(page) {
		if m := named.FindStringSubmatch(b.text); m != nil && (b.kind == "go" || b.kind == "yaml") {
			top, _, _ := strings.Cut(m[1], "/")
			made[top] = true
		}
		if b.kind == "sh" {
			for _, m := range initialised.FindAllStringSubmatch(b.text, -1) {
				made[m[1]] = true
			}
		}
	}
	return made
}

// What git tracks is listed with its content on disk; without git the rest of a README that was followed is left out.
func TestTheTreeIsWhatIsTracked(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	list := func(byGit bool) []string {
		t.Helper()
		files, git, err := trackedFiles(root)
		if err != nil || git != byGit {
			t.Fatalf("by git: %v, expected %v; %v", git, byGit, err)
		}
		return files
	}
	put("README.md", "```sh\ngo run ./cmd/fermata init approval\n```\n\n```yaml\n# refund.yaml\n```\n\n```go\n// refund/main.go\n```\n")
	put(".gitignore", "/bin/\n/dist/\n/outbox.txt\n*.db\n**/testdata/rapid/\n")
	put("a/b.go", "package a\n")
	put("a/bin/x", "")
	put("gone.go", "package gone\n")
	want := []string{".gitignore", "README.md", "a/b.go", "a/bin/x", "gone.go"}
	if got := list(false); !slices.Equal(got, want) {
		t.Errorf("an archive: got %q, want %q", got, want)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}} {
		if out, err := git(root, args...); err != nil {
			t.Skipf("git: %v %s", err, out)
		}
	}
	for _, name := range []string{"approval/recipe.yaml", "refund.yaml", "refund/main.go", "refunds.db", "bin/fermata", "dist/notes.md", "outbox.txt", "a/testdata/rapid/x"} {
		put(name, "")
	}
	put("a/b.go", "package a // changed\n")
	if err := os.Remove(filepath.Join(root, "gone.go")); err != nil {
		t.Fatal(err)
	}
	want = []string{".gitignore", "README.md", "a/b.go", "a/bin/x"}
	if got := list(true); !slices.Equal(got, want) {
		t.Errorf("a work tree: got %q, want %q", got, want)
	}
	if err := os.RemoveAll(filepath.Join(root, ".git")); err != nil {
		t.Fatal(err)
	}
	if got := list(false); !slices.Equal(got, want) {
		t.Errorf("an archive whose README was followed: got %q, want %q", got, want)
	}
}

// untrackedCode is a hint for a copy that does not build: Go files that git does not track yet.
func untrackedCode(root string) string {
	list, err := git(root, "ls-files", "-z", "--others", "--exclude-standard", "*.go")
	if err != nil || list == "" {
		return ""
	}
	return "git does not track these, so the copy is without them: " + strings.ReplaceAll(strings.TrimSuffix(list, "\x00"), "\x00", " ")
}
