package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
)

// Each script is a situation in which vet looks for its tool. The versions of Fermata there are made up, and so are their
// tools, which find something in every package: what is tried is which of them is built, and that the user's files stay.
func TestN1_VetTool(t *testing.T) {
	server, err := goproxytest.NewServer(filepath.Join("testdata", "vet", "modules"), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	fermata, err := exec.LookPath("fermata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "vet"), RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"GOCACHE": strings.TrimSpace(string(cache)), "GOMODCACHE": filepath.Join(env.WorkDir, ".modules"), "GOENV": "off",
				"GOFLAGS": "-modcacherw", "GOPROXY": server.URL, "PROXY": server.URL, "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOWORK": "",
				"XDG_STATE_HOME": filepath.Join(env.WorkDir, ".state"), "USER": "tester", "FERMATA": filepath.Dir(fermata),
			} {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "copied": copied, "replaced": replaced},
	})
}

// copied MODULE@VERSION FOLDER copies a module out of the module cache.
func copied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copied MODULE@VERSION FOLDER")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(filepath.Join(ts.Getenv("GOMODCACHE"), filepath.FromSlash(args[0])))))
}

// replaced FILE OLD NEW replaces text in a file that has it.
func replaced(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replaced FILE OLD NEW")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	if !strings.Contains(string(data), args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(string(data), args[1], args[2])), 0o600))
}
