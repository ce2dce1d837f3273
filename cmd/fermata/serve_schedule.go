package main

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schedule"
	"github.com/fermata-go/fermata/settings"
)

// schedules are those of a recipe, for the API.
func schedules(rt *fermata.Runtime, r *recipe.Recipe) (all []api.Schedule) {
	starting := recipe.Scheduled(rt, []*recipe.Recipe{r}, nil) // in the same order
	for i, one := range r.Schedules() {
		all = append(all, api.Schedule{
			Name: one.Name, Description: one.Description, Cron: one.Cron, Rule: schedule.Words(one.Cron), Zone: one.Zone,
			Overlap: string(one.Overlap), CatchUp: string(one.CatchUp), Paused: one.Paused,
			Next: func(after time.Time, n int) (next []api.Occurrence) {
				times, _ := schedule.Upcoming(one.Schedule, after, n) // it was checked when it was loaded
				for _, o := range times {
					next = append(next, api.Occurrence{Time: o.Time, Run: o.Run})
				}
				return next
			},
			Fire: func(ctx context.Context, run string, at time.Time, opts ...fermata.StartOption) error {
				return schedule.Fire(ctx, starting[i], run, at, opts...)
			},
		})
	}
	return all
}

// fires reports whether the server starts the runs of schedules. One without a worker does, as it starts those of requests.
func (f *serveFlags) fires() bool { return !f.readOnly }

// due are the schedules of what is served, as a scheduler takes them.
func (s *serving) due(files []servedFile) []schedule.Schedule {
	var recipes []*recipe.Recipe
	for i := range files {
		if r := files[i].recipe(); r != nil {
			recipes = append(recipes, r)
		}
	}
	return s.house.pausable(recipe.Scheduled(s.house.Runtime, recipes, s.told))
}

// pauses are the schedules that people have paused in the store.
func (h *house) pauses() *schedule.Pauses {
	return schedule.NewPauses(settings.New(h.store, settings.Options{Now: h.Now}))
}

// pausable are schedules that start nothing while a person has paused them.
func (h *house) pausable(all []schedule.Schedule) []schedule.Schedule {
	pauses := h.pauses()
	for i := range all {
		name := all[i].Name
		all[i].Stopped = func(ctx context.Context) (bool, error) {
			p, err := pauses.Paused(ctx, name)
			return p != nil, err
		}
	}
	return all
}

// shownPauses are pauses as the API shows them.
type shownPauses struct{ *schedule.Pauses }

func (p shownPauses) Paused(ctx context.Context, name string) (*api.Pause, error) {
	found, err := p.Pauses.Paused(ctx, name)
	if found == nil {
		return nil, err
	}
	return &api.Pause{By: found.By, Note: found.Why, Since: found.Since}, err
}

// told shows the result for an occurrence. With --quiet it logs what failed.
func (s *serving) told(o schedule.Occurrence, what schedule.Outcome, err error) {
	switch {
	case !s.m.global.quiet:
		s.says.told(o, what, err)
	case err != nil && !errors.Is(err, context.Canceled):
		s.m.serveLog().Warn("the run of a schedule was not started", "schedule", o.Schedule, "error", err)
	}
}

// fire starts the runs of schedules when they are due, until the context ends.
func (s *serving) fire(ctx context.Context) {
	if s.scheduler != nil {
		_ = s.scheduler.Run(ctx) // it ends with the context, and has told what failed
	}
}

// takeSchedules gives the scheduler the schedules of what is served now.
func (s *serving) takeSchedules(files []servedFile) (err error) {
	switch {
	case !s.flags.fires():
	case s.scheduler == nil:
		s.scheduler, err = schedule.New(s.house.Runtime, s.due(files)...)
	default:
		err = s.scheduler.Replace(s.due(files)...)
	}
	return err
}
