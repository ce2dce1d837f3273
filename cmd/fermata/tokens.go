package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/settings"
)

func (m *Main) tokensCommand() *cobra.Command {
	c := listing("tokens", "Make, list and revoke tokens, by which people and programs log in to fermata serve",
		m.tokensListCommand(), m.tokensCreateCommand(), m.tokensRevokeCommand())
	c.Long = "Make, list and revoke the tokens of a store. With --auth tokens, fermata serve asks each request for one. A token stands for " +
		"a person with a role: " + rolesHelp() + "."
	return c
}

// rolesHelp says what each role may do.
func rolesHelp() string {
	var texts []string
	for _, r := range identity.Roles() {
		texts = append(texts, r.Name+" ("+r.About+")")
	}
	return strings.Join(texts, ", ")
}

func roleNames() (names []string) {
	for _, r := range identity.Roles() {
		names = append(names, r.Name)
	}
	return names
}

// tokens are the tokens of the store of a house; nil where there is no store.
func (h *house) tokens() *identity.Tokens {
	if h.store == nil {
		return nil
	}
	return identity.NewTokens(settings.New(h.store, settings.Options{Now: h.Now}), h.Now)
}

// withTokens opens the store for a command about its tokens.
func (m *Main) withTokens(ctx context.Context, mayMake bool, do func(h *house, tokens *identity.Tokens) error) error {
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	if d.memory() {
		return usagef("a store in memory has no tokens: they would be gone with this command; name one that lasts with --store")
	}
	h, err := m.openAt(ctx, d, mayMake, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	err = do(h, h.tokens())
	if found, ok := errors.AsType[*identity.NotFoundError](err); ok {
		err = usagef("%v; %s lists them", found, m.command("tokens", "ls"))
	}
	return h.closed(err)
}

// tokenLine is a token in --json.
type tokenLine struct {
	identity.Token
	Expired bool   `json:"expired,omitempty"`
	Secret  string `json:"token,omitempty"` // of a token that was made: the only time that it is shown
}

func (m *Main) tokensListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "ls",
		Short:   "List the tokens that were not revoked, without their secrets",
		Example: "fermata tokens ls\nfermata tokens ls --json",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.withTokens(c.Context(), false, func(h *house, tokens *identity.Tokens) error {
				if tokens == nil {
					return m.listTokens(nil, h.Now(), asJSON)
				}
				all, err := tokens.List(c.Context())
				if err != nil {
					return err
				}
				return m.listTokens(all, h.Now(), asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each token")
	return c
}

func (m *Main) listTokens(all []identity.Token, now time.Time, asJSON bool) error {
	if asJSON {
		for i := range all {
			m.writeLine(tokenLine{Token: all[i], Expired: all[i].Expired(now)})
		}
		return nil
	}
	if len(all) == 0 {
		m.err.Println("there are no tokens; make one with: " + m.command("tokens", "create", "NAME", "--role", "admin"))
		return nil
	}
	s, styles := m.out, m.out.Styles()
	t := term.Table{Head: []string{"NAME", "PERSON", "ROLE", "ANSWERS AS", "PLANS", "EXPIRES"}}
	for i := range all {
		one := &all[i]
		expires := "never"
		switch {
		case one.Expired(now):
			expires = styles.Bad.Apply("expired")
		case !one.Expires.IsZero():
			expires = one.Expires.Format(time.DateOnly)
		}
		t.Rows = append(t.Rows, []string{
			term.OneLine(one.Name), term.OneLine(one.Person), one.Role, term.OneLine(strings.Join(one.TaskRoles, ", ")),
			term.OneLine(strings.Join(one.Plans, ", ")), expires,
		})
	}
	s.Println(s.Fit(t.Lines(s))...)
	return nil
}

// tokenFlags say for whom a token is made.
type tokenFlags struct {
	identity.Token
	expires string
	json    bool
}

func (m *Main) tokensCreateCommand() *cobra.Command {
	var f tokenFlags
	c := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token, and show it once",
		Long: "Make a token and write it to standard output, the only time that it is shown: the store keeps its SHA-256. Everything else that is " +
			"said goes to standard error. NAME is for you: it is listed, and revoked. Requests with the token are made by the person, under " +
			"whose id all that they do is recorded. The roles are: " + rolesHelp() + ".",
		Example: "fermata tokens create ada-laptop --person ada@example.com --person-name Ada --role operator --task-role manager\n" +
			"fermata tokens create ci --role operator --plan 'refund*' --expires 30d\nfermata tokens create ci --role viewer --json",
		Args: func(_ *cobra.Command, args []string) error { return oneOf(args, "NAME, by which the token is listed") },
		RunE: func(c *cobra.Command, args []string) error {
			f.Name = args[0]
			return m.createToken(c.Context(), &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Role, "role", "", "what it is for: the `name` of a role, "+strings.Join(roleNames(), ", "))
	flags.StringVar(&f.Person, "person", "", "whose it is: the `id` that goes on record (default NAME)")
	flags.StringVar(&f.PersonName, "person-name", "", "what the person is called where they are shown: a `name`")
	flags.StringSliceVar(&f.TaskRoles, "task-role", nil, "the `roles` in which the person answers questions (required_role)")
	flags.StringSliceVar(&f.Plans, "plan", nil, "only runs of the recipes with these `names`; refund* are all that begin so (default all)")
	flags.StringVar(&f.expires, "expires", "90d", "when it works no more: a `time` from now (30d, 12h), a date, or never")
	flags.BoolVar(&f.json, "json", false, "write a line of JSON, with the token in it")
	_ = c.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(roleNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (m *Main) createToken(ctx context.Context, f *tokenFlags) error {
	if f.Role == "" {
		return usagef("expected --role, one of %s", strings.Join(roleNames(), ", "))
	}
	var wait time.Duration
	var at time.Time
	if f.expires != "never" {
		var err error
		if wait, at, err = momentOf("--expires", f.expires); err != nil {
			return usagef("%v; or never", err)
		}
	}
	return m.withTokens(ctx, true, func(h *house, tokens *identity.Tokens) error {
		if f.Expires = at; wait > 0 {
			f.Expires = h.Now().Add(wait)
		}
		secret, token, err := tokens.Create(ctx, f.Token, m.user())
		if _, failed := errors.AsType[*journal.StoreError](err); err != nil && !failed {
			return usagef("%w", err)
		}
		if err != nil {
			return err
		}
		if f.json {
			m.writeLine(tokenLine{Token: token, Secret: secret.Reveal()})
			return nil
		}
		m.out.Println(secret.Reveal())
		expires := "it does not expire"
		if !token.Expires.IsZero() {
			expires = "it expires on " + token.Expires.Format(time.DateOnly)
		}
		m.err.Println("this is the only time that the token is shown; " + expires)
		m.err.Println("to end it: " + m.command("tokens", "revoke", token.Name))
		return nil
	})
}

func (m *Main) tokensRevokeCommand() *cobra.Command {
	var why string
	var asJSON bool
	c := &cobra.Command{
		Use:   "revoke NAME",
		Short: "End a token: it works no more, from the next request on",
		Long: "End a token, by its name or its id. From the next request on it works no more, and streams that it has open end within " +
			"seconds. The store keeps who made and who revoked it.",
		Example: "fermata tokens revoke ada-laptop --reason 'the laptop was lost'",
		Args:    func(_ *cobra.Command, args []string) error { return oneOf(args, "NAME, the name or the id of a token") },
		RunE: func(c *cobra.Command, args []string) error {
			return m.withTokens(c.Context(), false, func(_ *house, tokens *identity.Tokens) error {
				if tokens == nil {
					return &identity.NotFoundError{Name: args[0]}
				}
				token, err := tokens.Revoke(c.Context(), args[0], m.user(), why)
				switch {
				case err != nil:
					return err
				case asJSON:
					m.writeLine(tokenLine{Token: token})
				default:
					m.out.Println("revoked " + term.OneLine(token.Name) + ", a token of " + term.OneLine(token.Person))
				}
				return nil
			})
		},
		ValidArgsFunction: m.completeTokens,
	}
	c.Flags().StringVar(&why, "reason", "", "why, for the record: a `text`")
	c.Flags().BoolVar(&asJSON, "json", false, "write the token that was revoked as a line of JSON")
	return c
}

// completeTokens completes the names of tokens.
func (m *Main) completeTokens(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		_ = m.withTokens(c.Context(), false, func(_ *house, tokens *identity.Tokens) error {
			if tokens == nil {
				return nil
			}
			all, err := tokens.List(c.Context())
			for i := range all {
				names = append(names, all[i].Name)
			}
			return err
		})
	}
	return slices.Clip(names), cobra.ShellCompDirectiveNoFileComp
}
