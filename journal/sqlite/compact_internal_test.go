package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// Two processes pack the same rows in different ways: the one that comes second finds its rows changed, and leaves
// them alone.
func TestJ3_ABlockReplacesOnlyWhatWasRead(t *testing.T) {
	// A run has rows 1 to 4, with an entry each. A group of rows is what comes behind the first, up to the last one.
	type group struct{ after, last int }
	for _, tc := range []struct{ first, second group }{
		{group{0, 2}, group{1, 3}}, // the second one's block would take the place of the first one's, without entry 1
		{group{0, 3}, group{1, 2}},
		{group{1, 3}, group{0, 2}},
		{group{1, 3}, group{2, 4}},
		{group{0, 4}, group{0, 4}},
		{group{0, 4}, group{3, 4}},
	} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			s, err := Open(filepath.Join(t.TempDir(), "a.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var want []journal.Entry
			for seq := range uint64(4) {
				e := journal.Entry{Seq: seq + 1, At: 1, Kind: journal.RunResumed, Body: fmt.Append(nil, seq)}
				want = append(want, e)
				b := journal.Batch{Run: "run_1", After: seq, Entries: []journal.Entry{e}}
				if seq == 0 {
					b.Row = &journal.RunRow{ID: "run_1"}
				}
				if err := s.Append(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
			p := packing{store: s, run: "run_1"}
			if _, err := p.List(t.Context()); err != nil {
				t.Fatal(err)
			}
			var packer block.Packer
			replace := func(g group) error {
				data, err := packer.Append(nil, want[g.after:g.last])
				if err != nil {
					t.Fatal(err)
				}
				behind := block.Row{}
				if g.after > 0 {
					behind = p.rows[g.after-1]
				}
				return p.Replace(t.Context(), behind, p.rows[g.after:g.last], data)
			}
			if err := replace(tc.first); err != nil {
				t.Fatal(err)
			}
			if err := replace(tc.second); !errors.Is(err, block.ErrMoved) {
				t.Errorf("the second one: found %v, expected block.ErrMoved", err)
			}
			var got []journal.Entry
			for e, err := range s.Read(t.Context(), "run_1", 0) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the journal (-want +got):\n%s", diff)
			}
		})
	}
}
