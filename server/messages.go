package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/reply"
)

// sends reports whether a person may send a message to a run that they may read. Where the function that decides does not return,
// they may not (laws H8 and N7).
func (h *handler) sends(p *Person, run fermata.RunInfo, name string) (may bool) {
	if h.o.Authorize == nil {
		return true
	}
	if p.Sends == nil {
		return false
	}
	if err := fault.Call("Person.Sends", func() error { may = p.Sends(run, name); return nil }); err != nil {
		h.o.Logger.Error("the right to send a message could not be checked", "run", run.ID, "error", err)
		return false
	}
	return may
}

// sent is what a sender is told.
type sent struct {
	Run   string          `json:"run"`
	Name  string          `json:"name"`
	Reply json.RawMessage `json:"reply,omitempty"` // of the node, where the sender has waited for it
}

// message queues the body of a request into a run (law M1), and waits for the reply as long as the request says.
func (h *handler) message(w http.ResponseWriter, r *http.Request, person Person) {
	info, err := h.info(r.Context(), r.PathValue("run"), &person)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	name := r.PathValue("name")
	if !h.sends(&person, info, name) {
		refuse(w, &refusal{status: http.StatusForbidden, Code: fermata.CodeForbidden, Text: "not allowed"})
		return
	}
	value, wait, err := readMessage(w, r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	var opts []fermata.SendOption
	if id := r.Header.Get("Idempotency-Key"); id != "" {
		opts = append(opts, fermata.MessageID(id))
	}
	if h.o.Authorize != nil {
		opts = append(opts, fermata.SentBy(person.id()))
	}
	said := sent{Run: info.ID, Name: name}
	if wait == 0 {
		err = h.rt.Send(r.Context(), info.ID, name, value, opts...)
	} else {
		err = h.rt.Call(r.Context(), info.ID, name, value, &said.Reply, append(opts, fermata.ReplyWithin(wait))...)
		if known, ok := errors.AsType[*fermata.Error](err); ok && known.Code == fermata.CodeStopped && errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil {
			err = nil // the message is stored, and not answered yet
		}
	}
	switch {
	case err != nil:
		h.fail(w, r, err)
	case said.Reply != nil:
		reply.JSON(w, http.StatusOK, said)
	default:
		reply.JSON(w, http.StatusAccepted, said)
	}
}

// readMessage reads the value of a message, which is the whole body, and how long its sender waits for the reply.
func readMessage(w http.ResponseWriter, r *http.Request) (value json.RawMessage, wait time.Duration, err error) {
	if text := r.URL.Query().Get("wait"); text != "" {
		if wait, err = time.ParseDuration(text); err != nil || wait <= 0 {
			return nil, 0, malformed(fmt.Sprintf("wait=%q: expected a time such as 30s", text))
		}
	}
	body, err := readBody(w, r)
	if err != nil {
		return nil, 0, err
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, 0, malformed("expected the value of the message as JSON: " + whyNot(err))
	}
	return value, wait, nil
}
