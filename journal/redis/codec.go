package redis

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/interrupt"
)

// arguments are what append.lua takes, in its order.
func (s *Store) arguments(b *journal.Batch) ([]any, error) {
	var frame []byte
	if len(b.Entries) > 0 {
		frame = journal.AppendEntries(nil, b.Entries)
	}
	token := s.sender + strconv.FormatUint(s.batches.Add(1), 36)
	args := make([]any, 0, 28+4*len(b.Interrupts)+2*len(b.Timers))
	args = append(args, b.Run, decimal(b.After), decimal(b.Head()), token, frame, s.channel(), s.sender, flag(b.Row != nil), flag(alone(b)))
	if alone(b) {
		return args, bounded(args)
	}
	if r := b.Row; r != nil {
		args = append(args, r.Plan, r.Kind, r.Fingerprint, r.Definition, r.Status, r.Error,
			strconv.FormatInt(r.Created, 10), strconv.FormatInt(r.Updated, 10), strconv.Itoa(r.Waiting), r.Driver, flag(r.Ready),
			r.Queue, strconv.Itoa(r.Priority), strconv.FormatInt(r.NotBefore, 10), r.Dedup, flag(r.Ended()),
			flag(b.Driver != nil))
		if b.Driver != nil {
			args = append(args, *b.Driver)
		}
		args = append(args, labelText(r.Labels), pack(runPlaces(r)))
	}
	args = append(args, strconv.Itoa(len(b.Interrupts)))
	for i := range b.Interrupts {
		in := &b.Interrupts[i]
		data, err := interrupt.Encode(in)
		if err != nil {
			return nil, err
		}
		args = append(args, in.ID, sortable(in.Opened), flag(in.IsOpen()), data, pack(askedPlaces(in)))
	}
	args = append(args, strconv.Itoa(len(b.Timers)))
	for i := range b.Timers {
		due := ""
		if t := &b.Timers[i]; !t.Done {
			due = sortable(t.Due)
		}
		args = append(args, b.Timers[i].ID, due)
	}
	if c := b.Checkpoint; c != nil {
		args = append(args, "1", decimal(c.Seq), c.Data)
	} else {
		args = append(args, "0")
	}
	return args, bounded(args)
}

// alone reports whether a batch has entries and nothing else, as most have.
func alone(b *journal.Batch) bool {
	return len(b.Entries) > 0 && b.Row == nil && len(b.Interrupts) == 0 && len(b.Timers) == 0 && b.Checkpoint == nil
}

// bounded reports why a batch is too large.
func bounded(args []any) error {
	size := 0
	for _, a := range args {
		switch a := a.(type) {
		case string:
			size += len(a)
		case []byte:
			size += len(a)
		}
	}
	if size > MaxBatch {
		return fmt.Errorf("%w: a batch of %d bytes, at most %d are written at once", journal.ErrRefused, size, MaxBatch)
	}
	return nil
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// sortable is a number as text whose order is that of the numbers.
func sortable(n int64) string { return fmt.Sprintf("%016x", uint64(n)^1<<63) }

// unsortable is the inverse of sortable.
func unsortable(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	return int64(n ^ 1<<63), err
}

// decodeInterrupt reads what append.lua keeps of an interrupt: its place in the inbox, 32 bytes, whether it is open, 1
// byte, its run, a NUL and its data.
func decodeInterrupt(id, kept string) (journal.Interrupt, error) {
	const place = 32 + 1
	_, data, ok := strings.Cut(kept[min(place, len(kept)):], "\x00")
	if !ok {
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s has %d bytes and no end of its place", journal.ErrCorrupt, id, len(kept))
	}
	return interrupt.Decode(id, []byte(data))
}

// rowFields are the fields of a run's hash that make its row.
func rowFields() []string {
	return []string{"head", "plan", "kind", "fingerprint", "definition", "status", "error", "created", "updated", "waiting", "driver", "ready", "labels", "queue", "priority", "notbefore", "dedup"}
}

// decodeRow makes a row of the values of rowFields; found is false when there is no such run.
func decodeRow(run string, values []any) (row journal.RunRow, found bool, err error) {
	text := make([]string, len(values))
	missing := 0
	const always = 10 // fields; a run that an earlier version has written has no more
	for i, v := range values {
		t, ok := v.(string)
		if !ok && i < always {
			missing++
		}
		text[i] = t
	}
	switch missing {
	case 0:
	case always:
		return row, false, nil
	default:
		return row, false, fmt.Errorf("%w: %d fields of the run are missing", journal.ErrCorrupt, missing)
	}
	row = journal.RunRow{
		ID: run, Plan: text[1], Kind: text[2], Fingerprint: text[3], Definition: text[4], Status: text[5], Error: text[6],
		Driver: text[10], Ready: text[11] == "1",
	}
	if row.Head, err = strconv.ParseUint(text[0], 10, 64); err == nil {
		row.Created, err = strconv.ParseInt(text[7], 10, 64)
	}
	if err == nil {
		row.Updated, err = strconv.ParseInt(text[8], 10, 64)
	}
	if err == nil {
		row.Waiting, err = strconv.Atoi(text[9])
	}
	row.Queue, row.Dedup = text[13], text[16]
	if err == nil && text[14] != "" {
		row.Priority, err = strconv.Atoi(text[14])
	}
	if err == nil && text[15] != "" {
		row.NotBefore, err = strconv.ParseInt(text[15], 10, 64)
	}
	if err == nil && text[12] != "" {
		err = json.Unmarshal([]byte(text[12]), &row.Labels)
	}
	if err != nil {
		return row, false, fmt.Errorf("%w: the run's row: %w", journal.ErrCorrupt, err)
	}
	return row, true, nil
}
