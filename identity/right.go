package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Right is something that a person may do.
type Right string

// The rights. Each route of packages api and server asks for one of them.
const (
	View    Right = "view"    // look at definitions, schedules and runs, with their values
	Talk    Right = "talk"    // hold conversations with dialogues
	Tasks   Right = "tasks"   // find questions, answer them and hand them over
	Start   Right = "start"   // start runs
	Operate Right = "operate" // cancel, retry and fork runs, send them messages, export them
	Author  Right = "author"  // see which files of definitions cannot be loaded, and why
	Deploy  Right = "deploy"  // bring code: import runs, which come with their definitions
	Audit   Right = "audit"   // see who has done what
)

// Rights returns all rights.
func Rights() []Right { return []Right{View, Talk, Tasks, Start, Operate, Author, Deploy, Audit} }

// Role is a name for rights.
type Role struct {
	Name   string
	Rights []Right
	About  string // for people
}

// Roles returns the roles that there are.
func Roles() []Role {
	return []Role{
		{"viewer", []Right{View}, "looks at definitions and runs"},
		{"clerk", []Right{Tasks}, "answers questions, and sees no runs but for what a question shows"},
		{"operator", []Right{View, Talk, Tasks, Start, Operate}, "starts, answers, cancels, retries and forks runs"},
		{"author", []Right{View, Talk, Tasks, Start, Operate, Author}, "an operator who sees what is wrong with files"},
		{"admin", Rights(), "may do everything, also what later versions add"},
	}
}

// RoleNamed finds a role.
func RoleNamed(name string) (Role, error) {
	for _, r := range Roles() {
		if r.Name == name {
			return r, nil
		}
	}
	names := roleNames()
	return Role{}, fmt.Errorf("there is no role %q%s; expected %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

func roleNames() (names []string) {
	for _, r := range Roles() {
		names = append(names, r.Name)
	}
	return names
}

// Person is who makes a request.
type Person struct {
	ID        string   // who they are: recorded with what they do, and compared
	Name      string   // what they are called where they are shown; "" for the ID
	Role      string   // the name of their rights, where it is shown
	Rights    []Right  // what they may do
	TaskRoles []string // the roles in which they answer questions (required_role)
	Plans     []string // the plans that they may do it with: names, or "refund*" for all that begin so; none for all plans
	Login     string   // how they have logged in: ByToken, BySession, ByIssuer or ByProxy; "" where it is not known
}

// How a person has logged in.
const (
	ByToken   = "token"   // of the store
	BySession = "session" // begun in a browser, with a login at an issuer
	ByIssuer  = "issuer"  // a JWT that the issuer signed, in a header
	ByProxy   = "proxy"   // the headers of a proxy that was named
)

// May reports whether the person has a right for a plan; "" asks whether for any plan at all.
func (p *Person) May(right Right, plan string) bool {
	return slices.Contains(p.Rights, right) && (plan == "" || p.Sees(plan))
}

// Sees reports whether a plan is among those that the person may do anything with.
func (p *Person) Sees(plan string) bool {
	return len(p.Plans) == 0 || slices.ContainsFunc(p.Plans, func(scope string) bool {
		if begin, ok := strings.CutSuffix(scope, "*"); ok {
			return strings.HasPrefix(plan, begin)
		}
		return scope == plan
	})
}
