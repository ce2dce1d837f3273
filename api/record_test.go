package api_test

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/server"
)

// Everything that a person does who has logged in is on record under their id, and nothing under the server's name or the one that
// the body says.
func TestW5_WhatIsDoneIsOnRecord(t *testing.T) {
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store, Name: "the server"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	w := &world{rt: rt}
	if w.api, err = api.New(rt, api.Options{
		Server:      server.Options{Authorize: inRole},
		Definitions: []api.Definition{{Plan: asks.Plan()}, {Plan: w.fails().Plan(), Name: "failing"}},
	}); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(w.api)
	t.Cleanup(w.http.Close)
	does := func(path, body string, header ...string) reply {
		t.Helper()
		r := w.request(t, "POST", path, body, append([]string{"X-Role", "admin"}, header...)...)
		if r.status >= 300 {
			t.Fatalf("POST %s %s: %d %s", path, body, r.status, r.body)
		}
		return r
	}
	run, question := w.paused(t, "X-Role", "admin")
	does("/api/runs/"+run+"/hold", `{"by":"Eve"}`)
	does("/api/runs/"+run+"/release", `{"by":"Eve"}`)
	does("/api/runs/bulk", `{"do":"hold","filter":{},"by":"Eve"}`)
	does("/api/runs/bulk", `{"do":"release","filter":{},"by":"Eve"}`)
	does("/api/runs/"+run+"/migrate", `{"by":"Eve"}`)
	does("/api/runs/"+run+"/fork", `{"by":"Eve"}`)
	file := w.request(t, "GET", "/api/runs/"+run+"/export", "", "X-Role", "admin").body + "\n"
	does("/api/runs/import?id=run_other", file, "Content-Type", "application/x-ndjson")
	does("/api/interrupts/"+question+"/claim", `{"by":"Eve"}`)
	does("/api/interrupts/"+question+"/answer", `{"value":true,"by":"Eve"}`)
	for _, ask := range []string{"retry", "bulk", "cancel"} {
		failed := does("/api/runs", `{"definition":"failing","input":{"amount":1},"by":"Eve"}`).started(t, 201)
		w.stands(t, failed, fermata.Failed)
		switch ask {
		case "retry":
			does("/api/runs/"+failed+"/retry", `{"by":"Eve"}`)
		case "bulk":
			does("/api/runs/bulk", `{"do":"retry","filter":{},"by":"Eve"}`)
		case "cancel":
			other, _ := w.paused(t, "X-Role", "admin")
			does("/api/runs/"+other+"/cancel", `{"by":"Eve"}`)
		}
	}
	kinds := make(map[journal.Kind]int)
	rows, err := store.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for e, err := range store.Read(t.Context(), row.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			var body struct{ By string }
			if json.Unmarshal(e.Body, &body) != nil || body.By == "" {
				continue
			}
			if kinds[e.Kind]++; body.By != "Ann" {
				t.Errorf("run %s, seq %d, %s: it is on record under %q", row.ID, e.Seq, e.Kind, body.By)
			}
		}
	}
	for _, kind := range []journal.Kind{journal.RunStarted, journal.RunResumed, journal.RunHeld, journal.RunReleased, journal.RunFinished, journal.InterruptResolved} {
		if kinds[kind] == 0 {
			t.Errorf("no %s says who did it", kind)
		}
	}
}
