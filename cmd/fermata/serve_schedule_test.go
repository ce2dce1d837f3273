package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/schedule"
)

// A pause that a server's API has stored reaches the schedulers of all processes on the store, and no other schedule.
func TestW4_APauseReachesEveryScheduler(t *testing.T) {
	store := memory.New()
	process := func() *house {
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rt.Close() })
		return &house{Runtime: rt, store: store}
	}
	server, other := process(), process()
	stopped := func(h *house) (all []bool) {
		for _, s := range h.pausable([]schedule.Schedule{{Name: "report/nightly"}, {Name: "report/hourly"}}) {
			is, err := s.Stopped(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, is)
		}
		return all
	}
	var pauses api.Pauses = shownPauses{server.pauses()}
	for _, paused := range []bool{false, true, false} {
		if err := pauses.Set(t.Context(), "report/nightly", paused, "ann", "stocktaking"); err != nil {
			t.Fatal(err)
		}
		for _, h := range []*house{server, other} {
			if diff := cmp.Diff([]bool{paused, false}, stopped(h)); diff != "" {
				t.Errorf("paused %v: which are stopped (-want +got):\n%s", paused, diff)
			}
		}
		p, err := pauses.Paused(t.Context(), "report/nightly")
		if err != nil || (p != nil) != paused || paused && (p.By != "ann" || p.Note != "stocktaking" || p.Since.IsZero()) {
			t.Errorf("paused %v: shown as %+v, %v", paused, p, err)
		}
	}
}
