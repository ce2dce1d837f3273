package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/server"
)

// A run is moved over HTTP alone: it is taken in as it was exported, and goes on there.
func TestJ6_AnExportedRunIsTakenIn(t *testing.T) {
	from, to := newWorld(t, api.Options{}), newWorld(t, api.Options{})
	run, question := from.paused(t)
	file := from.request(t, "GET", "/api/runs/"+run+"/export", "").body + "\n"
	lines := []string{"Content-Type", "application/x-ndjson"}
	r := to.request(t, "POST", "/api/runs/import", file, lines...)
	if r.started(t, 201) != run || r.header.Get("Location") != "/api/runs/"+run {
		t.Errorf("%d %s %v", r.status, r.body, r.header)
	}
	if diff := cmp.Diff(file, to.request(t, "GET", "/api/runs/"+run+"/export", "").body+"\n"); diff != "" {
		t.Errorf("(-exported +imported):\n%s", diff)
	}
	to.request(t, "POST", "/api/runs/import", file, lines...).refuses(t, 409, run)
	again := to.request(t, "POST", "/api/runs/import?id=run_again", file, lines...).started(t, 201)
	to.request(t, "POST", "/api/interrupts/"+question+"/answer", `{"value":true}`)
	to.stands(t, again, fermata.Paused)
	for what, tt := range map[string]struct {
		body, kind string
		status     int
		want       string
	}{
		"a form":     {file, "application/x-www-form-urlencoded", 415, "application/x-ndjson"},
		"no kind":    {file, "", 415, "application/x-ndjson"},
		"nothing":    {"", lines[1], 422, ""},
		"no export":  {"{}\n", lines[1], 422, ""},
		"cut off":    {file[:len(file)/2], lines[1], 422, ""},
		"changed":    {strings.Replace(file, "asks", "axes", 1), lines[1], 422, ""},
		"very large": {file[:strings.Index(file, "\n")+1] + strings.Repeat(" ", 65<<20), lines[1], 413, "fermata runs import"},
	} {
		t.Run(what, func(t *testing.T) {
			to.request(t, "POST", "/api/runs/import?id=run_other", tt.body, "Content-Type", tt.kind).refuses(t, tt.status, tt.want)
		})
	}
}

// Who may bring code for some plans brings none for others.
func TestW5_ImportsKeepToTheScope(t *testing.T) {
	w := newWorld(t, api.Options{Server: server.Options{Authorize: inRole}})
	run, _ := w.paused(t, "X-Role", "admin")
	file := w.request(t, "GET", "/api/runs/"+run+"/export", "", "X-Role", "admin").body + "\n"
	w.request(t, "POST", "/api/runs/import?id=run_b", file, "X-Role", "admin:pay*", "Content-Type", "application/x-ndjson").refuses(t, 403, "not allowed")
	w.request(t, "POST", "/api/runs/import?id=run_b", file, "X-Role", "admin:as*", "Content-Type", "application/x-ndjson").started(t, 201)
}
