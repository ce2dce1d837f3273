package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/nearest"
	answers "github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/server"
)

// talking serves the conversations of the dialogues of a folder. A conversation goes on with the dialogue that it was begun
// with, also after its file has changed.
type talking struct {
	m              *Main
	house          *house
	hosts, origins []string
	who            func(r *http.Request) (server.Person, error) // makes a request; nil where nobody has to log in

	readOnly bool // conversations are shown, and not continued

	mu       sync.Mutex
	versions map[string]*talk // by the digest of the dialogue
}

// mostVersions bounds how many versions of dialogues are kept in memory.
const mostVersions = 64

// talk serves the conversations of one version of a dialogue.
type talk struct {
	dialogue *dialogue.Dialogue
	web      http.Handler
}

// talksOf serves the conversations of a dialogue as the folder has it now.
func (t *talking) talksOf(d *dialogue.Dialogue) http.Handler {
	now, mux, plan := t.version(d), http.NewServeMux(), d.Plan().Name()
	mux.HandleFunc("POST /conversations", func(w http.ResponseWriter, r *http.Request) { t.open(w, r, now) })
	mux.HandleFunc("/conversations/{id}", func(w http.ResponseWriter, r *http.Request) { t.one(w, r, plan, now) })
	mux.HandleFunc("/conversations/{id}/", func(w http.ResponseWriter, r *http.Request) { t.one(w, r, plan, now) })
	mux.Handle("/", now.web)
	return t.known(plan, mux)
}

// version serves a dialogue. All who ask for one version share its conversations, so that messages to one wait for each other.
func (t *talking) version(d *dialogue.Dialogue) *talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.versions[d.Digest()]; v != nil {
		return v
	}
	talks := dialogue.NewConversations(t.house.Runtime, d, dialogue.ConversationOptions{
		Start: []fermata.StartOption{fermata.WithDefinition(d.Digest()), fermata.StartedBy(t.m.user())},
	})
	hosts, plan := append([]string{"localhost"}, t.hosts...), d.Plan().Name()
	if t.who != nil {
		hosts = nil
	}
	v := &talk{dialogue: d, web: web.New(talks, web.Options{
		Authorize: func(r *http.Request, id string) (agent bool, err error) { return t.speaks(r, id, plan) },
		Open: func(r *http.Request) (string, map[string]any, error) {
			begun, _ := r.Context().Value(beginningKey{}).(*beginning)
			if begun == nil {
				return "", nil, errors.New("the request was not read")
			}
			return begun.ID, begun.Context, nil
		},
		Desk:   func(r *http.Request) error { return t.may(r, identity.Tasks, plan) },
		Review: func(r *http.Request) error { return t.may(r, identity.Author, plan) },
		Events: func(r *http.Request, _ string) error { return t.may(r, identity.Operate, plan) },
		Hosts:  hosts, Origins: t.origins, Logger: t.m.serveLog(), ReadOnly: t.readOnly,
	})}
	if t.versions == nil || len(t.versions) >= mostVersions {
		t.versions = make(map[string]*talk) // those that are left out are restored when they are needed
	}
	t.versions[d.Digest()] = v
	return v
}

// beginning is what a conversation is begun with.
type beginning struct {
	ID      string
	Context map[string]any // nil where the body has none

	key bool // an Idempotency-Key has made the id
}

// read decodes a body; an empty one says nothing.
func (b *beginning) read(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return errors.New("found something else")
	}
	known := []string{"context", "id"}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown member %q%s", name, nearest.Hint(name, known))
		}
	}
	d := json.NewDecoder(bytes.NewReader(members["context"]))
	d.UseNumber()
	if members["context"] != nil && d.Decode(&b.Context) != nil {
		return errors.New("context: expected an object of names and values")
	}
	if members["id"] != nil && json.Unmarshal(members["id"], &b.ID) != nil {
		return errors.New("id: expected a text")
	}
	return nil
}

type beginningKey struct{}

// mostBeginning bounds the body that begins a conversation, in bytes.
const mostBeginning = 1 << 20

// open begins a conversation. Its dialogue is stored first, so that any process can go on with it.
func (t *talking) open(w http.ResponseWriter, r *http.Request, now *talk) {
	person, err := t.person(r)
	if err == nil && !person.May(identity.Talk, now.dialogue.Plan().Name()) {
		err = fermata.ErrForbidden
	}
	if err != nil {
		notTaken(w, http.StatusForbidden, fermata.CodeForbidden, "not allowed")
		return
	}
	begun, err := readBeginning(w, r, person.ID, now.dialogue.Name())
	if err != nil {
		notTaken(w, http.StatusUnprocessableEntity, fermata.CodeInvalid, err.Error())
		return
	}
	ctx := context.WithValue(r.Context(), beginningKey{}, begun)
	info, err := t.house.Info(ctx, begun.ID)
	switch {
	case err == nil:
		t.openAgain(w, r.WithContext(ctx), now, begun, &info)
		return
	case !errors.Is(err, fermata.ErrNotFound):
		t.failed(w, r, err)
		return
	}
	if _, err := now.dialogue.Begin(begun.Context); err != nil {
		notTaken(w, http.StatusUnprocessableEntity, fermata.CodeInvalid, err.Error())
		return
	}
	if _, err := t.house.SaveDefinition(ctx, dialogueKind, now.dialogue.Source()); err != nil {
		t.failed(w, r, err)
		return
	}
	now.web.ServeHTTP(w, r.WithContext(ctx))
}

// openAgain finds the conversation that has the id. One that was begun with another context is not the one that is meant: two users
// must not meet in it.
func (t *talking) openAgain(w http.ResponseWriter, r *http.Request, now *talk, begun *beginning, info *fermata.RunInfo) {
	if !isTalkOf(info, now.dialogue.Plan().Name()) {
		notTaken(w, http.StatusConflict, fermata.CodeConflict, fmt.Sprintf("%s is a run of %q, and no conversation of %q; choose another id", begun.ID, info.Plan, now.dialogue.Name()))
		return
	}
	v := t.of(r.Context(), info, now)
	if begun.key || begun.Context != nil {
		same, err := t.begunAlike(r.Context(), v.dialogue, begun)
		switch {
		case err != nil:
			t.failed(w, r, err)
			return
		case !same && begun.key:
			notTaken(w, http.StatusUnprocessableEntity, fermata.CodeInvalid, fmt.Sprintf(
				"this Idempotency-Key has begun conversation %s with another context: repeat a request as it was, or use a new key", begun.ID))
			return
		case !same:
			notTaken(w, http.StatusConflict, fermata.CodeConflict, fmt.Sprintf(
				"conversation %s was begun with another context: choose another id, or leave out the context to continue it", begun.ID))
			return
		}
	}
	v.web.ServeHTTP(w, r)
}

// begunAlike reports whether a conversation was begun with the context that a request has.
func (t *talking) begunAlike(ctx context.Context, d *dialogue.Dialogue, begun *beginning) (bool, error) {
	first, err := t.house.StateAt(ctx, fermata.At{Run: begun.ID, Seq: 1})
	if err != nil {
		return false, err
	}
	s, err := d.Begin(begun.Context)
	if err != nil {
		return false, nil //nolint:nilerr // it would begin no conversation, and so not this one
	}
	wanted, err := json.Marshal(s)
	if err != nil {
		return false, err
	}
	contextOf := func(state []byte) (is struct{ Context any }, err error) {
		d := json.NewDecoder(bytes.NewReader(state))
		d.UseNumber()
		err = d.Decode(&is)
		return is, err
	}
	a, err := contextOf(first)
	if err != nil {
		return false, err
	}
	b, err := contextOf(wanted)
	return reflect.DeepEqual(a, b), err
}

// conversationID is the form of the ids of conversations that are begun over HTTP, which are parts of paths.
var conversationID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~@:+=-]{0,199}$`)

// readBeginning reads the body of a request that begins a conversation. An Idempotency-Key makes the id of it. With a login the id
// says whose it is, and nobody chooses it.
func readBeginning(w http.ResponseWriter, r *http.Request, person, dialogue string) (*beginning, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBeginning))
	if err != nil {
		return nil, fmt.Errorf("the body could not be read: %w", err)
	}
	begun := new(beginning)
	if err := begun.read(data); err != nil {
		return nil, fmt.Errorf(`expected {"context": {…}, "id": "…"}, both of which may be left out: %w`, err)
	}
	key := r.Header.Get("Idempotency-Key")
	switch {
	case key != "" && begun.ID != "":
		return nil, errors.New("expected an id or an Idempotency-Key, found both")
	case person != "" && begun.ID != "":
		return nil, errors.New("expected no id: with a login the server chooses it; an Idempotency-Key makes the request repeatable")
	case key != "":
		begun.ID, begun.key = talksOfPerson(person)+strings.TrimPrefix(api.RunID(person, dialogue+"\x00"+key), "run_"), true
	case begun.ID == "":
		var b [16]byte
		_, _ = rand.Read(b[:]) // it never fails
		begun.ID = talksOfPerson(person) + hex.EncodeToString(b[:])
	case !conversationID.MatchString(begun.ID):
		return nil, fmt.Errorf("id %q: expected at most 200 letters a to z, digits and . _ ~ @ : + = -, beginning with a letter or a digit", begun.ID)
	}
	return begun, nil
}

// gone serves the conversations of a dialogue that the folder has no more. None is begun.
func (t *talking) gone(plan string) http.Handler {
	mux := http.NewServeMux()
	serve := func(w http.ResponseWriter, r *http.Request) { t.one(w, r, plan, nil) }
	mux.HandleFunc("/conversations/{id}", serve)
	mux.HandleFunc("/conversations/{id}/", serve)
	return t.known(plan, mux)
}

// one serves a request about a conversation, by the version of the dialogue that it was begun with; now is that of the folder, nil
// for none.
func (t *talking) one(w http.ResponseWriter, r *http.Request, plan string, now *talk) {
	if as := r.URL.Query().Get("as"); as != "" && as != "agent" {
		notTaken(w, http.StatusBadRequest, fermata.CodeInvalid, fmt.Sprintf("as=%s: expected as=agent, for what the person says who has taken over, or nothing, for the user", as))
		return
	}
	info, err := t.house.Info(r.Context(), r.PathValue("id"))
	if _, no := t.speaks(r, r.PathValue("id"), plan); no != nil && t.may(r, identity.Operate, plan) != nil {
		err = fermata.ErrNotFound
	}
	var v *talk
	if err == nil && isTalkOf(&info, plan) {
		v = t.of(r.Context(), &info, now)
	}
	switch {
	case err != nil && !errors.Is(err, fermata.ErrNotFound):
		t.failed(w, r, err)
	case v == nil:
		notTaken(w, http.StatusNotFound, fermata.CodeNotFound, fmt.Sprintf("%q has no such conversation", plan))
	default:
		v.web.ServeHTTP(w, r)
	}
}

// isTalkOf reports whether a run is a conversation of a dialogue, of whatever version.
func isTalkOf(info *fermata.RunInfo, plan string) bool {
	return info.Kind == dialogueKind && info.Plan == plan
}

// of is the version of the dialogue that a conversation was begun with: the present one, in any of its languages, or the one that
// is stored with the run. One that cannot be restored here is served by the present one; nil where there is none.
func (t *talking) of(ctx context.Context, info *fermata.RunInfo, now *talk) *talk {
	if info.Definition == "" {
		return now
	}
	if now != nil {
		for _, language := range now.dialogue.Languages() {
			if now.dialogue.In(language).Digest() == info.Definition {
				return now
			}
		}
	}
	t.mu.Lock()
	known := t.versions[info.Definition]
	t.mu.Unlock()
	if known != nil {
		return known
	}
	kind, text, err := t.house.Definition(ctx, info.Definition)
	if err != nil || kind != dialogueKind {
		return now
	}
	d, err := dialogue.Restore(text, t.m.dialogueOptions(""))
	if err != nil {
		t.m.serveLog().WarnContext(ctx, "the dialogue of a conversation cannot be restored", "conversation", info.ID, "error", err)
		return now
	}
	return t.version(d)
}

func (t *talking) failed(w http.ResponseWriter, r *http.Request, err error) {
	t.m.serveLog().ErrorContext(r.Context(), "a conversation failed", "request", r.Pattern, "error", err)
	notTaken(w, http.StatusInternalServerError, fermata.CodeInternal, "an internal error")
}

// notTaken refuses a request as package dialogue/web does.
func notTaken(w http.ResponseWriter, status int, code fermata.Code, text string) {
	answers.JSON(w, status, struct {
		Text string `json:"error"`
		Code string `json:"code"`
	}{text, string(cmp.Or(code, fermata.CodeInternal))})
}
