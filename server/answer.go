package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/journal"
)

// given is the body of an answer, or of what else is done about a question.
type given struct {
	Value  json.RawMessage
	By     string
	Role   string
	Token  string
	To     string
	ToRole string
	Note   string

	who   string               // who does it
	as    fermata.AnswerOption // the same, for the engine
	roles []string             // in which it is done
	told  map[string]any       // beside what every reply says
}

// options say who it is, in which roles, and with which token.
func (g *given) options() []fermata.AnswerOption {
	return []fermata.AnswerOption{g.as, fermata.AsRole(g.roles...), fermata.WithToken(g.Token), fermata.WithNote(g.Note)}
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request, person Person) {
	h.do(w, r, person, []string{"value", "note", "by", "role", "token"}, func(q *journal.Interrupt, g *given) (string, error) {
		opts := g.options()
		if h.o.Hold {
			opts = append(opts, fermata.Hold())
		}
		err := h.rt.Answer(r.Context(), q.ID, g.Value, opts...)
		if err == nil {
			g.told = h.answeredBefore(r.Context(), q.ID, g.who)
		}
		return journal.Answered, err
	})
}

// answeredBefore says who has answered a question where that is not the person who has just given the same answer (law H2).
func (h *handler) answeredBefore(ctx context.Context, id, who string) map[string]any {
	found, err := h.rt.Inbox(ctx, journal.InboxFilter{ID: id, All: true})
	if err != nil || len(found) == 0 {
		return nil // the answer counts all the same
	}
	q := &found[0]
	if identity.Same(q.AnsweredBy, who) || identity.IsBlank(q.AnsweredBy) && identity.IsBlank(who) {
		return nil
	}
	told := map[string]any{"answeredBefore": true}
	if !identity.IsBlank(q.AnsweredBy) {
		told["answeredBy"] = q.AnsweredBy
	}
	if q.AnsweredByName != "" {
		told["answeredByName"] = q.AnsweredByName
	}
	return told
}

// do does something about a question: it reads the body, which may have the given members, and says who it is.
func (h *handler) do(w http.ResponseWriter, r *http.Request, person Person, members []string, act func(*journal.Interrupt, *given) (string, error)) {
	g, err := readGiven(w, r, members)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	q, err := h.interrupt(r.Context(), r.PathValue("id"), &person)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	g.who, g.as, g.roles = g.By, fermata.AsPerson(g.By), []string{g.Role}
	if h.o.Authorize != nil {
		g.who, g.as, g.roles = person.id(), person.as(), person.Roles
	}
	state, err := act(&q.Interrupt, &g)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	done := map[string]any{"requestId": q.ID, "run": q.Run, "state": state}
	maps.Copy(done, g.told)
	reply.JSON(w, http.StatusOK, done)
}

// readBody reads the body of a request, of at most bodyLimit bytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &refusal{
			status: http.StatusRequestEntityTooLarge, Code: fermata.CodeInvalid,
			Text: fmt.Sprintf("the body is larger than %d bytes", bodyLimit),
		}
	}
	if err != nil {
		return nil, malformed("the body broke off")
	}
	return body, nil
}

// readGiven reads a body with the given members. What it refuses is never shown: it may hold a token.
func readGiven(w http.ResponseWriter, r *http.Request, names []string) (g given, err error) {
	body, err := readBody(w, r)
	if err != nil {
		return g, err
	}
	needs := slices.Contains(names, "value")
	if len(body) == 0 && !needs {
		return g, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		example := `{"by": …}`
		if needs {
			example = `{"value": …}`
		}
		if kind := r.Header.Get("Content-Type"); err != nil && !isJSON(kind) {
			return g, &refusal{
				status: http.StatusUnsupportedMediaType, Code: fermata.CodeInvalid,
				Text: fmt.Sprintf("expected a body of the form %s, as application/json; found %q", example, kind),
			}
		}
		return g, malformed("expected a body of the form " + example + ": " + whyNot(err))
	}
	texts := map[string]*string{"by": &g.By, "role": &g.Role, "token": &g.Token, "to": &g.To, "toRole": &g.ToRole, "note": &g.Note}
	for _, name := range slices.Sorted(maps.Keys(members)) { // the same members, the same error
		data := members[name]
		switch {
		case !slices.Contains(names, name):
			return g, malformed(fmt.Sprintf("unknown member %q of the body%s; expected %s",
				name, nearest.Hint(name, names), strings.Join(names, ", ")))
		case name == "value":
			g.Value = data
		case json.Unmarshal(data, texts[name]) != nil:
			return g, malformed(fmt.Sprintf("member %q of the body: expected a text", name))
		}
	}
	if needs && members["value"] == nil {
		return g, malformed(`the body has no member "value"`)
	}
	return g, nil
}

// isJSON reports whether a body says that it is JSON, or does not say what it is.
func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return contentType == "" || err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// whyNot says where JSON is broken, without a piece of it.
func whyNot(err error) string {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Sprintf("it is no JSON at byte %d", syntax.Offset)
	}
	return "it is no object"
}
