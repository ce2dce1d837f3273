package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// situation is who asks to do what about which question.
type situation struct {
	do                question.Action
	assignee, claimer string // "", "me", "other"
	role, override    string // "", "mine", "another"
	apart             bool   // the person started a run whose question needs four eyes
	token             string // "none required", "right", "wrong", "missing"
}

func (s *situation) String() string { return fmt.Sprintf("%+v", *s) }

// allowed is the law in other words than the table's.
func (s *situation) allowed() bool {
	mine := s.assignee != "other" && s.claimer != "other"
	inRole, overrides := s.role != "another", s.override == "mine"
	switch {
	case s.token == "wrong":
		return false
	case s.do == question.Release && mine:
		return true
	case s.do == question.Release:
		return overrides && !s.apart
	case s.do == question.Answer || s.do == question.Claim:
		return mine && inRole && !s.apart && s.token != "missing"
	case mine && inRole: // to reassign or to escalate
		held := s.assignee == "me" || s.claimer == "me"
		return s.token != "missing" && (held || !s.apart)
	}
	return overrides && !s.apart
}

func (s *situation) admitted(t *testing.T, in *Inbox) bool {
	t.Helper()
	sum := sha256.Sum256([]byte("secret"))
	q := journal.Interrupt{
		ID: "int_1", Run: "run_1", Task: "a#1", State: journal.Open, Assignee: s.assignee, Role: s.role, OverrideRole: s.override,
		NeedsToken: s.token != "none required", TokenHash: hex.EncodeToString(sum[:]),
	}
	if s.claimer != "" {
		q.State, q.ClaimedBy = journal.Claimed, s.claimer
	}
	if s.apart {
		q.NotBy = []string{"me"}
	}
	o := runtype.AnswerOptions{By: "me", Roles: []string{"mine"}}
	switch s.token {
	case "right":
		o.Token = "secret"
	case "wrong":
		o.Token = "guessed"
	}
	by, err := in.admit(t.Context(), &q, s.do, &o, 1, nil)
	var door *runtype.Error
	if err != nil && (!errors.As(err, &door) || door.Code != runtype.CodeForbidden && (door.Code != runtype.CodeConflict || !errors.Is(err, runtype.ErrClaimed))) {
		t.Errorf("%s: refused with %v", s, err)
	}
	held := s.assignee == "other" || s.claimer == "other"
	if err == nil && held && by == "" {
		t.Errorf("%s: taken from its holder without a role that may", s)
	}
	return err == nil
}

// Every verb, in every situation that there is, does what the law says.
func TestH7_TheTableOfRights(t *testing.T) {
	in := &Inbox{Storage: &storage.Storage{Store: memory.New()}, Schemas: &question.Schemas{}}
	people, roles := []string{"", "me", "other"}, []string{"", "mine", "another"}
	n, yes := 0, 0
	for do := range question.Escalate + 1 {
		for _, assignee := range people {
			for _, claimer := range people {
				for _, role := range roles {
					for _, over := range roles {
						for _, token := range []string{"none required", "right", "wrong", "missing"} {
							for _, apart := range []bool{false, true} {
								s := situation{do, assignee, claimer, role, over, apart, token}
								got := s.admitted(t, in)
								if n++; got {
									yes++
								}
								if got != s.allowed() {
									t.Errorf("%s: admitted %t, expected %t", &s, got, s.allowed())
								}
							}
						}
					}
				}
			}
		}
	}
	if n != 3240 || yes == 0 || yes == n {
		t.Errorf("%d of %d situations are admitted", yes, n)
	}
}
