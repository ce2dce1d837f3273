package form

import "testing"

// A form never gets lower while it is shown: the renderer would draw over the wrong rows.
func TestFramesNeverGetLower(t *testing.T) {
	var p page
	for _, c := range []struct{ frame, want string }{{"a", "a"}, {"a\nb\nc", "a\nb\nc"}, {"a", "a\n\n"}, {"", "\n\n"}, {"a\nb\nc\nd", "a\nb\nc\nd"}} {
		if got := p.filled(c.frame); got != c.want {
			t.Errorf("frame %q: shown %q, expected %q", c.frame, got, c.want)
		}
	}
	if p.height != 4 {
		t.Errorf("the height is %d, expected 4", p.height)
	}
}
