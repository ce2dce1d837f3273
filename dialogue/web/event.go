package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/reply"
)

// tell tells a conversation of an event.
func (h *handler) tell(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if h.o.Events == nil {
		refuse(w, forbidden("nobody may tell of events; see web.Options.Events"))
		return
	}
	if no := h.ask(r, "Options.Events", func() error { return h.o.Events(r, id) }); no != nil {
		refuse(w, no)
		return
	}
	var e dialogue.Event
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		refuse(w, malformed(fmt.Sprintf(`expected {"id": …, "name": …, "data": …} of at most %d bytes`, bodyLimit)))
		return
	}
	out, err := h.talks.Tell(lasting(r), id, e)
	if err != nil {
		refuse(w, h.explain(r.Context(), id, err))
		return
	}
	reply.JSON(w, http.StatusOK, stateOf(&out))
}
