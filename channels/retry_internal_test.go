package channels

import (
	"testing"
	"time"
)

// TestPauses grow up to a bound, and are as long as the provider wishes, up to an hour.
func TestPauses(t *testing.T) {
	d := &Driver{o: Options{Backoff: time.Second, MaxBackoff: time.Minute}}
	for _, c := range []struct {
		tries       int
		wish        time.Duration
		least, most time.Duration
	}{
		{1, 0, time.Second / 2, time.Second},
		{3, 0, 2 * time.Second, 4 * time.Second},
		{7, 0, 30 * time.Second, time.Minute},
		{1000, 0, 30 * time.Second, time.Minute},
		{1, 10 * time.Second, 10 * time.Second, 10 * time.Second},
		{1, 100 * time.Hour, time.Hour, time.Hour},
	} {
		for range 100 {
			if got := d.backoff(c.tries, c.wish); got < c.least || got > c.most {
				t.Fatalf("try %d, wish %s: %s, expected %s to %s", c.tries, c.wish, got, c.least, c.most)
			}
		}
	}
}
