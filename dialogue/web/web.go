package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
)

// Options configure a handler.
type Options struct {
	// Authorize says whether a request may speak in, and listen to, a conversation, and whether as the agent who has taken
	// it over. An error is status 403, and shown to nobody. Defaults to refusing everybody.
	Authorize func(r *http.Request, conversation string) (agent bool, err error)
	// Heartbeat is how long a stream is silent before it says that it is alive. Defaults to 15 seconds.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may take to read what was sent before it is cut off. Defaults to 30 seconds.
	WriteTimeout time.Duration
	// Logger gets what failed here. Defaults to discarding it.
	Logger *slog.Logger
}

const bodyLimit = 64 << 10

type handler struct {
	talks *dialogue.Conversations
	o     Options
}

// New makes the handler; see the package documentation for what it serves.
func New(talks *dialogue.Conversations, o Options) http.Handler {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &handler{talks: talks, o: o}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /conversations/{id}/messages", h.guard(h.send))
	mux.HandleFunc("GET /conversations/{id}/messages", h.guard(h.listen))
	return http.NewCrossOriginProtection().Handler(mux)
}

// guard asks who is there before anything is done.
func (h *handler) guard(serve func(w http.ResponseWriter, r *http.Request, id string, agent bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if h.o.Authorize == nil {
			refuse(w, http.StatusForbidden, "nobody is authorised; see web.Options.Authorize")
			return
		}
		agent, err := h.o.Authorize(r, id)
		if err != nil {
			refuse(w, http.StatusForbidden, "not allowed")
			return
		}
		serve(w, r, id, agent)
	}
}

// message is what a client says. It has no member that says who speaks.
type message struct {
	ID       string             `json:"id"`
	Text     string             `json:"text"`
	Commands []dialogue.Command `json:"commands"`
	Done     bool               `json:"done"` // of an agent
}

type reply struct {
	Said    []dialogue.Said       `json:"said"`
	Pending *dialogue.PendingTask `json:"pending,omitempty"`
	Again   bool                  `json:"again,omitempty"`
	Handoff bool                  `json:"handoff,omitempty"`
	Busy    bool                  `json:"busy,omitempty"`
	Closed  bool                  `json:"closed,omitempty"`
	Seq     uint64                `json:"seq"`
}

func (h *handler) send(w http.ResponseWriter, r *http.Request, id string, agent bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	var given message
	if err == nil {
		err = json.Unmarshal(body, &given)
	}
	if err != nil || given.Text == "" && len(given.Commands) == 0 && !(agent && given.Done) {
		refuse(w, http.StatusBadRequest, fmt.Sprintf(`expected {"id": …, "text": …} of at most %d bytes`, bodyLimit))
		return
	}
	m := dialogue.Message{ID: given.ID, Text: given.Text, Commands: given.Commands}
	m.Commands = slices.DeleteFunc(m.Commands, func(c dialogue.Command) bool { return c.Type == dialogue.Silence })
	if agent {
		m.From, m.Done, m.Commands = "agent", given.Done, nil
	}
	out, err := h.talks.Send(r.Context(), id, m)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	said := out.Said
	if said == nil {
		said = []dialogue.Said{}
	}
	show(w, http.StatusOK, reply{
		Said: said, Pending: out.Pending, Again: out.Again, Handoff: out.Handoff, Busy: out.Busy, Closed: out.Closed, Seq: out.Seq,
	})
}

// listen streams what is said.
func (h *handler) listen(w http.ResponseWriter, r *http.Request, id string, _ bool) {
	from := r.URL.Query().Get("after")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		from = last
	}
	after := uint64(0)
	if from != "" {
		var err error
		if after, err = strconv.ParseUint(from, 10, 64); err != nil {
			refuse(w, http.StatusBadRequest, fmt.Sprintf("expected the seq of an event to begin after, found %q", from))
			return
		}
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	told := make(chan dialogue.Delivery)
	ended := make(chan error, 1)
	go func() { ended <- h.follow(ctx, id, after, told) }()

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	write := func(text string) bool {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(h.o.WriteTimeout)) // a writer without deadlines is a test's
		_, err := io.WriteString(w, text)
		return err == nil && control.Flush() == nil
	}
	for ok := write(": hello\n\n"); ok; {
		select {
		case d := <-told:
			data, err := json.Marshal(d)
			ok = err == nil && write(fmt.Sprintf("id: %d\ndata: %s\n\n", d.Seq, data))
		case <-time.After(h.o.Heartbeat):
			ok = write(": still here\n\n")
		case err := <-ended:
			if err != nil && ctx.Err() == nil {
				h.o.Logger.ErrorContext(ctx, "a listener was cut off", "conversation", id, "error", err)
			} else if err == nil && ctx.Err() == nil {
				write("event: end\ndata: {}\n\n")
			}
			return
		}
	}
}

// follow hands on what is said until the conversation is over or the client has gone.
func (h *handler) follow(ctx context.Context, id string, after uint64, told chan<- dialogue.Delivery) error {
	for d, err := range h.talks.Listen(ctx, id, after) {
		if err != nil {
			return err
		}
		select {
		case told <- d:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// fail answers with what came of a message that was not taken. What is nobody's business outside is logged and not shown.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch fe, _ := errors.AsType[*fermata.Error](err); {
	case errors.Is(err, dialogue.ErrBusy):
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusConflict, dialogue.ErrBusy.Error())
	case errors.Is(err, dialogue.ErrClosed):
		refuse(w, http.StatusGone, dialogue.ErrClosed.Error())
	case errors.Is(err, dialogue.ErrMessage):
		refuse(w, http.StatusBadRequest, err.Error())
	case fe != nil && fe.Code == fermata.CodeNotFound:
		refuse(w, http.StatusNotFound, "there is no such conversation")
	default:
		h.o.Logger.ErrorContext(r.Context(), "a message failed", "conversation", r.PathValue("id"), "error", err)
		refuse(w, http.StatusInternalServerError, "an internal error")
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	show(w, status, map[string]string{"error": text})
}

func show(w http.ResponseWriter, status int, what any) {
	data, err := json.Marshal(what)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the reply cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // who has gone does not read it
}
