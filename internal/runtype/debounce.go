package runtype

import (
	"errors"
	"fmt"
	"time"
)

// Debouncing says when the last of several starts with one key begins (law J21). The zero value is for a start of its own.
type Debouncing struct {
	On   bool          // the start is debounced
	Key  string        // of the starts; the run holds it as its deduplication key
	Wait time.Duration // after the last start
	Most time.Duration // after the first start; 0 for no limit
}

// Debounce lets the last of several starts with a key begin (law J21).
func Debounce(key string, wait, most time.Duration) StartOption {
	return func(o *StartOptions) {
		if o.Turn.Dedup != "" { // of Dedup: refused
			key = ""
		}
		o.Queued, o.Turn.Dedup, o.Debounce = true, key, Debouncing{On: true, Key: key, Wait: wait, Most: most}
	}
}

// Begins returns when a run begins whose last start is now. Times are in microseconds.
func (d *Debouncing) Begins(first, now int64) int64 {
	at := now + d.Wait.Microseconds()
	if d.Most > 0 {
		at = min(at, first+d.Most.Microseconds())
	}
	return max(at, 1)
}

// checkDebounce refuses what does not go together with Debounce.
func (o *StartOptions) checkDebounce() error {
	d := &o.Debounce
	if !d.On {
		return nil
	}
	var err error
	if d.Key == "" || o.Turn.Dedup != d.Key {
		err = errors.New("debounce: expected one key, found none, or another one of Dedup; a run holds one key")
	}
	if d.Wait <= 0 {
		err = errors.Join(err, fmt.Errorf("debounce: it waits %s after a start; expected a time above 0", d.Wait))
	}
	if d.Most < 0 || d.Most > 0 && d.Most < d.Wait {
		err = errors.Join(err, fmt.Errorf("debounce: the run begins %s after the first start at the latest; expected at least %s, or 0 for no limit", d.Most, d.Wait))
	}
	if o.Named || o.Attach || o.NotBefore != 0 || len(o.Messages) > 0 {
		err = errors.Join(err, errors.New("debounce: an id, a time, a message and Attach cannot be given with it: the run may be there already, and its time is that of the last start"))
	}
	return err
}
