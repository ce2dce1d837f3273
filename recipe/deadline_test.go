package recipe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/recipe"
)

// waiting makes a recipe of a question and what happens at its deadline.
func waiting(onTimeout string) string {
	return fmt.Sprintf(`
agents:
  late: {kind: expr, set: {late: "true"}}
  lost: {kind: expr, set: {lost: error.message contains 'deadline'}}
entry_point: ask
nodes:
  - {type: human, id: ask, prompt: "Well?", required_role: clerk, options: ["yes", "no"], timeout_seconds: 3600%s}
  - {type: agent, id: late, agent_ref: late}
  - {type: agent, id: lost, agent_ref: lost}
edges:
  - {source: ask, target: late, when: "ask == 'no'"}
  - {source: ask, target: lost, condition: on_failure}
`, onTimeout)
}

// TestH4_Deadlines checks the four outcomes of a deadline, and one after another.
func TestH4_Deadlines(t *testing.T) {
	for _, tc := range []struct {
		name, onTimeout string
		after           time.Duration // when it happens
		role            string        // who is asked just before
		want            string
		traced          string
	}{
		{"fail by default", "", time.Hour, "clerk", `{"lost": true}`, "expired"},
		{"fail", ", on_timeout: fail", time.Hour, "clerk", `{"lost": true}`, "expired"},
		{"answer", `, on_timeout: {answer: "no"}`, time.Hour, "clerk", `{"ask": "no", "late": true}`, "by the deadline's default: \"no\""},
		{"route", `, on_timeout: {route: late}`, time.Hour, "clerk", `{"late": true}`, "expired"},
		{"escalate and fail", `, on_timeout: {escalate: boss, timeout_seconds: 7200}`, 3 * time.Hour, "boss", `{"lost": true}`, "expired"},
		{
			"escalate and answer", `, on_timeout: {escalate: boss, timeout_seconds: 7200, on_timeout: {answer: "yes"}}`,
			3 * time.Hour, "boss", `{"ask": "yes"}`, "by the deadline's default",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := recipe.Parse([]byte(waiting(tc.onTimeout)), "x", recipe.Options{})
				if err != nil {
					t.Fatal(err)
				}
				rt, err := fermata.New(fermata.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := rt.Close(); err != nil {
						t.Error(err)
					}
				}()
				ctx := context.Background()
				run, err := rt.Start(ctx, r.Plan(), map[string]any{})
				if err != nil {
					t.Fatal(err)
				}
				res, err := run.Wait(ctx)
				if err != nil || res.Status != fermata.Paused {
					t.Fatalf("status %s, %v, %v", res.Status, res.Err, err)
				}
				time.Sleep(tc.after - time.Minute)
				synctest.Wait()
				res, err = run.Wait(ctx)
				if err != nil || res.Status != fermata.Paused || res.Interrupts[0].Role != tc.role {
					t.Fatalf("a minute before: %s, asked is %v, %v", res.Status, res.Interrupts, err)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if res, err = run.Wait(ctx); err != nil {
					t.Fatal(err)
				}
				want(t, res, tc.want)
				asked := trace(t, rt, run.ID()).Steps[0]
				if asked.Type != "interaction" && asked.Type != "error" || !strings.Contains(asked.Observation, tc.traced) || asked.Duration < 3600e3 {
					t.Errorf("the trace says %+v", asked)
				}
			})
		})
	}
}
