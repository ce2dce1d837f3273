package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/fermata-go/fermata"
)

// from is where a reader wants to begin, and whether it stays.
type from struct {
	after  uint64
	follow bool
}

// readFrom finds out where a reader was. One that comes back repeats its address, so the header counts more.
func readFrom(r *http.Request) (f from, err error) {
	f.follow = true
	query := r.URL.Query()
	where, seq := "parameter after", query.Get("after")
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		where, seq = "header Last-Event-ID", id
	}
	if seq != "" {
		if f.after, err = strconv.ParseUint(seq, 10, 64); err != nil {
			return f, malformed(fmt.Sprintf("%s: expected the seq of an event, found %q", where, seq))
		}
	}
	if text := query.Get("follow"); text != "" {
		if f.follow, err = strconv.ParseBool(text); err != nil {
			return f, malformed(fmt.Sprintf("parameter follow: expected true or false, found %q", text))
		}
	}
	return f, nil
}

// events streams the events of a run.
func (h *handler) events(w http.ResponseWriter, r *http.Request, person Person) {
	f, err := readFrom(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	info, err := h.info(r.Context(), r.PathValue("run"), &person)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if f.after > info.Head {
		h.fail(w, r, malformed(fmt.Sprintf("run %s has no event %d yet: its last one is %d", info.ID, f.after, info.Head)))
		return
	}
	if f.follow && f.after == info.Head && fermata.Status(info.Status).Ended() {
		w.WriteHeader(http.StatusNoContent) // EventSource does not come back after this
		return
	}
	streamed(w)
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	s := newStream(ctx, func() { cancel(nil) }, w, &h.o)
	defer s.close()
	who := &listener{h: h, r: r, run: info.ID, person: person, head: info.Head}
	defer who.watch(ctx, cancel)()
	h.feed(ctx, s, who, f)
}

// streamed begins an answer of server-sent events.
func streamed(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
}

// feed gives a stream what there is to see of a run.
func (h *handler) feed(ctx context.Context, s *stream, who *listener, f from) {
	s.text("retry: " + strconv.FormatInt(h.o.Retry.Milliseconds(), 10) + "\n\n")
	last := f.after
	for e, err := range h.rt.Events(ctx, who.run, f.after, f.follow) {
		shown := false
		if err == nil {
			shown, err = who.may(ctx, &e)
		}
		if shown {
			err = s.event(&e)
		}
		if err != nil {
			if ctx.Err() == nil {
				s.named("error", h.explain(ctx, "events", err))
			}
			return
		}
		last = e.Seq()
	}
	if ctx.Err() != nil {
		if lost, ok := errors.AsType[*lostError](context.Cause(ctx)); ok {
			s.named("error", h.explain(ctx, "events", lost.err))
		}
		return
	}
	info, err := who.again(ctx)
	if err != nil {
		s.named("error", h.explain(ctx, "events", err))
		return
	}
	if f.follow && (last != info.Head || !fermata.Status(info.Status).Ended()) {
		return // the runtime was closed, or the run has been taken up again: the reader comes back
	}
	s.named("end", map[string]any{"run": who.run, "seq": last, "status": info.Status})
}

// appendEvent appends an event as it stands on the wire.
func appendEvent(b []byte, e *fermata.Event) ([]byte, error) {
	if e.Sub == 0 {
		b = append(b, "id: "...)
		b = strconv.AppendUint(b, e.Seq(), 10)
		b = append(b, '\n')
	}
	b, err := e.AppendJSON(append(b, "data: "...)) // which is one line
	return append(b, "\n\n"...), err
}

// named is an event of the stream itself.
func named(name string, what any) string {
	data, err := json.Marshal(what)
	if err != nil {
		data = []byte(`{}`)
	}
	return "event: " + name + "\ndata: " + string(data) + "\n\n"
}
