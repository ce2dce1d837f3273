package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
)

// given is the body of an answer.
type given struct {
	Value json.RawMessage
	By    string
	Role  string
	Token string
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request, person Person) {
	g, err := readAnswer(w, r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	q, err := h.interrupt(r.Context(), r.PathValue("id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if h.o.Authorize != nil {
		g.By, g.Role = person.Name, ""
		if person.may(q.Role) {
			g.Role = q.Role
		} else if len(person.Roles) > 0 {
			g.Role = person.Roles[0] // the refusal names it
		}
	}
	opts := []fermata.AnswerOption{fermata.As(g.By), fermata.InRole(g.Role), fermata.WithToken(g.Token)}
	if h.o.Hold {
		opts = append(opts, fermata.Hold())
	}
	if err := h.rt.Answer(r.Context(), q.ID, g.Value, opts...); err != nil {
		h.fail(w, r, err)
		return
	}
	show(w, http.StatusOK, map[string]string{"requestId": q.ID, "run": q.Run, "state": journal.Answered})
}

// readAnswer reads the body of an answer. What it refuses is never shown: it may hold a token.
func readAnswer(w http.ResponseWriter, r *http.Request) (g given, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return g, &refusal{
			status: http.StatusRequestEntityTooLarge, Code: fermata.CodeInvalid,
			Text: fmt.Sprintf("the body is larger than %d bytes", bodyLimit),
		}
	}
	if err != nil {
		return g, malformed("the body broke off")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return g, malformed(`expected a body of the form {"value": …}: ` + whyNot(err))
	}
	texts := map[string]*string{"by": &g.By, "role": &g.Role, "token": &g.Token}
	names := []string{"value", "by", "role", "token"}
	for name, data := range members {
		switch text := texts[name]; {
		case name == "value":
			g.Value = data
		case text == nil:
			return g, malformed(fmt.Sprintf("unknown member %q of the body%s; expected %s",
				name, nearest.Hint(name, names), strings.Join(names, ", ")))
		case json.Unmarshal(data, text) != nil:
			return g, malformed(fmt.Sprintf("member %q of the body: expected a text", name))
		}
	}
	if members["value"] == nil {
		return g, malformed(`the body has no member "value"`)
	}
	return g, nil
}

// whyNot says where JSON is broken, without a piece of it.
func whyNot(err error) string {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Sprintf("it is no JSON at byte %d", syntax.Offset)
	}
	return "it is no object"
}
