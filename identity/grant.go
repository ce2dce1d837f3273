package identity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Everybody is the group of all whom an issuer or a proxy knows.
const Everybody = "*"

// Grant is what the people of a group may do.
type Grant struct {
	Group     string   // as the issuer or the proxy names it, or Everybody
	Role      string   // one of Roles; "" for a grant that only adds TaskRoles
	TaskRoles []string // the roles in which they answer questions
	Plans     []string // the plans that the role is for, see Person.Plans; none for all
}

// Prefixes of the parts of a grant behind its role.
const (
	taskPart = "task:"
	planPart = "plan:"
)

// ParseGrant reads a grant, such as "finance=operator,task:manager,plan:refund*".
//
// Others are "auditors=task:auditor", which adds a task role, and "*=viewer".
func ParseGrant(text string) (Grant, error) {
	at := strings.LastIndex(text, "=") // the names of groups in directories have some
	if at < 0 {
		return Grant{}, fmt.Errorf("grant %q: expected GROUP=ROLE, such as finance=operator,task:manager,plan:refund*", text)
	}
	g := Grant{Group: strings.TrimSpace(text[:at])}
	for part := range strings.SplitSeq(text[at+1:], ",") {
		part = strings.TrimSpace(part)
		task, isTask := strings.CutPrefix(part, taskPart)
		plan, isPlan := strings.CutPrefix(part, planPart)
		switch {
		case isTask:
			g.TaskRoles = append(g.TaskRoles, task)
		case isPlan:
			g.Plans = append(g.Plans, plan)
		case g.Role != "":
			return Grant{}, fmt.Errorf("grant %q: expected one role, found %q and %q; the roles in which questions are answered are task:NAME", text, g.Role, part)
		case part != "":
			g.Role = part
		}
	}
	if err := g.check(); err != nil {
		return Grant{}, fmt.Errorf("grant %q: %w", text, err)
	}
	return g, nil
}

func (g *Grant) check() error {
	if g.Role != "" {
		if _, err := RoleNamed(g.Role); err != nil {
			return err
		}
	}
	switch {
	case g.Role == "" && len(g.TaskRoles) == 0:
		return fmt.Errorf("expected a role behind =, one of %s, or task:NAME", strings.Join(roleNames(), ", "))
	case g.Role == "" && len(g.Plans) > 0:
		return errors.New("plan: limits a role, and there is none")
	}
	if err := checkText("the name of a group", g.Group); err != nil {
		return err
	}
	return checkScope(g.TaskRoles, g.Plans)
}

// Grants are what groups may do, the most important first.
//
// The first of them that has a role, and a group of the person's, says what the person may do, with its task roles and its plans, and
// no other with a role counts: so rights for some plans never become rights for others. Grants without a role add their task roles.
type Grants []Grant

// ErrNoGrant says that a person is known and has no group that may do anything here.
var ErrNoGrant = errors.New("none of the person's groups may do anything here")

// Person returns the person with an id, a name ("" for none) and groups. It fails with ErrNoGrant where no grant has a role for them,
// and where the id or the name is none that can be recorded and shown.
func (all Grants) Person(id, name string, groups []string) (Person, error) {
	if err := checkText("the id of a person", id); err != nil {
		return Person{}, err
	}
	if name != "" {
		if err := checkText("the name of a person", name); err != nil {
			return Person{}, err
		}
	}
	if holdsToken(id) || holdsToken(name) {
		return Person{}, errors.New("a token stands where a name is expected: it is a secret, and names are shown")
	}
	p := Person{ID: id, Name: name}
	for i := range all {
		g := &all[i]
		switch {
		case g.Group != Everybody && !slices.Contains(groups, g.Group), g.Role != "" && p.Role != "":
			continue
		case g.Role != "":
			role, err := RoleNamed(g.Role)
			if err != nil {
				return Person{}, err
			}
			p.Role, p.Rights, p.Plans = role.Name, role.Rights, g.Plans
		}
		p.TaskRoles = append(p.TaskRoles, g.TaskRoles...)
	}
	if p.Role == "" {
		return Person{}, ErrNoGrant
	}
	slices.Sort(p.TaskRoles)
	p.TaskRoles = slices.Compact(p.TaskRoles)
	return p, nil
}
