package guide_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
)

// [guide: test node]

func TestReviewGrants(t *testing.T) {
	c := fermatatest.NewContext(t).Answer("grant", true)
	got, err := fermatatest.Run(c, review, Claim{Amount: 120})
	if err != nil || !got.Granted {
		t.Errorf("got %+v, %v", got, err)
	}
	if q := c.Questions()[0]; q.Role != "manager" {
		t.Errorf("it asks a %q", q.Role)
	}
	c.Replay() // on what is recorded, it does nothing again and ends the same way
}

// [guide: end]

// [guide: test crash]

func TestPayOnceSurvivesCrashes(t *testing.T) {
	bank := &bank{}
	report := fermatatest.Crash(t, payOnce().Plan(), func() any { return &Claim{Amount: 120} },
		fermatatest.Answers(map[string][]any{"settle": {"receipt for 120"}}),
		fermatatest.WithOptions(fermata.Options{Services: []any{bank}}),
		fermatatest.Effects(func() map[string]int { return map[string]int{"transfer": len(bank.keys)} }),
		fermatatest.OnlyOnce("transfer"))
	t.Logf("%d crashes around %d appends", report.Crashes, len(report.Appends))
}

// [guide: end]
