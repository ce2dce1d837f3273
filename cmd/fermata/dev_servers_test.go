package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/server"
)

// TestDev_OnServers writes a recipe while a run of it waits, with the runs on PostgreSQL and on Redis. Another process
// takes the answer over HTTP; the run goes on with the version that it began with, and the next one with the new one.
func TestDev_OnServers(t *testing.T) {
	for _, kind := range testserver.Kinds() {
		t.Run(kind, func(t *testing.T) {
			dsn := testserver.Address(t, kind)
			t.Chdir(t.TempDir())
			saved(t, "recipe.yaml", devRecipe)
			b := goOn(t, "dev", ".", "--store", dsn, "--run", "--no-input", "--quiet")
			question, run := regexp.MustCompile(`int_[0-9a-f-]+`), regexp.MustCompile(`run_[0-9a-f-]+`)
			began := b.waits(&b.err, hintEnds)
			first, firstAsks := run.FindString(began), question.FindString(began)
			b.out.Take()
			saved(t, "recipe.yaml", strings.ReplaceAll(devRecipe, "first ", "second "))
			began = b.waits(&b.err, hintEnds)
			second, secondAsks := run.FindString(began), question.FindString(began)
			b.waits(&b.out, "waits at review, earlier version\n")

			address := overHTTP(t, dsn)
			for _, id := range []string{firstAsks, secondAsks} {
				resp, err := http.Post(address+"/interrupts/"+id+"/answer", "application/json", strings.NewReader(`{"value":"approve","by":"ada"}`))
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("answering %s: status %s", id, resp.Status)
				}
				b.waits(&b.out, "completed\n")
			}
			for id, want := range map[string]string{first: `{"decision":"first approve"}`, second: `{"decision":"second approve"}`} {
				var shown struct {
					Outputs json.RawMessage `json:"outputs"`
				}
				if err := json.Unmarshal([]byte(beside(t, "runs", "show", id, "--json", "--store", dsn)), &shown); err != nil {
					t.Fatal(err)
				}
				if string(shown.Outputs) != want {
					t.Errorf("run %s gave %s, expected %s", id, shown.Outputs, want)
				}
			}
			b.ends(exitCompleted)
		})
	}
}

// overHTTP is another process on the same store, which knows no recipes: it takes answers over HTTP.
func overHTTP(t *testing.T, dsn string) (address string) {
	t.Helper()
	m, _, _ := command(t)
	m.global.store = dsn
	h, err := m.open(t.Context(), fermata.Options{Name: "desk"})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(h.Runtime, server.Options{}))
	t.Cleanup(func() {
		s.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.URL
}
