package redis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

var _ journal.Swapper = (*Store)(nil)

// Cell implements [journal.Swapper].
func (s *Store) Cell(ctx context.Context, name string) (value []byte, err error) {
	var text string
	var found bool
	_, err = s.call(ctx, func() (err error) {
		text, found, err = resp.Text(s.client.Do(ctx, "HGET", s.key(cells), name))
		return err
	})
	if err != nil {
		return nil, s.fail("cell", "", 0, err)
	}
	if !found {
		return nil, nil
	}
	return []byte(text), nil
}

// Swap implements [journal.Swapper]. It is one script, which also tells others.
func (s *Store) Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error) {
	var said []string
	if err = journal.CheckCell(name); err == nil {
		_, err = s.call(ctx, func() (err error) {
			said, err = resp.Strings(s.scripts.swap.Run(ctx, s.client, []string{s.key(cells)}, name, marked(was), marked(next), s.channel(), s.sender))
			return err
		})
	}
	if err == nil && (len(said) != 2 || said[1] == "") {
		err = fmt.Errorf("%w: the script answers %q", journal.ErrCorrupt, said)
	}
	if err != nil {
		return nil, false, s.fail("swap", "", 0, err)
	}
	if value, some := strings.CutPrefix(said[1], "+"); some {
		now = []byte(value)
	}
	return now, said[0] == "1", nil
}

// marked is a value for the script: "-" for none, and one with a "+" before it.
func marked(value []byte) string {
	if value == nil {
		return "-"
	}
	return "+" + string(value)
}

// Cells implements [journal.Swapper]. It reads all cells of the store.
func (s *Store) Cells(ctx context.Context, prefix string, limit int) (list []journal.Cell, err error) {
	var all []string
	_, err = s.call(ctx, func() (err error) {
		all, err = resp.Strings(s.client.Do(ctx, "HGETALL", s.key(cells)))
		return err
	})
	if err != nil {
		return nil, s.fail("cells", "", 0, err)
	}
	for i := 0; i+1 < len(all); i += 2 {
		if strings.HasPrefix(all[i], prefix) {
			list = append(list, journal.Cell{Name: all[i], Value: []byte(all[i+1])})
		}
	}
	slices.SortFunc(list, func(a, b journal.Cell) int { return cmp.Compare(a.Name, b.Name) })
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, nil
}
