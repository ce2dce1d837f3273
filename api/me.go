package api

import (
	"cmp"
	"slices"

	"github.com/fermata-go/fermata/identity"
)

// meShown is who makes a request, and what they may do.
type meShown struct {
	Known     bool             `json:"known" jsonschema:"Whether the server knows who asks. If not, everybody may do everything, and name and role are what a body says (by, role)"`
	ID        string           `json:"id,omitempty" jsonschema:"Who they are: recorded with what they do"`
	Name      string           `json:"name,omitempty" jsonschema:"What they are called"`
	Role      string           `json:"role,omitempty" jsonschema:"The name of their rights, such as operator"`
	Rights    []identity.Right `json:"rights" jsonschema:"What they may do, for some plan at least: view, talk, tasks, start, operate, author, audit"`
	TaskRoles []string         `json:"taskRoles,omitempty" jsonschema:"The roles in which they answer questions"`
	Login     string           `json:"login,omitempty" jsonschema:"How they have logged in: token, session, issuer, proxy"`
}

// me says who makes a request.
func (h *Handler) me(in *request) (*answer, error) {
	out := meShown{Known: in.who != nil, Rights: []identity.Right{}}
	for _, right := range identity.Rights() {
		if h.may(in.who, right, "") {
			out.Rights = append(out.Rights, right)
		}
	}
	if in.who != nil {
		out.ID, out.Role, out.TaskRoles, out.Login = in.who.id(), in.who.Role, slices.Clone(in.who.Roles), in.who.Login
		out.Name = cmp.Or(in.who.Name, out.ID)
	}
	return &answer{body: out}, nil
}
