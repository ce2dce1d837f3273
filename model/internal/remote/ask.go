package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/fermata-go/fermata/model"
)

// maxAnswer is how many bytes an answer may have that is no stream.
const maxAnswer = 64 << 20

// Ask makes a request that one JSON value answers, and decodes it. It is made once. All other answers are a [model.Error].
func (s *Service) Ask(ctx context.Context, r Request, into any) error {
	data, err := json.Marshal(r.Body)
	if err != nil {
		return invalid("the request cannot be encoded: %v", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+r.Path, bytes.NewReader(data))
	if err != nil {
		return s.failed(ctx, err)
	}
	s.dress(req, r)
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return s.failed(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return s.failed(ctx, err)
	case len(body) > maxAnswer:
		return &model.Error{Kind: model.ErrMalformed, Message: fmt.Sprintf("%s answered with more than %d bytes", s.Host, maxAnswer)}
	case resp.StatusCode != http.StatusOK:
		p := readProblem(body)
		return s.refused(resp, &p)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &model.Error{Kind: model.ErrMalformed, Message: s.tidy(fmt.Sprintf("%s answered with something else than what was asked for: %v; is the base URL right?", s.Host, err))}
	}
	return nil
}

// dress gives a request its headers, and the key.
func (s *Service) dress(req *http.Request, r Request) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "fermata")
	maps.Copy(req.Header, s.provider.Header)
	maps.Copy(req.Header, r.Header)
	if secret := s.Key.Secret(); secret != "" {
		req.Header.Set(s.provider.KeyHeader, s.provider.KeyPrefix+secret)
	}
}
