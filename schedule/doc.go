// Package schedule starts runs at times that a cron rule gives, in a time zone. It needs no leader, no lock and no table: the
// id of a run is its occurrence, so every process may start each occurrence, and one of them does (law J3).
//
//	nightly := schedule.Schedule{
//		Name: "nightly", Cron: "30 2 * * *", Zone: "Europe/Berlin",
//		Start: func(ctx context.Context, o schedule.Occurrence, opts ...fermata.StartOption) error {
//			_, err := report.Start(ctx, rt, Report{Day: o.Time}, opts...)
//			return err
//		},
//	}
//	s, err := schedule.New(rt, nightly)
//	err = s.Run(ctx) // in each process; it returns when ctx is done
//
// It never executes a run by itself, and keeps nothing: what was missed while all processes were down is found by asking for
// the runs that should be there.
package schedule
