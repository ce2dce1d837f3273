package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/taken"
	"github.com/fermata-go/fermata/journal"
)

// seq reads a query parameter that names an entry; 0 for none.
func (in *request) seq(name string) (uint64, error) {
	text := in.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, malformed("%s=%q: expected the seq of an entry, from 1", name, text)
	}
	return n, nil
}

// point is the run of a request at the entry that it names.
func (h *Handler) point(in *request) (info fermata.RunInfo, seq uint64, err error) {
	if seq, err = in.seq("at"); err != nil {
		return info, 0, err
	}
	if info, err = h.shown(in, in.PathValue("run")); err != nil {
		return info, 0, err
	}
	if seq > info.Head {
		p := refused(http.StatusUnprocessableEntity, fermata.CodeInvalid, "run %s has no entry %d: its last one is %d", info.ID, seq, info.Head)
		p.Run = info.ID
		return info, 0, p
	}
	if seq == 0 {
		seq = info.Head
	}
	return info, seq, nil
}

// stateShown is the state of a run at an entry.
type stateShown struct {
	Run   string          `json:"run" jsonschema:"Its id"`
	Seq   uint64          `json:"seq" jsonschema:"Of the entry: the state is the one when it was stored"`
	State json.RawMessage `json:"state" jsonschema:"That a node recorded last, or the input; of a dataflow an object of named values"`
}

func (h *Handler) state(in *request) (*answer, error) {
	info, seq, err := h.point(in)
	if err != nil {
		return nil, err
	}
	state, err := h.rt.StateAt(in.Context(), fermata.At{Run: info.ID, Seq: seq})
	if err != nil {
		return nil, err
	}
	if len(state) == 0 {
		state = json.RawMessage("null")
	}
	return &answer{body: stateShown{Run: info.ID, Seq: seq, State: state}}, nil
}

// drawRun draws a run with the path that it took up to an entry, on the plan that it had then.
func (h *Handler) drawRun(in *request) (*answer, error) {
	info, seq, err := h.point(in)
	if err != nil {
		return nil, err
	}
	var entries []*journal.Entry // without their values
	for e, err := range h.rt.Events(in.Context(), info.ID, 0, false) {
		if err != nil {
			return nil, err
		}
		if e.Seq() > seq {
			break
		}
		if err := redefined(&e.Entry, &info.Definition); err != nil {
			return nil, err
		}
		e.Entry.Value = nil
		entries = append(entries, &e.Entry)
	}
	p, err := h.planOf(in.Context(), info)
	if err != nil {
		return nil, err
	}
	path := taken.New(p)
	for _, e := range entries {
		if err := path.See(e); err != nil {
			return nil, err
		}
	}
	return drawn(path.Drawing().SVG()), nil
}

func drawn(svg string) *answer {
	return &answer{
		headers: map[string]string{"Content-Type": svgType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
		stream:  func(w io.Writer) error { _, err := io.WriteString(w, svg); return err },
	}
}

// redefined sets the digest of a definition to that which an entry of its run brings.
func redefined(e *journal.Entry, digest *string) error {
	if e.Kind != journal.RunStarted && e.Kind != journal.RunResumed {
		return nil
	}
	var body struct {
		Definition string `json:"definition"`
	}
	err := json.Unmarshal(e.Body, &body)
	if body.Definition != "" {
		*digest = body.Definition
	}
	return err
}

// compare compares two points of runs that the person may read.
func (h *Handler) compare(in *request) (*answer, error) {
	info, seq, err := h.point(in)
	if err != nil {
		return nil, err
	}
	a, b := fermata.At{Run: info.ID, Seq: seq}, fermata.At{Run: in.URL.Query().Get("with")}
	if b.Seq, err = in.seq("withAt"); err != nil {
		return nil, err
	}
	sides := []fermata.RunInfo{info}
	switch {
	case b.Run == "" && b.Seq == 0:
		from, err := h.origin(in.Context(), info.ID)
		if err != nil {
			return nil, err
		}
		if from == nil {
			return nil, malformed("run %s is no fork: expected with=RUN or withAt=SEQ, the other side", info.ID)
		}
		a, b = fermata.At{Run: from.Run}, a
	case b.Run == "":
		b.Run = info.ID
	}
	if other := cmpRun(a, b, info.ID); other != "" {
		info, err := h.shown(in, other)
		if err != nil {
			return nil, err
		}
		sides = append(sides, info)
	}
	for i := range sides {
		if err := h.seesAll(in, sides[i]); err != nil {
			return nil, err
		}
	}
	d, err := h.rt.Diff(in.Context(), a, b)
	if err != nil {
		return nil, err
	}
	return &answer{body: d}, nil
}

// cmpRun is the run of two sides that is another than the given one; "" for none.
func cmpRun(a, b fermata.At, run string) string {
	for _, side := range []fermata.At{a, b} {
		if side.Run != run {
			return side.Run
		}
	}
	return ""
}

// origin is where a run was forked from; nil for one that was not.
func (h *Handler) origin(ctx context.Context, run string) (*journal.Origin, error) {
	for e, err := range h.rt.Events(ctx, run, 0, false) {
		if err != nil {
			return nil, err
		}
		var body journal.StartedBody
		err := json.Unmarshal(e.Entry.Body, &body)
		return body.Fork, err
	}
	return nil, nil //nolint:nilnil // it has no entries
}

// seesAll refuses what shows all questions of a run to somebody who may not read each of them (law H8).
func (h *Handler) seesAll(in *request, info fermata.RunInfo) error {
	if in.who == nil || in.who.Reads == nil {
		return nil
	}
	list, err := h.rt.Inbox(in.Context(), journal.InboxFilter{Run: info.ID, All: true})
	if err != nil {
		return err
	}
	for i := range list {
		if !h.readsQuestion(in.who, info, &list[i].Interrupt) {
			return refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
		}
	}
	return nil
}

// export writes a run as a file.
func (h *Handler) export(in *request) (*answer, error) {
	info, err := h.shown(in, in.PathValue("run"))
	if err != nil {
		return nil, err
	}
	if err := h.seesAll(in, info); err != nil {
		return nil, err
	}
	return &answer{
		headers: map[string]string{
			"Content-Type": linesType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": info.ID + ".jsonl"}),
		},
		stream: func(w io.Writer) error { return h.rt.Export(in.Context(), info.ID, w) },
	}, nil
}

// forkBody says where a fork leaves its run, and what is different from there on.
type forkBody struct {
	At          uint64                     `json:"at,omitempty" jsonschema:"The last seq that the fork shares with the run; its end by default"`
	Set         map[string]json.RawMessage `json:"set,omitempty" jsonschema:"New values by their paths: amount, items.0.price, /a.b/c"`
	Of          string                     `json:"of,omitempty" jsonschema:"Set the values of one open task only"`
	AskAgain    []string                   `json:"askAgain,omitempty" jsonschema:"Questions that are asked again, by id or by task"`
	ID          string                     `json:"id,omitempty" jsonschema:"The id of the fork; one that exists is a conflict. Not with Idempotency-Key"`
	BreakBefore []string                   `json:"breakBefore,omitempty" jsonschema:"Nodes, by path, before each visit of which the fork is held (law J19)"`
	BreakAfter  []string                   `json:"breakAfter,omitempty" jsonschema:"Nodes, by path, behind each visit of which the fork is held"`
	Hold        bool                       `json:"hold,omitempty" jsonschema:"Only store the fork: this process does not go on with it"`
	DryRun      bool                       `json:"dryRun,omitempty" jsonschema:"Only say what would differ; nothing is stored"`
	By          string                     `json:"by,omitempty" jsonschema:"Who forks, for the record, where the server knows nobody"`
}

// forkedBody is a fork, or what one would change.
type forkedBody struct {
	Run        string              `json:"run,omitempty" jsonschema:"Its id; not of a dry run"`
	Status     string              `json:"status,omitempty" jsonschema:"running, paused, …; not of a dry run"`
	From       string              `json:"from" jsonschema:"The run that was forked"`
	Difference *fermata.Difference `json:"difference,omitempty" jsonschema:"Of a dry run: a is the run, b the fork before it goes on. Tasks and answers that a alone has are repeated and asked again"`
}

// fork forks a run, or says what that would change.
func (h *Handler) fork(in *request) (*answer, error) {
	var body forkBody
	ctx := in.Context()
	info, err := h.run(in, &body)
	if err != nil {
		return nil, err
	}
	o := fermata.ForkOptions{At: body.At, Set: body.Set, Of: body.Of, AskAgain: body.AskAgain, Hold: body.Hold, By: h.by(in.who, body.By)}
	o.Breaks = fermata.Breaks{Before: body.BreakBefore, After: body.BreakAfter}
	if o.ID, err = ownID(in.who, in.Header.Get(keyHeader), body.ID); err != nil {
		return nil, err
	}
	if err := h.seesAll(in, info); err != nil { // a fork shows and repeats them
		return nil, err
	}
	if info.Definition, err = h.definitionAt(ctx, info, body.At); err != nil {
		return nil, err
	}
	if !body.Hold && !body.DryRun {
		if err := h.executes(ctx, info, "a fork", "runs fork"); err != nil {
			return nil, err
		}
	}
	p, err := h.planOf(ctx, info)
	if err != nil {
		return nil, err
	}
	if h.o.Edits != nil && len(o.Set) > 0 {
		check, err := h.o.Edits(ctx, info)
		if err != nil {
			return nil, err
		}
		o.Edit = func(value any) (any, error) { return value, check(value) }
	}
	if body.DryRun {
		d, err := h.rt.TryFork(ctx, info.ID, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{body: forkedBody{From: info.ID, Difference: d}}, nil
	}
	run, err := h.rt.Fork(ctx, info.ID, p, o)
	if err == nil {
		o.ID = run.ID()
	}
	return h.forked(ctx, &info, &o, in.Header.Get(keyHeader) != "", err)
}

// definitionAt is the digest of the definition that a run had at an entry; 0 is its end.
func (h *Handler) definitionAt(ctx context.Context, info fermata.RunInfo, at uint64) (string, error) {
	digest := info.Definition
	if at == 0 || at >= info.Head {
		return digest, nil
	}
	for e, err := range h.rt.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return "", err
		}
		if e.Seq() > at {
			break
		}
		if err := redefined(&e.Entry, &digest); err != nil {
			return "", err
		}
	}
	return digest, nil
}

// forked is the answer to a fork that was stored, now or by the same request before.
func (h *Handler) forked(ctx context.Context, info *fermata.RunInfo, o *fermata.ForkOptions, keyed bool, failed error) (*answer, error) {
	if failed != nil && (!keyed || !errors.Is(failed, fermata.ErrConflict)) {
		return nil, failed
	}
	now, err := h.rt.Info(ctx, o.ID)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	out := &answer{
		status: http.StatusCreated, headers: map[string]string{"Location": "/api/runs/" + escaped(now.ID)},
		body: forkedBody{Run: now.ID, Status: now.Status, From: info.ID},
	}
	if failed == nil {
		return out, nil
	}
	from, err := h.origin(ctx, now.ID)
	if err != nil {
		return nil, err
	}
	if from == nil || from.Run != info.ID || o.At != 0 && from.Seq != o.At {
		p := refused(http.StatusUnprocessableEntity, fermata.CodeInvalid,
			"this Idempotency-Key has made run %s of another request: repeat a request as it was, or use a new key", now.ID)
		p.Run = now.ID
		return nil, p
	}
	out.status, out.headers["Idempotency-Replayed"] = http.StatusOK, "true"
	return out, nil
}
