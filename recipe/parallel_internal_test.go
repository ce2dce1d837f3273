package recipe

import "testing"

// TestExcludes pins which conditions are seen to exclude each other. No is always right.
func TestExcludes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"x > 1", "x <= 1", true},
		{"x  ==  1", "x != 1", true},
		{"risk == 'high'", `risk == "low"`, true},
		{"risk == 'high'", `risk != "high"`, true},
		{"risk == 'high'", `risk == "high"`, false},
		{"ok", "not ok", true},
		{"!ok", "ok", true},
		{"a and b", "not (a and b)", true},
		{"a and b", "not a and b", false},
		{"a", "not a or b", false},
		{"x > 1", "x < 2", false},
		{"x == 1", "x == 1.0", false},
		{"x == 1", "y != 1", false},
		{"x > 1", "x > 2", false},
		{"", "x > 2", false},
	} {
		if got := excludes(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: got %t", c.a, c.b, got)
		}
		if got := excludes(c.b, c.a); got != c.want {
			t.Errorf("%q and %q: got %t", c.b, c.a, got)
		}
	}
}
