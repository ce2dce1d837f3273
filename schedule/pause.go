package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/settings"
)

// Pauses are the schedules that people have paused, for all processes on a store. Those that a program or a recipe pauses itself
// ([Schedule.Paused]) are not among them.
type Pauses struct {
	settings *settings.Settings
}

// Pause says who paused a schedule, when and why.
type Pause struct {
	By    string // for the record; "" for nobody known
	Why   string // "" for no reason
	Since time.Time
}

// NewPauses returns the pauses that are kept in settings.
func NewPauses(s *settings.Settings) *Pauses { return &Pauses{settings: s} }

// pauseKind is the kind of the settings.
const pauseKind = "schedule"

// pausedSchedule is the document of a schedule that is paused. One that was resumed has none.
type pausedSchedule struct {
	Schedule string `json:"schedule"` // its name; that of the document is a digest of it
	Paused   bool   `json:"paused"`
}

// settingName is the name of the document of a schedule: names of settings have no slash.
func settingName(schedule string) string {
	sum := sha256.Sum256([]byte(schedule))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
}

// Paused returns who has paused a schedule; nil for nobody.
func (p *Pauses) Paused(ctx context.Context, schedule string) (*Pause, error) {
	d, err := p.settings.Get(ctx, pauseKind, settingName(schedule))
	if errors.Is(err, settings.ErrNotFound) {
		return nil, nil //nolint:nilnil // it is not paused
	}
	if err != nil {
		return nil, fmt.Errorf("schedule %q: is it paused? %w", schedule, err)
	}
	return &Pause{By: d.By, Why: d.Why, Since: d.At}, nil
}

// Set pauses a schedule, or lets it go on. Doing it again changes nothing: the first pause stays. The change is on record with its
// author and its reason.
func (p *Pauses) Set(ctx context.Context, schedule string, paused bool, by, why string) error {
	for {
		var seq uint64
		d, err := p.settings.Get(ctx, pauseKind, settingName(schedule))
		switch {
		case err == nil:
			seq = d.Seq
		case !errors.Is(err, settings.ErrNotFound):
			return fmt.Errorf("schedule %q: %w", schedule, err)
		}
		if paused == (seq != 0) {
			return nil
		}
		change := settings.Change{By: by, Why: why}
		if paused {
			if change.Value, err = json.Marshal(pausedSchedule{Schedule: schedule, Paused: true}); err != nil {
				return err
			}
		}
		_, err = p.settings.Put(ctx, pauseKind, settingName(schedule), seq, change)
		if errors.Is(err, journal.ErrConflict) {
			continue // another process was faster: look again
		}
		if err != nil {
			return fmt.Errorf("schedule %q: %w", schedule, err)
		}
		return nil
	}
}

// Fire starts a run of a schedule now, whether it is paused, due or neither. The run has the given id; its occurrence is the time. Its
// next occurrences stay as they are.
func Fire(ctx context.Context, s Schedule, run string, at time.Time, opts ...fermata.StartOption) error {
	r, err := read(s)
	if err != nil {
		return err
	}
	o := Occurrence{Schedule: s.Name, Time: at.In(r.zone).Truncate(time.Second), Run: run}
	return r.Start(ctx, o, append([]fermata.StartOption{fermata.WithID(run), runtype.OfSchedule(s.Name)}, opts...)...)
}
