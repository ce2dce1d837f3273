package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// renamed is asks with another name of its node.
var renamed = graph.New[order]("asks").Node("approve", func(ctx node.Context, o order) (order, error) {
	paid, err := node.Interrupt[bool](ctx, fmt.Sprintf("Is the order of %d paid?", o.Amount))
	o.Paid, o.Buyer = paid, "by the new code"
	return o, err
}).Edge(graph.Start, "approve").MustCompile()

// outlook is what a dry run of a migration says.
func (w *world) outlook(t *testing.T, run, body string) fermata.Outlook {
	t.Helper()
	r := w.request(t, "POST", "/api/runs/"+run+"/migrate", body)
	var said struct {
		Run, Status, Definition string
		Outlook                 fermata.Outlook
	}
	if err := json.Unmarshal([]byte(r.body), &said); err != nil || r.status != 200 || said.Run != run || said.Definition != "asks" {
		t.Fatalf("%s: %d %s (%v)", body, r.status, r.body, err)
	}
	return said.Outlook
}

// A dry run says what the migration comes to, and stores nothing; the run then goes on with the new code.
func TestJ8_ARunIsMigratedToWhatIsServedNow(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, _ := w.paused(t)
	if err := w.api.Replace([]api.Definition{{Plan: renamed.Plan()}}); err != nil {
		t.Fatal(err)
	}
	before := w.kinds(t, run)
	if o := w.outlook(t, run, `{"dryRun":true}`); o.CanGoOn() || !strings.Contains(o.Hint, "approve") {
		t.Errorf("without the new name: %+v", o)
	}
	if o := w.outlook(t, run, `{"nodes":{"ask":"approve"},"dryRun":true}`); !o.CanGoOn() {
		t.Errorf("with the new name: %+v", o)
	}
	w.request(t, "POST", "/api/runs/"+run+"/migrate", `{}`).refuses(t, 409, "approve")
	w.request(t, "POST", "/api/runs/"+run+"/migrate", `{"nodes":{"ask":"aprove"}}`).refuses(t, 422, `did you mean "approve"`)
	if diff := cmp.Diff(before, w.kinds(t, run)); diff != "" {
		t.Errorf("what is refused, or a dry run, stores something (-before +after):\n%s", diff)
	}
	if r := w.request(t, "POST", "/api/runs/"+run+"/migrate", `{"nodes":{"ask":"approve"}}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := w.request(t, "POST", "/api/interrupts/"+w.questionOf(t, run)+"/answer", `{"value":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Completed)
	r := w.request(t, "GET", "/api/runs/"+run+"/state", "")
	if !strings.Contains(r.body, "by the new code") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// What a run cannot be migrated to is said.
func TestMigrationsThatAreRefused(t *testing.T) {
	w := newWorld(t, api.Options{Server: server.Options{Authorize: inRole}, Definitions: []api.Definition{{Plan: secret.Plan()}}})
	run, _ := w.paused(t, "X-Role", "admin")
	path := "/api/runs/" + run + "/migrate"
	w.request(t, "POST", path, `{"definition":"askz"}`, "X-Role", "operator").refuses(t, 404, `did you mean "asks"`)
	w.request(t, "POST", path, `{"definition":"payroll"}`, "X-Role", "operator:asks").refuses(t, 404, `no definition "payroll"`)
	w.request(t, "POST", path, `{"nodez":{}}`, "X-Role", "operator").refuses(t, 400, "nodes")
	w.request(t, "POST", path, `{"deadline":"soon"}`, "X-Role", "operator").refuses(t, 400, "2h")
	w.request(t, "POST", "/api/runs/run_never/migrate", `{}`, "X-Role", "operator").refuses(t, 404, "run_never")
	if err := w.api.Replace([]api.Definition{{Plan: secret.Plan()}}); err != nil {
		t.Fatal(err)
	}
	w.request(t, "POST", path, `{}`, "X-Role", "operator").refuses(t, 409, `"asks"`)
}
