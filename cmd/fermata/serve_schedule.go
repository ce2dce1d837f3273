package main

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schedule"
)

// schedules are those of a recipe, for the API.
func schedules(r *recipe.Recipe) (all []api.Schedule) {
	for _, one := range r.Schedules() {
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
	return recipe.Scheduled(s.house.Runtime, recipes, s.told)
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
