package journal_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
)

func TestUsageAddsUp(t *testing.T) {
	a := journal.Usage{Calls: 1, Input: 2, Output: 3, Cached: 4, Reasoning: 5, Cost: 6, Unpriced: 7, Uncounted: 8}
	b := journal.Usage{Calls: 10, Input: 20, Output: 30, Cached: 40, Reasoning: 50, Cost: 60, Unpriced: 70, Uncounted: 80}
	want := journal.Usage{Calls: 11, Input: 22, Output: 33, Cached: 44, Reasoning: 55, Cost: 66, Unpriced: 77, Uncounted: 88}
	if diff := cmp.Diff(want, a.Add(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := want.Tokens(); got != 55 {
		t.Errorf("%d tokens", got)
	}
	most := journal.Usage{Input: math.MaxInt64, Output: 1}
	if got := most.Add(most); got.Input != math.MaxInt64 || got.Output != 2 || most.Tokens() != math.MaxInt64 {
		t.Errorf("sums that are too large: %+v, %d tokens", got, most.Tokens())
	}
}

func TestUsageIsSound(t *testing.T) {
	if !(journal.Usage{}).Sound() || !(journal.Usage{Calls: 1}).Sound() {
		t.Error("a sound usage is refused")
	}
	for name, u := range map[string]journal.Usage{
		"calls": {Calls: -1}, "in": {Input: -1}, "out": {Output: -1}, "cached": {Cached: -1}, "reasoning": {Reasoning: -1},
		"cost": {Cost: -1}, "unpriced": {Unpriced: -1}, "uncounted": {Uncounted: -1},
	} {
		if u.Sound() {
			t.Errorf("%s below zero is sound", name)
		}
	}
}

func TestDollars(t *testing.T) {
	for micros, want := range map[int64]string{
		0: "$0.00", 250_000: "$0.25", 31: "$0.000031", 1_000_000: "$1.00", 12_345_600: "$12.3456", 10_000: "$0.01", -1_500_000: "-$1.50",
	} {
		if got := journal.Dollars(micros); got != want {
			t.Errorf("%d is %s, want %s", micros, got, want)
		}
	}
}

// Steps without a usage are stored as they were before there was one.
func TestJ9_StepsWithoutAUsageAreAsTheyWere(t *testing.T) {
	data, err := json.Marshal(journal.StepBody{Error: "no"})
	if err != nil || string(data) != `{"error":"no"}` {
		t.Errorf("%s, %v", data, err)
	}
	var body journal.StepBody
	if err := json.Unmarshal([]byte(`{"error":"no"}`), &body); err != nil || body != (journal.StepBody{Error: "no"}) {
		t.Errorf("%+v, %v", body, err)
	}
}
