package identity

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/settings"
)

// Token says for whom a token stands, without its secret.
type Token struct {
	ID         string    `json:"id"`                   // in the token behind its prefix; not a secret
	Name       string    `json:"name"`                 // by which it is found and revoked
	Person     string    `json:"person"`               // the id of the person; defaults to the name of the token
	PersonName string    `json:"personName,omitempty"` // what the person is called where they are shown
	Role       string    `json:"role"`                 // one of Roles
	TaskRoles  []string  `json:"taskRoles,omitempty"`  // the roles in which the person answers questions
	Plans      []string  `json:"plans,omitempty"`      // the plans that it is for, see Person.Plans
	Expires    time.Time `json:"expires,omitzero"`     // zero for a token that does not expire
	Created    time.Time `json:"created"`
	By         string    `json:"by,omitempty"` // who made it
}

// Expired reports whether the token has expired at a time.
func (t *Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// person is for whom the token stands. A role that this version does not know has no rights.
func (t *Token) person() Person {
	role, _ := RoleNamed(t.Role)
	return Person{ID: t.Person, Name: t.PersonName, Role: t.Role, Rights: role.Rights, TaskRoles: t.TaskRoles, Plans: t.Plans, Login: ByToken}
}

// maxList bounds the task roles and the plans of a token.
const maxList = 100

// check reports why a token cannot be made.
func (t *Token) check(now time.Time) error {
	texts := slices.Concat([]string{t.Name, t.Person, t.PersonName, t.Role}, t.TaskRoles, t.Plans)
	if holdsToken(strings.Join(texts, " ")) {
		return errors.New("a token stands where a name is expected: it is a secret, and names are shown")
	}
	if _, err := RoleNamed(t.Role); err != nil {
		return err
	}
	if err := checkText("the name of a token", t.Name); err != nil {
		return err
	}
	if err := checkText("the id of a person", t.Person); err != nil {
		return err
	}
	if t.PersonName != "" {
		if err := checkText("the name of a person", t.PersonName); err != nil {
			return err
		}
	}
	if err := checkScope(t.TaskRoles, t.Plans); err != nil {
		return err
	}
	if t.Expired(now) {
		return fmt.Errorf("the token would have expired at %v; it is %v", t.Expires.UTC(), now.UTC())
	}
	return nil
}

// checkScope reports why a person cannot have task roles and plans.
func checkScope(taskRoles, plans []string) error {
	for _, role := range taskRoles {
		if err := checkText("a task role", role); err != nil {
			return err
		}
	}
	for _, plan := range plans {
		if plan == "" || len(plan) > 200 || strings.Contains(strings.TrimSuffix(plan, "*"), "*") {
			return fmt.Errorf("plan %q: expected the name of a plan, or the beginning of names with * behind it, such as refund*", plan)
		}
	}
	if len(taskRoles) > maxList || len(plans) > maxList {
		return fmt.Errorf("expected at most %d task roles and plans", maxList)
	}
	return nil
}

func checkText(what, text string) error {
	if text == "" || len(text) > 200 || text != strings.TrimSpace(text) {
		return fmt.Errorf("%s: expected 1 to 200 bytes without space around them, found %q", what, text)
	}
	return printable.Check(what, text)
}

// what is the kind of settings that tokens are.
const what = "token"

// kept is the document of a token.
type kept struct {
	SHA256 string `json:"sha256"` // of the whole token, in hexadecimal digits
	Token
}

// Tokens are the tokens of a store. Its methods may be called from several goroutines and processes.
type Tokens struct {
	settings *settings.Settings
	now      func() time.Time
}

// NewTokens returns the tokens among settings. The time decides what has expired: give that of the runtime (law J12).
func NewTokens(s *settings.Settings, now func() time.Time) *Tokens {
	return &Tokens{settings: s, now: now}
}

// Create makes a token, and returns its secret: the only time that anybody sees it. It fails where a token has the name.
func (t *Tokens) Create(ctx context.Context, token Token, by string) (Secret, Token, error) {
	now := t.now().UTC().Truncate(time.Microsecond)
	if token.Person == "" {
		token.Person = token.Name
	}
	if err := token.check(now); err != nil {
		return Secret{}, Token{}, err
	}
	all, err := t.List(ctx)
	if err != nil {
		return Secret{}, Token{}, err
	}
	if slices.ContainsFunc(all, func(other Token) bool { return other.Name == token.Name }) {
		return Secret{}, Token{}, fmt.Errorf("there is a token %q already: revoke it, or choose another name", token.Name)
	}
	secret, id := newSecret(Prefix)
	token.ID, token.Created, token.By, token.Expires = id, now, by, token.Expires.UTC()
	data, err := json.Marshal(kept{SHA256: digest(secret.Reveal()), Token: token})
	if err != nil {
		return Secret{}, Token{}, err
	}
	if _, err := t.settings.Put(ctx, what, id, 0, settings.Change{Value: data, By: by}); err != nil {
		return Secret{}, Token{}, err
	}
	return secret, token, nil
}

// List returns all tokens by their names, expired ones too. Revoked ones are gone.
func (t *Tokens) List(ctx context.Context) (all []Token, err error) {
	list, err := t.settings.List(ctx, what)
	if err != nil {
		return nil, err
	}
	byName, names := make(map[string]Token), make([]string, len(list))
	for i := range list {
		k, err := decode(&list[i])
		if err != nil {
			return nil, err
		}
		names[i] = k.Name + "\x00" + k.ID
		byName[names[i]] = k.Token
	}
	slices.Sort(names)
	for _, name := range names {
		all = append(all, byName[name])
	}
	return all, nil
}

// Find finds a token by its name or its id.
func (t *Tokens) Find(ctx context.Context, nameOrID string) (Token, error) {
	all, err := t.List(ctx)
	if err != nil {
		return Token{}, err
	}
	var found []Token
	var names []string
	for i := range all {
		if all[i].Name == nameOrID || all[i].ID == nameOrID {
			found = append(found, all[i])
		}
		names = append(names, all[i].Name)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Token{}, fmt.Errorf("%d tokens are called %q: name one by its id, such as %s", len(found), nameOrID, found[0].ID)
	}
	return Token{}, &NotFoundError{Name: nameOrID, Names: names}
}

// NotFoundError says that no token has a name or an id.
type NotFoundError struct {
	Name  string   // that was looked for
	Names []string // of the tokens that there are
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("there is no token %q%s", shortened(e.Name), nearest.Hint(e.Name, e.Names))
}

// shortened is a name for a message, and never a secret that was given in its place.
func shortened(text string) string {
	if id, err := idOf(text); err == nil {
		return Prefix + id + "…"
	}
	return text
}

// Revoke ends a token. It works no more, from the next request on.
func (t *Tokens) Revoke(ctx context.Context, nameOrID, by, why string) (Token, error) {
	token, err := t.Find(ctx, nameOrID)
	if err != nil {
		return Token{}, err
	}
	d, err := t.settings.Get(ctx, what, token.ID)
	if err == nil {
		_, err = t.settings.Put(ctx, what, token.ID, d.Seq, settings.Change{By: by, Why: why})
	}
	return token, err
}

// ErrNoLogin says that nobody is known by what was presented.
var ErrNoLogin = errors.New("no login")

// Check finds the person of a token. It fails with ErrNoLogin where the text is no token, or one that is not known, revoked or expired.
func (t *Tokens) Check(ctx context.Context, text string) (Person, error) {
	id, err := idOf(text)
	if err != nil {
		return Person{}, ErrNoLogin
	}
	d, err := t.settings.Get(ctx, what, id)
	if errors.Is(err, settings.ErrNotFound) {
		return Person{}, ErrNoLogin
	}
	if err != nil {
		return Person{}, err
	}
	k, err := decode(&d)
	if err != nil {
		return Person{}, err
	}
	if subtle.ConstantTimeCompare([]byte(digest(text)), []byte(k.SHA256)) != 1 || k.Expired(t.now()) {
		return Person{}, ErrNoLogin
	}
	return k.person(), nil
}

func decode(d *settings.Document) (k kept, err error) {
	if err := json.Unmarshal(d.Value, &k); err != nil {
		return k, fmt.Errorf("token %s: the document cannot be read: %w", d.Name, err)
	}
	k.ID = d.Name
	return k, nil
}
