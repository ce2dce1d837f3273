package api_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/audit"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/server"
	"github.com/fermata-go/fermata/settings"
)

// TestW5_AnAuditHasWhatItsReaderMaySee has people do things with runs of two plans and with a token: each reader gets the acts in the plans that
// they may see, once each, and settings where they may see all plans.
func TestW5_AnAuditHasWhatItsReaderMaySee(t *testing.T) {
	store := memory.New()
	tokens := identity.NewTokens(settings.New(store, settings.Options{}), time.Now)
	all := create(t, tokens, identity.Token{Name: "root", Role: "admin"})
	some := create(t, tokens, identity.Token{Name: "scoped", Role: "admin", Plans: []string{"ask*"}})
	w := newWorld(t, api.Options{Journals: store, Definitions: []api.Definition{{Plan: secret.Plan()}}, Server: server.Options{Authorize: authorizes(tokens.Way())}})
	root := []string{"Authorization", "Bearer " + all}
	run, question := w.paused(t, root...)
	hidden := w.request(t, "POST", "/api/runs", `{"definition":"payroll","input":{"amount":1}}`, root...).started(t, 201)
	w.questionOf(t, hidden)
	w.request(t, "POST", "/api/interrupts/"+question+"/claim", `{"note":"mine"}`, "Authorization", "Bearer "+some)
	w.request(t, "POST", "/api/runs/"+hidden+"/cancel", `{"reason":"no"}`, root...)
	fork := w.request(t, "POST", "/api/runs/"+run+"/fork", `{}`, root...).started(t, 201)
	w.request(t, "POST", "/api/interrupts/"+question+"/answer", `{"value":true}`, "Authorization", "Bearer "+some)

	began := []audit.Act{{By: "root", Did: "created", What: "token", Name: "root"}, {By: "root", Did: "created", What: "token", Name: "scoped"}}
	own := []audit.Act{
		{By: "root", Did: "started", Run: run, Plan: "asks"},
		{By: "scoped", Did: "claimed", Run: run, Plan: "asks", Task: "ask", Request: question, Why: "mine"},
		{By: "root", Did: "forked", Run: fork, Plan: "asks", Of: run},
		{By: "scoped", Did: "answered", Run: run, Plan: "asks", Task: "ask", Request: question},
	}
	others := []audit.Act{
		{By: "root", Did: "started", Run: hidden, Plan: "payroll"},
		{By: "root", Did: "withdrawn", Run: hidden, Plan: "payroll", Task: "ask", Why: "no"},
		{By: "root", Did: "cancelled", Run: hidden, Plan: "payroll", Why: "no"},
	}
	for query, tt := range map[string]struct {
		token string
		want  []audit.Act
	}{
		"":                           {all, append(append(append([]audit.Act{}, began...), own...), others...)},
		"?x":                         {some, own},
		"?by=scoped":                 {all, []audit.Act{own[1], own[3]}},
		"?run=" + hidden:             {all, others},
		"?run=" + hidden + "&x":      {some, nil},
		"?to=2020-01-01T00:00:00Z":   {all, nil},
		"?from=2999-01-01T00:00:00Z": {all, nil},
	} {
		var got struct{ Acts []audit.Act }
		r := w.request(t, http.MethodGet, "/api/audit"+query, "", "Authorization", "Bearer "+tt.token)
		if err := json.Unmarshal([]byte(r.body), &got); err != nil || r.status != 200 {
			t.Fatalf("%q: %d %s (%v)", query, r.status, r.body, err)
		}
		ignore := []cmp.Option{cmpopts.IgnoreFields(audit.Act{}, "At", "Seq"), cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b audit.Act) bool {
			return a.Run+a.Did+a.Name < b.Run+b.Did+b.Name
		})}
		for i := range got.Acts {
			if got.Acts[i].Did == "withdrawn" {
				got.Acts[i].Request = ""
			}
		}
		if diff := cmp.Diff(tt.want, got.Acts, ignore...); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	w.request(t, "GET", "/api/audit?from=yesterday", "", root...).refuses(t, 400, `from="yesterday": expected a time`)
}
