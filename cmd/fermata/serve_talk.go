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
	"net/http"
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
	m     *Main
	house *house
	hosts []string
	who   func(r *http.Request) (server.Person, error) // makes a request; nil where nobody has to log in

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
	now, mux := t.version(d), http.NewServeMux()
	mux.HandleFunc("POST /conversations", func(w http.ResponseWriter, r *http.Request) { t.open(w, r, now) })
	mux.HandleFunc("/conversations/{id}", func(w http.ResponseWriter, r *http.Request) { t.one(w, r, now) })
	mux.HandleFunc("/conversations/{id}/", func(w http.ResponseWriter, r *http.Request) { t.one(w, r, now) })
	mux.Handle("/", now.web)
	return t.known(d.Plan().Name(), mux)
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
		Hosts:  hosts, Logger: t.m.serveLog(),
	})}
	if t.versions == nil || len(t.versions) >= mostVersions {
		t.versions = make(map[string]*talk) // those that are left out are restored when they are needed
	}
	t.versions[d.Digest()] = v
	return v
}

// beginning is what a conversation is begun with.
type beginning struct {
	ID      string         `json:"id"`
	Context map[string]any `json:"context"`
}

// read decodes a body; an empty one says nothing.
func (b *beginning) read(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	known := []string{"context", "id"}
	for name := range members {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown member %q%s", name, nearest.Hint(name, known))
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(b)
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
	begun, err := readBeginning(w, r, person.ID)
	if err == nil {
		_, err = now.dialogue.Begin(begun.Context)
	}
	if err != nil {
		notTaken(w, http.StatusUnprocessableEntity, fermata.CodeInvalid, err.Error())
		return
	}
	ctx := r.Context()
	switch info, err := t.house.Info(ctx, begun.ID); {
	case err == nil && !isTalkOf(&info, now.dialogue):
		notTaken(w, http.StatusConflict, fermata.CodeConflict, fmt.Sprintf("%s is a run of %q, and no conversation of %q; choose another id", begun.ID, info.Plan, now.dialogue.Name()))
		return
	case err == nil: // the conversation is there
		t.of(ctx, &info, now).web.ServeHTTP(w, r.WithContext(context.WithValue(ctx, beginningKey{}, begun)))
		return
	case !errors.Is(err, fermata.ErrNotFound):
		t.failed(w, r, err)
		return
	}
	if _, err := t.house.SaveDefinition(ctx, dialogueKind, now.dialogue.Source()); err != nil {
		t.failed(w, r, err)
		return
	}
	now.web.ServeHTTP(w, r.WithContext(context.WithValue(ctx, beginningKey{}, begun)))
}

// readBeginning reads the body of a request that begins a conversation. An Idempotency-Key makes the id of it. With a login the id
// says whose it is, and nobody chooses it.
func readBeginning(w http.ResponseWriter, r *http.Request, person string) (*beginning, error) {
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
		begun.ID = talksOfPerson(person) + strings.TrimPrefix(api.RunID(person, key), "run_")
	case begun.ID == "":
		var b [16]byte
		_, _ = rand.Read(b[:]) // it never fails
		begun.ID = talksOfPerson(person) + hex.EncodeToString(b[:])
	}
	return begun, nil
}

// one serves a request about a conversation, by the version of the dialogue that it was begun with.
func (t *talking) one(w http.ResponseWriter, r *http.Request, now *talk) {
	info, err := t.house.Info(r.Context(), r.PathValue("id"))
	if _, no := t.speaks(r, r.PathValue("id"), now.dialogue.Plan().Name()); no != nil && t.may(r, identity.Operate, now.dialogue.Plan().Name()) != nil {
		err = fermata.ErrNotFound
	}
	switch {
	case errors.Is(err, fermata.ErrNotFound), err == nil && !isTalkOf(&info, now.dialogue):
		notTaken(w, http.StatusNotFound, fermata.CodeNotFound, fmt.Sprintf("%q has no such conversation", now.dialogue.Name()))
	case err != nil:
		t.failed(w, r, err)
	default:
		t.of(r.Context(), &info, now).web.ServeHTTP(w, r)
	}
}

// isTalkOf reports whether a run is a conversation of a dialogue, of whatever version.
func isTalkOf(info *fermata.RunInfo, d *dialogue.Dialogue) bool {
	return info.Kind == dialogueKind && info.Plan == d.Plan().Name()
}

// of is the version of the dialogue that a conversation was begun with: the present one, in any of its languages, or the one that
// is stored with the run. One that cannot be restored here is served by the present one.
func (t *talking) of(ctx context.Context, info *fermata.RunInfo, now *talk) *talk {
	if info.Definition == "" {
		return now
	}
	for _, language := range now.dialogue.Languages() {
		if now.dialogue.In(language).Digest() == info.Definition {
			return now
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
		t.m.serveLog().WarnContext(ctx, "a conversation goes on with the dialogue of the folder: its own cannot be restored", "conversation", info.ID, "error", err)
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
