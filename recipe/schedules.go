package recipe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/schedule"
)

// Schedule is a rule of a recipe by which runs of it are started. It is a value of its own: changing it changes no recipe.
type Schedule struct {
	// Schedule is the rule. Its name is the recipe's name, a slash and the id, by which the runs are found and told from those
	// of other recipes. Start is nil: see [NewScheduler].
	schedule.Schedule
	ID          string // unique in the recipe
	Description string // for people; "" for none

	begin  func(raw map[string]any) (map[string]any, error)
	inputs map[string]any                  // as they are written
	texts  map[string]*expression.Template // by their text: those of inputs that have {{ … }}
}

// scheduleKeys are the keys of an element of schedules.
var scheduleKeys = []string{"id", "description", "cron", "time_zone", "inputs", "overlap", "catch_up", "max_catch_up", "jitter_seconds", "paused"}

// Schedules returns the schedules of the recipe in written order. Those of recipes that it calls are not among them.
func (r *Recipe) Schedules() []Schedule {
	all := make([]Schedule, len(r.doc.schedules))
	for i, s := range r.doc.schedules {
		all[i] = *s
	}
	return all
}

// Input returns the blackboard that the run of an occurrence starts with, as [Recipe.Input] does.
func (s *Schedule) Input(o schedule.Occurrence) (map[string]any, error) {
	raw, err := s.given(o)
	if err != nil {
		return nil, err
	}
	return s.begin(raw)
}

// Inputs returns what the recipe says that runs are started with, as it is written.
func (s *Schedule) Inputs() map[string]any {
	m, _ := expression.Clone(s.inputs).(map[string]any)
	return m
}

// given are the inputs of an occurrence before they are checked.
func (s *Schedule) given(o schedule.Occurrence) (map[string]any, error) {
	scope := expression.NewScope(map[string]any{"occurrence": map[string]any{
		"time": o.Time.Format(time.RFC3339), "date": o.Time.Format(time.DateOnly), "schedule": s.ID,
	}}, nil)
	raw := make(map[string]any, len(s.inputs))
	for name, v := range s.inputs {
		filled, err := s.fill(v, scope)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", name, err)
		}
		raw[name] = filled
	}
	return raw, nil
}

// fill puts an occurrence into the texts of a value.
func (s *Schedule) fill(v any, scope *expression.Scope) (_ any, err error) {
	switch v := v.(type) {
	case string:
		if t := s.texts[v]; t != nil {
			return t.Render(scope)
		}
	case []any:
		all := make([]any, len(v))
		for i, item := range v {
			if all[i], err = s.fill(item, scope); err != nil {
				return nil, err
			}
		}
		return all, nil
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, item := range v {
			if all[name], err = s.fill(item, scope); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return v, nil
}

// occurrenceNames are what texts of inputs may name.
func occurrenceNames() expression.Names {
	known := expression.NoNames()
	text := map[string]any{"type": "string"}
	known.Set("occurrence", expression.TypeOfSchema(map[string]any{
		"type": "object", "required": []any{"time", "date", "schedule"}, "additionalProperties": false,
		"properties": map[string]any{"time": text, "date": text, "schedule": text},
	}))
	return known
}

// readSchedules reads when the recipe is started. Runs do not depend on it, and so it is no part of the plan.
func (d *draft) readSchedules(r *document.Report) {
	if d.Node.Kind != yaml.MappingNode {
		return
	}
	first := make(map[string]document.Spot)
	for _, at := range document.NewObject(d.Spot, r, nil).List("schedules") {
		if at.Node.Kind != yaml.MappingNode {
			r.Add(at, "expected a schedule such as {id: nightly, cron: \"30 2 * * *\", time_zone: Europe/Berlin}, found %s", document.Describe(at.Node))
			continue
		}
		s := d.readSchedule(at, r)
		id := document.NewObject(at, newReport(), nil).Text("id")
		if before, twice := first[id.Text]; twice {
			r.Add(id.Spot, "the id %s is taken by the schedule in line %d", document.Quote(id.Text), before.Node.Line)
		} else if id.Text != "" {
			first[id.Text] = id.Spot
		}
		d.schedules = append(d.schedules, s)
	}
}

func (d *draft) readSchedule(at document.Spot, r *document.Report) *Schedule {
	o := document.NewObject(at, r, scheduleKeys)
	s := &Schedule{begin: d.begin, texts: make(map[string]*expression.Template)}
	id, rule := o.NeedText("id", "a name of the schedule's own"), o.NeedText("cron", "five fields (minute, hour, day, month and weekday)")
	if fault := nameFault(id.Text); id.Text != "" && fault != "" {
		r.Add(id.Spot, "the id %s %s", document.Quote(id.Text), fault)
	} else if most := label.MostValue - len(d.name) - 1; len(id.Text) > most {
		r.Add(id.Spot, "the id has %d bytes; expected %d at most beside the name of the recipe", len(id.Text), max(most, 0))
	}
	zone := o.Text("time_zone")
	s.ID, s.Description = id.Text, o.Text("description").Text
	s.Schedule = schedule.Schedule{
		Name: d.name + "/" + id.Text, Cron: rule.Text, Zone: zone.Text,
		Overlap: schedule.Overlap(o.Choice("overlap", string(schedule.Skip), string(schedule.Queue), string(schedule.Allow))),
		CatchUp: schedule.CatchUp(o.Choice("catch_up", string(schedule.CatchNone), string(schedule.CatchLast), string(schedule.CatchAll))),
		Most:    o.Number("max_catch_up", 1, 0), Jitter: o.SecondsOf("jitter_seconds"), Paused: o.Flag("paused"),
	}
	if o.Has("max_catch_up") && s.CatchUp != schedule.CatchAll {
		r.Add(o.At("max_catch_up"), "max_catch_up is for catch_up: all; catch_up is %s", s.CatchUp)
	}
	s.inputs = o.Mapping("inputs")
	texts := len(r.Problems)
	for _, p := range o.Pairs("inputs") {
		s.readTexts(p.Value, r)
	}
	if wrong := (*schedule.Error)(nil); rule.Text != "" && errors.As(schedule.Check(s.Schedule), &wrong) {
		switch wrong.Field {
		case "Cron":
			r.Inside(rule.Spot, wrong.Offset, "%v", wrong.Err)
		case "Zone":
			r.Add(zone.Spot, "%v", wrong.Err)
		default:
			r.Add(at, "%v", wrong.Err)
		}
		return s
	}
	if rule.Text != "" && len(r.Problems) == texts {
		s.checkInputs(o)
	}
	return s
}

// readTexts compiles the texts of an input that have {{ … }}, and checks what they name.
func (s *Schedule) readTexts(at document.Spot, r *document.Report) {
	switch at.Node.Kind {
	case yaml.MappingNode:
		for key, value := range document.Entries(at.Node) {
			s.readTexts(document.Spot{Source: at.Source, Node: value, Path: document.Join(at.Path, key.Value)}, r)
		}
	case yaml.SequenceNode:
		for i, value := range at.Node.Content {
			s.readTexts(document.Spot{Source: at.Source, Node: value, Path: document.Index(at.Path, i)}, r)
		}
	case yaml.ScalarNode:
		if !strings.Contains(at.Node.Value, "{{") {
			return
		}
		t, fault := expression.CompileTemplate(at.Node.Value)
		if fault != nil {
			r.Inside(at, fault.Offset, "%s", fault.Message)
			return
		}
		for _, fault := range t.Check(expression.Place{Names: occurrenceNames(), Hints: &r.Hints}) {
			r.Inside(at, fault.Offset, "%s", fault.Message)
		}
		s.texts[at.Node.Value] = t
	default:
	}
}

// checkInputs checks that a run can begin with what the schedule gives it, at the first occurrence of a year.
func (s *Schedule) checkInputs(o *document.Object) {
	soon, err := schedule.Upcoming(s.Schedule, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 1)
	if err != nil || len(soon) == 0 {
		return
	}
	_, err = s.Input(soon[0])
	faults, ok := errors.AsType[*InputError](err)
	switch {
	case ok:
		for _, f := range faults.Problems {
			at := o.At("inputs")
			if o.IsMapping("inputs") && document.HasKey(at.Node, f.Name) {
				at = at.Member(f.Name)
			}
			o.Report.Add(at, "input %s: %s", document.Quote(f.Name), f.Message)
		}
	case err != nil:
		o.Report.Add(o.At("inputs"), "%v", err)
	}
}

// NewScheduler returns the scheduler of all schedules of recipes: see [Scheduled].
func NewScheduler(
	rt *fermata.Runtime, recipes []*Recipe, told func(schedule.Occurrence, schedule.Outcome, error), opts ...fermata.StartOption,
) (*schedule.Scheduler, error) {
	return schedule.New(rt, Scheduled(rt, recipes, told, opts...)...)
}

// Scheduled returns all schedules of recipes with functions that start their runs. They are for a scheduler that
// has others, too, or whose schedules are replaced.
//
// They store the runs, and leave them to workers. told is called with the result for each occurrence, one call at a time; nil for nobody.
// opts are given to each start. Two recipes of one name that have a schedule with one id are refused by the scheduler.
func Scheduled(
	rt *fermata.Runtime, recipes []*Recipe, told func(schedule.Occurrence, schedule.Outcome, error), opts ...fermata.StartOption,
) (all []schedule.Schedule) {
	for _, r := range recipes {
		for _, s := range r.Schedules() {
			one := s.starting(rt, r, opts)
			one.Told = told
			all = append(all, one)
		}
	}
	return all
}

// starting is the schedule as one that starts runs of a recipe.
func (s Schedule) starting(rt *fermata.Runtime, r *Recipe, opts []fermata.StartOption) schedule.Schedule {
	rule := s.Schedule
	rule.Start = func(ctx context.Context, o schedule.Occurrence, more ...fermata.StartOption) error {
		input, err := s.Input(o)
		if err != nil {
			return err
		}
		digest, err := rt.SaveDefinition(ctx, planKind, r.Source())
		if err != nil {
			return err
		}
		all := append([]fermata.StartOption{fermata.WithDefinition(digest), fermata.Queued()}, opts...)
		_, err = rt.Start(ctx, r.Plan(), input, append(all, more...)...)
		return err
	}
	return rule
}
