package redis

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// born is how long the number of what was created is, in front of an id.
const born = 16

// Runs implements [journal.Store]. Newest is what was created last under this prefix.
func (s *Store) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	list, err := s.runs(ctx, f)
	if err != nil {
		return nil, s.fail("runs", f.ID, 0, err)
	}
	return list, nil
}

func (s *Store) runs(ctx context.Context, f journal.RunFilter) (list []journal.RunRow, err error) {
	take := func(members, ids []string) (bool, error) {
		rows, err := s.rows(ctx, members, ids)
		for i := range rows {
			if f.Match(&rows[i]) {
				if list = append(list, rows[i]); len(list) == f.Limit {
					return true, err
				}
			}
		}
		return false, err
	}
	if f.ID != "" {
		_, err = take(nil, []string{f.ID})
		return list, err
	}
	prefix := "r\x00"
	switch {
	case f.Definition:
		prefix = "d\x00"
	case f.Status != "":
		prefix = "s\x00" + f.Status + "\x00"
	case f.Plan != "":
		prefix = "p\x00" + f.Plan + "\x00"
	}
	err = s.walk(ctx, s.key(index), prefix, true, func(members []string) (bool, error) {
		ids := make([]string, len(members))
		for i, m := range members {
			if len(m) < len(prefix)+born {
				return false, fmt.Errorf("%w: the index of runs has %q", journal.ErrCorrupt, m)
			}
			ids[i] = m[len(prefix)+born:]
		}
		return take(members, ids)
	})
	return list, err
}

// rows are those of the runs that are there. Each is of one moment, row and head. A member is what names the run in
// the index.
func (s *Store) rows(ctx context.Context, members, ids []string) (list []journal.RunRow, err error) {
	return s.rowsIn(ctx, s.key(index), members, ids)
}

// rowsIn is rows with members of any index of runs.
func (s *Store) rowsIn(ctx context.Context, key string, members, ids []string) (list []journal.RunRow, err error) {
	commands := make([][]any, len(ids))
	for i, id := range ids {
		commands[i] = texts("HMGET", s.runKey(id, ""), rowFields())
	}
	var answers []any
	_, err = s.call(ctx, func() (err error) {
		answers, err = resp.FirstError(s.client.Pipeline(ctx, commands...))
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, a := range answers {
		kept, err := resp.List(a, nil)
		if err != nil {
			return nil, err
		}
		row, found, err := decodeRow(ids[i], kept)
		switch {
		case err != nil:
			return nil, fmt.Errorf("run %s: %w", ids[i], err)
		case found:
			list = append(list, row)
		case len(members) > 0:
			if err := s.gone(ctx, key, members[i]); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// Inbox implements [journal.Store].
func (s *Store) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	list, err := s.inbox(ctx, f)
	if err != nil {
		return nil, s.fail("inbox", f.Run, 0, err)
	}
	return list, nil
}

func (s *Store) inbox(ctx context.Context, f journal.InboxFilter) (list []journal.Interrupt, err error) {
	take := func(members, ids []string) (bool, error) {
		found, err := s.interrupts(ctx, members, ids)
		for i := range found {
			if f.Match(&found[i]) {
				if list = append(list, found[i]); len(list) == f.Limit {
					return true, err
				}
			}
		}
		return false, err
	}
	prefix := "o:"
	switch {
	case f.ID != "":
		_, err = take(nil, []string{f.ID})
		return list, err
	case f.Run != "":
		prefix = "r:" + f.Run + "\x00"
	case f.All:
		prefix = "a:"
	}
	err = s.walk(ctx, s.key(inbox), prefix, false, func(members []string) (bool, error) {
		ids := make([]string, len(members))
		for i, m := range members {
			if len(m) < len(prefix)+2*born {
				return false, fmt.Errorf("%w: the inbox has %q", journal.ErrCorrupt, m)
			}
			ids[i] = m[len(prefix)+2*born:]
		}
		return take(members, ids)
	})
	return list, err
}

// interrupts are those that are there.
func (s *Store) interrupts(ctx context.Context, members, ids []string) (list []journal.Interrupt, err error) {
	return s.interruptsIn(ctx, s.key(inbox), members, ids)
}

// interruptsIn is interrupts with members of any index of them.
func (s *Store) interruptsIn(ctx context.Context, key string, members, ids []string) (list []journal.Interrupt, err error) {
	command := texts("HMGET", s.key(interrupts), ids)
	var answers []any
	_, err = s.call(ctx, func() (err error) {
		answers, err = resp.List(s.client.Do(ctx, command...))
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, a := range answers {
		kept, found := a.(string)
		if !found {
			if len(members) > 0 {
				if err := s.gone(ctx, key, members[i]); err != nil {
					return nil, err
				}
			}
			continue
		}
		in, err := decodeInterrupt(ids[i], kept)
		if err != nil {
			return nil, err
		}
		list = append(list, in)
	}
	return list, nil
}

// Timers implements [journal.Store].
func (s *Store) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	list, err := s.timers(ctx, due, limit)
	if err != nil {
		return nil, s.fail("timers", "", 0, err)
	}
	return list, nil
}

// timers asks once: a timer that is set to an earlier time between two questions would be in neither answer.
func (s *Store) timers(ctx context.Context, due int64, limit int) (list []journal.Timer, err error) {
	stop := "+"
	if due < math.MaxInt64 {
		stop = "(" + sortable(due+1)
	}
	command := []any{"ZRANGE", s.key(timers), "-", stop, "BYLEX"}
	if limit > 0 {
		command = append(command, "LIMIT", 0, limit)
	}
	var members []string
	_, err = s.call(ctx, func() (err error) {
		members, err = resp.Strings(s.client.Do(ctx, command...))
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		parts := strings.SplitN(m, "\x00", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("%w: a timer is kept as %q", journal.ErrCorrupt, m)
		}
		at, err := unsortable(parts[0])
		if err != nil {
			return nil, fmt.Errorf("%w: a timer is kept as %q", journal.ErrCorrupt, m)
		}
		list = append(list, journal.Timer{Run: parts[1], ID: parts[2], Due: at})
	}
	return list, nil
}

// texts is a command with a list of texts behind its key.
func texts(name, key string, list []string) []any {
	command := append(make([]any, 0, 2+len(list)), name, key)
	for _, text := range list {
		command = append(command, text)
	}
	return command
}
