package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/fermata-go/fermata/model"
)

// maxRefusal is how many bytes are read of an answer that is not a reply.
const maxRefusal = 1 << 20

// Request is a request to a service, made once: asking again after a failure is for the caller.
type Request struct {
	Path   string // below the service's URL, "chat/completions"
	Header http.Header
	Body   any // is encoded as JSON
}

// send makes the request. It returns the body of a stream of events, and all other answers as a [model.Error].
func (s *Service) send(ctx context.Context, r Request, silence *watch) (io.ReadCloser, error) {
	data, err := json.Marshal(r.Body)
	if err != nil {
		return nil, invalid("the request cannot be encoded: %v", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+r.Path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream, application/json")
	s.dress(req, r)
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = silence.aliveBody(resp.Body)
	return s.received(resp)
}

// received lets a stream through and turns all other answers into an error.
func (s *Service) received(resp *http.Response) (io.ReadCloser, error) {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	packed := resp.Header.Get("Content-Encoding") // net/http unpacks what it has asked for, and removes the header
	ok := resp.StatusCode == http.StatusOK
	if ok && media != "text/html" && media != "application/json" && (packed == "" || strings.EqualFold(packed, "identity")) {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // as much as there is
	p := readProblem(body)
	switch {
	case ok && p.message != "", !ok:
		return nil, s.refused(resp, &p)
	case packed != "":
		media = "the encoding " + packed
	}
	return nil, &model.Error{
		Kind:    model.ErrMalformed,
		Message: s.tidy(fmt.Sprintf("%s answered with %s in place of a stream of events; is the base URL right?", s.Host, media)),
	}
}
