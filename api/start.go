package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
)

// startBody says which run is started.
type startBody struct {
	Definition  string            `json:"definition" jsonschema:"The name of a definition"`
	Input       json.RawMessage   `json:"input,omitempty" jsonschema:"The input of the run, by the schema of the definition; {} by default"`
	ID          string            `json:"id,omitempty" jsonschema:"The id of the run; one that exists is a conflict. Not with Idempotency-Key"`
	Labels      map[string]string `json:"labels,omitempty" jsonschema:"Labels by which the run is found (law J13)"`
	Priority    int               `json:"priority,omitempty" jsonschema:"Workers take runs with a higher number first (law J16)"`
	NotBefore   *time.Time        `json:"notBefore,omitempty" jsonschema:"The earliest time at which a worker takes the run"`
	Until       *time.Time        `json:"until,omitempty" jsonschema:"When the run expires, waiting included (law F9)"`
	Queue       string            `json:"queue,omitempty" jsonschema:"The queue whose workers take the run; that of the definition by default"`
	Dedup       string            `json:"dedup,omitempty" jsonschema:"A key that the run holds until it ends; another open run with it is a conflict (law J17)"`
	Debounce    *debounceBody     `json:"debounce,omitempty" jsonschema:"Of starts with one key, the last one's input begins (law J21)"`
	BreakBefore []string          `json:"breakBefore,omitempty" jsonschema:"Nodes, by path, before each visit of which the run is held (law J19)"`
	BreakAfter  []string          `json:"breakAfter,omitempty" jsonschema:"Nodes, by path, behind each visit of which the run is held"`
	By          string            `json:"by,omitempty" jsonschema:"Who starts it, for the record, where the server knows nobody"`
}

// debounceBody says when the last of several starts begins.
type debounceBody struct {
	Key           string  `json:"key" jsonschema:"Of the starts"`
	WaitSeconds   float64 `json:"waitSeconds" jsonschema:"The run begins this long after the last start"`
	WithinSeconds float64 `json:"withinSeconds,omitempty" jsonschema:"The run begins this long after the first start at the latest; no limit by default"`
}

// startedBody is a run that was started.
type startedBody struct {
	Run        string `json:"run" jsonschema:"Its id"`
	Definition string `json:"definition"`
	Plan       string `json:"plan" jsonschema:"The name of its plan"`
	Status     string `json:"status" jsonschema:"running, paused, completed, …"`
	Replaced   bool   `json:"replaced,omitempty" jsonschema:"The start has replaced the input of this run, which waited (law J21)"`
}

// keyHeader makes starts idempotent.
const keyHeader = "Idempotency-Key"

// longestKey bounds an Idempotency-Key, in bytes.
const longestKey = 200

// RunID is the id of the run that a start with the given Idempotency-Key makes. The person is the ID of server.Person, or ""
// without server.Options.Authorize: keys of two people do not meet.
func RunID(person, key string) string {
	sum := sha256.Sum256([]byte(person + "\x00" + key))
	return "run_k" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
}

// start starts a run.
func (h *Handler) start(in *request) (*answer, error) {
	var body startBody
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	ctx, key := in.Context(), in.Header.Get(keyHeader)
	d, err := h.startable(in.who, body.Definition)
	if err != nil {
		return nil, err
	}
	opts, id, err := h.startOptions(in.who, key, &body)
	if err != nil {
		return nil, err
	}
	raw := body.Input
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	input, err := d.Input(raw)
	if err != nil {
		return nil, misfit(d, err)
	}
	var wanted []byte
	if key != "" { // the run owns its input once it is started
		if wanted, err = d.Plan.State().Encode(input); err != nil {
			return nil, misfit(d, err)
		}
	}
	if d.Kind != "" {
		digest, err := h.rt.SaveDefinition(ctx, d.Kind, d.Source)
		if err != nil {
			return nil, err
		}
		opts = append(opts, fermata.WithDefinition(digest))
	}
	run, err := h.rt.Start(ctx, d.Plan, input, opts...)
	if err == nil {
		id = run.ID()
	} else if key == "" || !errors.Is(err, fermata.ErrConflict) {
		return nil, h.notStarted(in, err)
	}
	info, found := h.rt.Info(ctx, id)
	if found != nil {
		return nil, h.notStarted(in, errors.Join(err, found))
	}
	out := &answer{
		status: http.StatusCreated, headers: map[string]string{"Location": "/api/runs/" + escaped(id)},
		body: startedBody{Run: id, Definition: d.Name, Plan: info.Plan, Status: info.Status, Replaced: err == nil && run.Replaced()},
	}
	if err != nil {
		if err := h.same(ctx, d, &info, wanted); err != nil {
			return nil, err
		}
		out.status, out.headers["Idempotency-Replayed"] = http.StatusOK, "true"
	}
	return out, nil
}

// startable is a definition that the person may start runs of.
func (h *Handler) startable(who *person, name string) (*Definition, error) {
	d, err := h.find(who, name, identity.View, identity.Start)
	switch {
	case err != nil:
		return nil, err
	case !h.may(who, identity.Start, d.Plan.Name()):
		return nil, refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
	case d.Talks != nil:
		return nil, refused(http.StatusUnprocessableEntity, fermata.CodeInvalid,
			"%q is a dialogue: begin a conversation with POST %s/conversations", d.Name, dialoguePath(escaped(d.Name)))
	}
	return d, nil
}

// startOptions are those of a start, with the id of the run where the request gives one.
func (h *Handler) startOptions(who *person, key string, body *startBody) (opts []fermata.StartOption, id string, err error) {
	if id, err = ownID(who, key, body.ID); err != nil {
		return nil, "", err
	}
	if id != "" {
		opts = append(opts, fermata.WithID(id))
	}
	opts = append(opts, fermata.StartedBy(h.by(who, body.By)))
	if h.o.Queued {
		opts = append(opts, fermata.Queued())
	}
	if len(body.Labels) > 0 {
		opts = append(opts, fermata.WithLabels(body.Labels))
	}
	if body.Priority != 0 {
		opts = append(opts, fermata.Priority(body.Priority))
	}
	if body.NotBefore != nil {
		opts = append(opts, fermata.NotBefore(*body.NotBefore))
	}
	if body.Until != nil {
		opts = append(opts, fermata.Until(*body.Until))
	}
	if body.Queue != "" {
		opts = append(opts, fermata.InQueue(body.Queue))
	}
	if body.Dedup != "" {
		opts = append(opts, fermata.Dedup(body.Dedup))
	}
	if d := body.Debounce; d != nil {
		opts = append(opts, fermata.Debounce(d.Key, seconds(d.WaitSeconds), seconds(d.WithinSeconds)))
	}
	if len(body.BreakBefore)+len(body.BreakAfter) > 0 {
		opts = append(opts, fermata.BreakBefore(body.BreakBefore...), fermata.BreakAfter(body.BreakAfter...))
	}
	return opts, id, nil
}

// ownID is the id that a request gives a run: by its key, or by its body. It is "" where neither does.
func ownID(who *person, key, id string) (string, error) {
	switch {
	case key != "" && id != "":
		return "", malformed("expected the header Idempotency-Key or the member id, found both: the key gives the run its id")
	case len(key) > longestKey:
		return "", malformed("Idempotency-Key has %d bytes; expected at most %d", len(key), longestKey)
	case printable.Check("Idempotency-Key", key) != nil:
		return "", malformed("%v", printable.Check("Idempotency-Key", key))
	case key != "":
		return RunID(who.id(), key), nil
	}
	return id, nil
}

// by is who makes a request, for the record; said is what the body says of it.
func (h *Handler) by(who *person, said string) string {
	if h.o.Server.Authorize == nil {
		return said
	}
	return who.id()
}

// misfit is the answer to an input that does not fit.
func misfit(d *Definition, err error) error {
	p := refused(http.StatusUnprocessableEntity, fermata.CodeInvalid, "the input does not fit %s: %v", d.Name, err)
	p.Problems = problemsOf(err)
	return p
}

// notStarted is the answer to a start that failed.
func (h *Handler) notStarted(in *request, err error) error {
	p := h.explain(in.Context(), "POST /api/runs", err)
	held, ok := errors.AsType[*fermata.DuplicateError](err)
	if !ok {
		return p
	}
	if _, err := h.shown(in, held.Run); err != nil { // it is not theirs to see (law H8)
		return refused(p.Status, p.Code, "the deduplication key is held by another open run")
	}
	p.Run = held.Run
	return p
}

// same refuses a key that has started another run than this request asks for.
func (h *Handler) same(ctx context.Context, d *Definition, info *fermata.RunInfo, wanted []byte) error {
	differs := func(what string) error {
		p := refused(http.StatusUnprocessableEntity, fermata.CodeInvalid,
			"this Idempotency-Key has started run %s with another %s: repeat a request as it was, or use a new key", info.ID, what)
		p.Run = info.ID
		return p
	}
	if info.Plan != d.Plan.Name() {
		return differs("definition, " + info.Plan)
	}
	for e, err := range h.rt.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return err
		}
		if e.Entry.Kind == journal.RunStarted {
			if !equalJSON(e.Entry.Value, wanted) {
				return differs("input")
			}
			return nil
		}
	}
	return nil
}

// equalJSON reports whether two texts are the same JSON value.
func equalJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	values := [2]any{}
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// seconds is a number of seconds as a time, which is bounded.
func seconds(n float64) time.Duration {
	const most = 100 * 365 * 24 * 3600
	return time.Duration(max(-1, min(n, most)) * float64(time.Second))
}

// escaped is a text as a segment of a path.
func escaped(text string) string { return url.PathEscape(text) }
