package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/reply"
)

// reviews lets operators in, and nobody else.
func (h *handler) reviews(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.o.Review == nil {
			refuse(w, forbidden("nobody may review the conversations; see web.Options.Review"))
			return
		}
		if no := h.ask(r, "Options.Review", func() error { return h.o.Review(r) }); no != nil {
			refuse(w, no)
			return
		}
		serve(w, r)
	}
}

// review shows what there is to learn from all conversations.
func (h *handler) review(w http.ResponseWriter, r *http.Request) {
	q, err := reviewQuery(r.URL.Query())
	if err != nil {
		refuse(w, malformed(err.Error()))
		return
	}
	found, err := h.talks.Review(r.Context(), q)
	if err != nil {
		refuse(w, h.explain(r.Context(), "", err))
		return
	}
	reply.JSON(w, http.StatusOK, found)
}

// turns shows how each message of a conversation was understood, and where it stands.
func (h *handler) turns(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	seen, err := h.talks.Look(r.Context(), id)
	if err != nil {
		refuse(w, h.explain(r.Context(), id, err))
		return
	}
	reply.JSON(w, http.StatusOK, seen)
}

// reviewParameters are those of a review.
var reviewParameters = []string{"since", "until", "flow", "mark", "left", "limit", "after"}

// reviewQuery reads the parameters of a review.
func reviewQuery(p url.Values) (q dialogue.ReviewQuery, err error) {
	for name, values := range p {
		if !slices.Contains(reviewParameters, name) {
			return q, fmt.Errorf("there is no parameter %q; expected one of %s", name, strings.Join(reviewParameters, ", "))
		}
		if len(values) > 1 && name != "mark" {
			return q, fmt.Errorf("the parameter %s is there %d times", name, len(values))
		}
	}
	at := func(name string) (t time.Time) {
		if text := p.Get(name); text != "" && err == nil {
			if t, err = time.Parse(time.RFC3339, text); err != nil {
				err = fmt.Errorf("%s: expected a time such as 2026-11-20T10:00:00Z, found %q", name, text)
			}
		}
		return t
	}
	q = dialogue.ReviewQuery{Since: at("since"), Until: at("until"), Flow: p.Get("flow"), After: p.Get("after")}
	for _, text := range p["mark"] {
		m := dialogue.Mark(text)
		if !slices.Contains(dialogue.Marks(), m) {
			return q, fmt.Errorf("mark: there is no %q; expected one of %q", text, dialogue.Marks())
		}
		q.Marks = append(q.Marks, m)
	}
	if text := p.Get("left"); text != "" && err == nil {
		if q.Left, err = time.ParseDuration(text); err != nil || q.Left <= 0 {
			err = fmt.Errorf("left: expected a time such as 24h, found %q", text)
		}
	}
	if text := p.Get("limit"); text != "" && err == nil {
		const most = 500
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > most {
			err = fmt.Errorf("limit: expected a number from 1 to %d, found %q", most, text)
		}
	}
	return q, err
}
