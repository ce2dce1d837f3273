package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// handOver are the flags of commands that have somebody else asked.
type handOver struct {
	holder
	to fermata.Assignment
}

func (m *Main) tasksReassignCommand() *cobra.Command {
	var f handOver
	c := m.onTask(&cobra.Command{
		Use:   "reassign TASK",
		Short: "Ask another person or role",
		Long: "Ask another person or role. Without --to-role the question keeps its role; without --to it is for everyone in the " +
			"role. The deadline stays.",
		Example: `fermata tasks reassign int_01939f2e --to bob --note "Ada is away"
fermata tasks reassign int_01939f2e --to-role accounting --role clerk`,
		PreRunE: func(*cobra.Command, []string) error {
			if strings.TrimSpace(f.to.Person) == "" && f.to.Role == "" {
				return usagef("expected --to NAME or --to-role ROLE: who is to be asked")
			}
			return nil
		},
	}, "reassigned", &f.holder, func(ctx context.Context, h *house, id string, o []fermata.AnswerOption) error {
		return h.Reassign(ctx, id, f.to, o...)
	})
	c.Flags().StringVar(&f.to.Person, "to", "", "the one person who is asked: an `id`")
	c.Flags().StringVar(&f.to.Name, "to-name", "", "the display `name`")
	f.add(m, c)
	return c
}

func (m *Main) tasksEscalateCommand() *cobra.Command {
	var f handOver
	c := m.onTask(&cobra.Command{
		Use:     "escalate TASK",
		Short:   "Ask another role now",
		Example: `fermata tasks escalate int_01939f2e --to-role chief --note "above my limit"`,
		PreRunE: func(*cobra.Command, []string) error {
			if f.to.Role == "" {
				return usagef("expected --to-role ROLE: who is to be asked")
			}
			return nil
		},
	}, "escalated", &f.holder, func(ctx context.Context, h *house, id string, o []fermata.AnswerOption) error {
		return h.Escalate(ctx, id, f.to, o...)
	})
	f.add(m, c)
	return c
}

func (f *handOver) add(m *Main, c *cobra.Command) {
	c.Flags().StringVar(&f.to.Role, "to-role", "", "the `role` that is asked")
	c.Flags().StringVar(&f.to.Note, "note", "", noteUsage)
	f.holder.add(m, c.Flags(), "who does it: an `id`")
}

// noteUsage describes the flag of why something was done about a question.
const noteUsage = "why: a `text`, for the record"

func (m *Main) tasksClaimCommand() *cobra.Command {
	var who holder
	var note string
	c := m.onTask(&cobra.Command{
		Use:   "claim TASK",
		Short: "Reserve a question: nobody else can answer it until it is released",
	}, "claimed", &who, func(ctx context.Context, h *house, id string, o []fermata.AnswerOption) error {
		return h.Claim(ctx, id, "", "", append(o, fermata.WithNote(note))...)
	})
	who.add(m, c.Flags(), "who claims: an `id`")
	c.Flags().StringVar(&note, "note", "", noteUsage)
	return c
}

const released = "released"

func (m *Main) tasksReleaseCommand() *cobra.Command {
	var who holder
	var note string
	c := m.onTask(&cobra.Command{
		Use:   "release TASK",
		Short: "Give up a claim",
	}, released, &who, func(ctx context.Context, h *house, id string, o []fermata.AnswerOption) error {
		return h.Release(ctx, id, "", append(o, fermata.WithNote(note))...)
	})
	who.add(m, c.Flags(), "who has claimed it, or is in the role that may override: an `id`")
	c.Flags().StringVar(&note, "note", "", noteUsage)
	return c
}

// onTask makes a command one that does something about a question, as who says so, and with their token.
func (m *Main) onTask(
	c *cobra.Command, done string, who *holder, do func(ctx context.Context, h *house, id string, o []fermata.AnswerOption) error,
) *cobra.Command {
	c.Args, c.ValidArgsFunction = oneTask, m.completeTasks
	c.RunE = func(c *cobra.Command, args []string) error {
		if who.as == "" {
			return usagef("expected --as ID: the environment does not say who you are")
		}
		opts, err := who.options(m)
		if err != nil {
			return err
		}
		return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
			q, err := m.findTask(ctx, h, args[0])
			if err != nil {
				return err
			}
			if err := do(ctx, h, q.ID, opts); err != nil {
				return m.explainAnswer(&q.Interrupt, err)
			}
			if done == released && q.ClaimedBy == "" {
				m.out.Println(q.ID + " is free: nobody had claimed it")
				return nil
			}
			m.out.Println(done + " " + q.ID + " as " + who.String())
			return nil
		})
	}
	return c
}

// mayBe reports whether a question can be for a person at all: what others have answered is looked up when it is answered.
func mayBe(q *journal.Interrupt, name string) bool {
	if q.Assignee != "" && !fermata.SamePerson(q.Assignee, name) {
		return false
	}
	return !slices.ContainsFunc(q.NotBy, func(other string) bool { return fermata.SamePerson(other, name) })
}

// notFor says who may not answer a question.
func notFor(q *journal.Interrupt) string {
	list := make([]string, 0, len(q.NotBy)+len(q.NotByNodes))
	if len(q.NotBy) > 0 {
		list = append(list, "the person who started the run") // who that is, is not said (law H6)
	}
	for _, path := range q.NotByNodes {
		list = append(list, "the person who answered "+path)
	}
	return strings.Join(list, ", ")
}
