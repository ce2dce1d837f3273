package question

import (
	"errors"
	"slices"

	"github.com/fermata-go/fermata/internal/identity"
)

// SamePerson reports whether two ids or names belong to one person. Answers, claims and assignments all use
// this rule (laws H2, H6 and H7). It compares by Unicode's NFKC_Casefold, without invisible characters. Case,
// the dot of an i and the amount of white space do not matter. Letters that only look alike differ. A blank
// name is nobody's, so it equals no other.
func SamePerson(a, b string) bool { return identity.Same(a, b) }

// IsNobody reports whether a name is blank, and so names no person.
func IsNobody(name string) bool { return identity.IsBlank(name) }

// IsAmong reports whether one of the people has this name, by SamePerson.
func IsAmong(people []string, name string) bool {
	return slices.ContainsFunc(people, func(other string) bool { return SamePerson(other, name) })
}

// ErrNoStarter says that four eyes cannot be checked: the starter is unknown.
var ErrNoStarter = errors.New("four eyes: nobody knows who started the run, so it cannot be said who else may answer; " +
	"start it with fermata.StartedBy, or fermata run --as NAME")

// ErrNoForker says the same of a fork, whose values its author may have changed.
var ErrNoForker = errors.New("four eyes: nobody knows who forked the run, so it cannot be said who else may answer; " +
	"give ForkOptions.By, or Options.Name, or fermata runs fork --as ID")

// ErrForOne says that nobody could ever answer.
var ErrForOne = errors.New("four eyes: the question is for one person, who may not answer it; " +
	"let another person be the assignee, or nobody in particular")
