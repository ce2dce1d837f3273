package fermatatest_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
)

func TestClock(t *testing.T) {
	var c fermatatest.Clock
	var heard []string
	say := func(name string) func() {
		return func() { heard = append(heard, name+" at "+c.Now().Format("15:04")) }
	}
	c.AfterFunc(2*time.Hour, say("second"))
	c.AfterFunc(time.Hour, say("first"))
	c.AfterFunc(2*time.Hour, say("third"))
	stop := c.AfterFunc(90*time.Minute, say("never"))
	c.AfterFunc(3*time.Hour, func() {
		say("fourth")()
		c.AfterFunc(time.Hour, say("fifth"))
	})
	late := c.AfterFunc(9*time.Hour, say("late"))
	stopped := []bool{stop(), stop()}
	next, ok := c.Next()
	c.Advance(30 * time.Minute)
	before := len(heard)
	c.Advance(4 * time.Hour)
	c.AdvanceTo(fermatatest.Epoch) // a clock does not go back
	now := c.Now()
	c.Advance(10 * time.Hour)
	_, more := c.Next()
	got := []any{stopped, next, ok, before, heard, now, late(), more}
	want := []any{
		[]bool{true, false},
		fermatatest.Epoch.Add(time.Hour), true, 0,
		[]string{"first at 01:00", "second at 02:00", "third at 02:00", "fourth at 03:00", "fifth at 04:00", "late at 09:00"},
		fermatatest.Epoch.Add(4*time.Hour + 30*time.Minute), false, false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClockWithoutAWait(t *testing.T) {
	start := time.Date(2030, time.May, 1, 12, 0, 0, 0, time.UTC)
	c := fermatatest.NewClock(start)
	called := make(chan time.Time)
	stop := c.AfterFunc(0, func() { called <- c.Now() })
	if got := <-called; !got.Equal(start) || stop() {
		t.Errorf("called at %s, stopped in time: %t", got, stop())
	}
}
