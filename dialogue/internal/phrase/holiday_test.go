package phrase_test

import (
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A holiday that no calendar has is none, and not the one that its weekday is.
func TestAnUnknownHolidayIsNoOther(t *testing.T) {
	loc := euros
	loc.Calendars = []string{"uk"}
	if v, ok := loc.Read(phrase.Slot{Kind: phrase.Holiday}, "Whit Monday", now); !ok || v.Value != nil || v.Reason == "" {
		t.Errorf("Whit Monday is %+v, want none", v)
	}
}
