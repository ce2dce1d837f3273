package redis

import (
	"context"

	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// refill brings what is under the prefix to this format: from format 1 it puts runs and interrupts where they are found, from
// format 2 the wanted runs where workers find them, and all runs into the feed of changes. Others may write meanwhile, and may do the same.
func (s *Store) refill(ctx context.Context, from string) error {
	put := func(kept, index, field, tail string, places []string) error {
		_, err := s.call(ctx, func() error {
			_, err := s.scripts.refill.Run(ctx, s.client, []string{kept, index}, field, tail, pack(places))
			return err
		})
		return err
	}
	const runs = "r\x00"
	err := s.walk(ctx, s.key(index), runs, false, func(members []string) (bool, error) {
		ids, numbers := make([]string, len(members)), make(map[string]string, len(members))
		for i, m := range members {
			ids[i] = m[len(runs)+born:]
			numbers[ids[i]] = m[len(runs) : len(runs)+born]
		}
		rows, err := s.rows(ctx, members, ids)
		for i := range rows {
			if id := rows[i].ID; err == nil && from == "1" {
				err = put(s.runKey(id, ""), s.key(found), "places", numbers[id]+id, runPlaces(&rows[i]))
			}
			if id := rows[i].ID; err == nil && from == "2" {
				err = put(s.runKey(id, ""), s.key(found), "turn", numbers[id]+id, []string{byTurn + sortable(0)})
			}
			if err == nil {
				err = s.mark(ctx, rows[i].ID)
			}
		}
		return false, err
	})
	const all = "a:"
	if err == nil && from == "1" {
		err = s.walk(ctx, s.key(inbox), all, false, func(members []string) (bool, error) {
			ids, numbers := make([]string, len(members)), make(map[string]string, len(members))
			for i, m := range members {
				ids[i] = m[len(all)+2*born:]
				numbers[ids[i]] = m[len(all)+born : len(all)+2*born]
			}
			list, err := s.interrupts(ctx, members, ids)
			for i := range list {
				if id := list[i].ID; err == nil {
					err = put(s.key(asks), s.key(asked), id, numbers[id]+id, askedPlaces(&list[i]))
				}
			}
			return false, err
		})
	}
	if err != nil {
		return err
	}
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	_, err = s.call(ctx, func() error {
		_, err := resp.Int(s.client.Do(ctx, "HSET", s.key(meta), "format", format, "left", now.UnixMicro()))
		return err
	})
	return err
}
