package recipe_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/recipe"
)

// Wherever the process dies, a letter that is sent back twice, whose reviewer lets the time pass so that somebody else is
// asked, is edited and sent as without a crash (laws H2, H4 and J1).
func TestH4_CrashesOfAReview(t *testing.T) {
	text := strings.Replace(letter, "reject: file}}",
		"reject: file}, required_role: clerk, timeout_seconds: 3600, on_timeout: {escalate: boss, timeout_seconds: 60, on_timeout: {answer: approve}}}", 1)
	r, err := recipe.Parse([]byte(text), "x", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	input := func() any {
		values, err := r.Input(map[string]any{"who": "Ada"})
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	for _, tc := range []struct {
		name string
		last any
		want string
	}{
		{"left to the deadlines", fermatatest.NoAnswer, `"sent":"Dear Ada (3)?"`},
		{"edited", said{"action": "edit", "value": "Hello"}, `"sent":"Hello"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answers := []any{said{"action": "send_back", "note": "!"}, said{"action": "send_back", "note": "?"}, tc.last}
			report := fermatatest.Crash(t, r.Plan(), input, fermatatest.Answers(map[string][]any{"check": answers}))
			if got := string(report.Result.Output); !strings.Contains(got, tc.want) {
				t.Errorf("the result is %s, expected %s in it", got, tc.want)
			}
			if report.Crashes == 0 {
				t.Error("nothing crashed")
			}
			t.Log("crashes:", report.Crashes)
		})
	}
}
