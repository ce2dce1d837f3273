package nearest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fermata-go/fermata/internal/nearest"
)

func TestName(t *testing.T) {
	names := []string{"review", "close", "classify", "send", "description", "id", "max_steps", "größe"}
	tests := []struct{ found, want string }{
		{"reveiw", "review"},       // swapped
		{"reviw", "review"},        // left out
		{"revieww", "review"},      // added
		{"clase", "close"},         // changed
		{"Review", "review"},       // case only
		{"ID", "id"},               // case only, however short
		{"is", ""},                 // a short name is not a slip for another
		{"desc", "description"},    // shortened
		{"sender", "send"},         // lengthened
		{"classified", "classify"}, // three edits in ten letters
		{"maxsteps", "max_steps"},
		{"grösse", "größe"}, // two edits in six letters, counted in runes
		{"pay", ""},
		{"", ""},
		{"review", ""}, // the name itself is no hint
	}
	for _, tt := range tests {
		if got := nearest.Name(tt.found, names); got != tt.want {
			t.Errorf("Name(%q) = %q, want %q", tt.found, got, tt.want)
		}
	}
}

func TestName_orderDoesNotMatter(t *testing.T) {
	names := []string{"bat", "cat", "rat"}
	for range 2 {
		if got := nearest.Name("hat", names); got != "bat" {
			t.Errorf("Name among %v = %q, want bat", names, got)
		}
		slices.Reverse(names)
	}
}

func TestHint(t *testing.T) {
	if got, want := nearest.Hint("reveiw", []string{"review"}), `; did you mean "review"?`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := nearest.Hint("pay", []string{"review"}); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func FuzzName(f *testing.F) {
	f.Add("reveiw", "review", "close")
	f.Add("\xff", "", "ÿ")
	f.Fuzz(func(t *testing.T, found, a, b string) {
		got := nearest.Name(found, []string{a, b})
		if got != "" && got != a && got != b {
			t.Fatalf("%q is not a candidate", got)
		}
		if got != nearest.Name(found, []string{b, a}) {
			t.Fatalf("the order of %q and %q matters", a, b)
		}
	})
}

func ExampleHint() {
	fmt.Printf("no node %q%s\n", "reveiw", nearest.Hint("reveiw", []string{"close", "review"}))
	// Output: no node "reveiw"; did you mean "review"?
}
