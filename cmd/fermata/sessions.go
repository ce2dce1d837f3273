package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/settings"
)

func (m *Main) sessionsCommand() *cobra.Command {
	c := listing("sessions", "List and end the sessions of people who have logged in to fermata serve at an issuer", m.sessionsListCommand(), m.sessionsEndCommand())
	c.Long = "List and end the sessions of a store: the logins of people in browsers, with fermata serve --auth oidc. A session ends by itself with its " +
		"time, and when its person logs out."
	return c
}

// sessions are the sessions of the store of a house; nil where there is no store.
func (h *house) sessions() *identity.Sessions {
	if h.store == nil {
		return nil
	}
	return identity.NewSessions(settings.New(h.store, settings.Options{Now: h.Now}), h.Now)
}

// listSessions opens the store, and hands on the sessions that are not over, the newest first.
func (m *Main) listSessions(ctx context.Context, do func(sessions *identity.Sessions, all []identity.Session) error) error {
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	if d.memory() {
		return usagef("a store in memory has no sessions; name one that lasts with --store")
	}
	h, err := m.openAt(ctx, d, false, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	sessions := h.sessions()
	var all []identity.Session
	if sessions != nil {
		all, err = sessions.List(ctx)
	}
	if err == nil {
		slices.SortFunc(all, func(a, b identity.Session) int { return b.Created.Compare(a.Created) })
		err = do(sessions, all)
	}
	return h.closed(err)
}

func (m *Main) sessionsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "ls", Short: "List the sessions that are not over, the newest first", Example: "fermata sessions ls\nfermata sessions ls --json", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.listSessions(c.Context(), func(_ *identity.Sessions, all []identity.Session) error {
				if asJSON {
					for i := range all {
						m.writeLine(all[i])
					}
					return nil
				}
				if len(all) == 0 {
					m.err.Println("nobody has a session")
					return nil
				}
				t := term.Table{Head: []string{"ID", "PERSON", "NAME", "GROUPS", "BEGAN", "ENDS"}}
				for i := range all {
					one := &all[i]
					t.Rows = append(t.Rows, []string{
						one.ID, term.OneLine(one.Person), term.OneLine(one.PersonName), term.OneLine(strings.Join(one.Groups, ", ")),
						one.Created.Format(time.DateTime), one.Expires.Format(time.DateTime),
					})
				}
				m.out.Println(m.out.Fit(t.Lines(m.out))...)
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each session")
	return c
}

func (m *Main) sessionsEndCommand() *cobra.Command {
	var why string
	var asJSON bool
	c := &cobra.Command{
		Use: "end PERSON", Short: "End the sessions of a person: from the next request on they have to log in again",
		Long: "End all sessions of a person, by the id of the person, or one session by its id. From the next request on the browser has to log in " +
			"again, and streams that it has open end within seconds. A person who is to stay out must lose the account or the groups at the issuer first.",
		Example: "fermata sessions end ada@example.com --reason 'left the company'",
		Args: func(_ *cobra.Command, args []string) error {
			return oneOf(args, "PERSON, the id of a person or of a session")
		},
		RunE: func(c *cobra.Command, args []string) error {
			return m.listSessions(c.Context(), func(sessions *identity.Sessions, all []identity.Session) error {
				ended := slices.DeleteFunc(slices.Clone(all), func(s identity.Session) bool { return s.Person != args[0] && s.ID != args[0] })
				if len(ended) == 0 {
					var people []string
					for i := range all {
						people = append(people, all[i].Person)
					}
					return usagef("there is no session of %q%s; %s lists them", args[0], nearest.Hint(args[0], people), m.command("sessions", "ls"))
				}
				for i := range ended {
					if err := sessions.End(c.Context(), ended[i].ID, m.user(), why); err != nil {
						return err
					}
					if asJSON {
						m.writeLine(ended[i])
					}
				}
				if !asJSON {
					m.out.Println("ended " + term.Count(len(ended), "session") + " of " + term.OneLine(ended[0].Person))
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&why, "reason", "", "why, for the record: a `text`")
	c.Flags().BoolVar(&asJSON, "json", false, "write each session that was ended as a line of JSON")
	return c
}
