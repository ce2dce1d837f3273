package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// handOver are the flags of commands that have somebody else asked.
type handOver struct {
	as, role string
	to       fermata.Assignment
}

func (m *Main) tasksReassignCommand() *cobra.Command {
	var f handOver
	c := &cobra.Command{
		Use:   "reassign TASK",
		Short: "Have somebody else asked: a person, or a role",
		Long: "Have somebody else asked. Without --to-role the question keeps the role that it asks for; without --to it is for " +
			"whoever is in the role. The deadline stays.",
		Example: `fermata tasks reassign int_01939f2e --to bob --note "Ada is away"
fermata tasks reassign int_01939f2e --to-role accounting --role clerk`,
		Args:              oneTask,
		ValidArgsFunction: m.completeTasks,
		RunE: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(f.to.Person) == "" && f.to.Role == "" {
				return usagef("expected --to NAME or --to-role ROLE: who is to be asked")
			}
			return m.amendTask(c.Context(), args[0], "reassigned", f.as, func(ctx context.Context, h *house, id string) error {
				return h.Reassign(ctx, id, f.to, fermata.As(f.as), fermata.InRole(f.role))
			})
		},
	}
	c.Flags().StringVar(&f.to.Person, "to", "", "the one person who is asked: a `name`")
	f.add(m, c)
	return c
}

func (m *Main) tasksEscalateCommand() *cobra.Command {
	var f handOver
	c := &cobra.Command{
		Use:               "escalate TASK",
		Short:             "Have another role asked now",
		Example:           `fermata tasks escalate int_01939f2e --to-role chief --note "above my limit"`,
		Args:              oneTask,
		ValidArgsFunction: m.completeTasks,
		RunE: func(c *cobra.Command, args []string) error {
			if f.to.Role == "" {
				return usagef("expected --to-role ROLE: who is to be asked")
			}
			return m.amendTask(c.Context(), args[0], "escalated", f.as, func(ctx context.Context, h *house, id string) error {
				return h.Escalate(ctx, id, f.to, fermata.As(f.as), fermata.InRole(f.role))
			})
		},
	}
	f.add(m, c)
	return c
}

func (f *handOver) add(m *Main, c *cobra.Command) {
	c.Flags().StringVar(&f.to.Role, "to-role", "", "the `role` that is asked")
	c.Flags().StringVar(&f.to.Note, "note", "", "why: a `text`, for the record")
	c.Flags().StringVar(&f.as, "as", m.user(), "who does it: a `name`")
	c.Flags().StringVar(&f.role, "role", m.Getenv("FERMATA_ROLE"), "in which `role`")
}

// inboxOf are the tasks that are for one person: assigned to them, or claimed by them.
func inboxOf(list []fermata.Interrupt, name string) []fermata.Interrupt {
	var own []fermata.Interrupt
	for i := range list {
		q := &list[i]
		if fermata.SamePerson(q.Assignee, name) || q.State == journal.Claimed && fermata.SamePerson(q.ClaimedBy, name) {
			own = append(own, *q)
		}
	}
	return own
}

// mayBe reports whether a question can be for a person at all: what others have answered is looked up when it is answered.
func mayBe(q *journal.Interrupt, name string) bool {
	if q.Assignee != "" && !fermata.SamePerson(q.Assignee, name) {
		return false
	}
	for _, other := range q.NotBy {
		if fermata.SamePerson(other, name) {
			return false
		}
	}
	return true
}

// notFor says who may not answer a question.
func notFor(q *journal.Interrupt) string {
	list := make([]string, 0, len(q.NotBy)+len(q.NotByNodes))
	list = append(list, q.NotBy...)
	for _, path := range q.NotByNodes {
		list = append(list, "whoever answered "+path)
	}
	return strings.Join(list, ", ")
}
