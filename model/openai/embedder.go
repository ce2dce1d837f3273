package openai

import (
	"context"
	"net/http"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// Embedder makes vectors of texts by a service's /embeddings. It is safe for concurrent use.
type Embedder struct {
	service    *remote.Service
	header     http.Header
	model      string
	dimensions int
}

// EmbedderOptions say which model makes vectors, and where. Model is needed.
type EmbedderOptions struct {
	// Service says where the model is and which key opens it; of its fields those count that say so. Model is the name of
	// the model: "text-embedding-3-small".
	Service Options
	// Dimensions is how long vectors are to be, for models that can choose. Defaults to what the model does by itself.
	Dimensions int
}

// NewEmbedder makes an embedder. It asks the service nothing yet, and fails with model.ErrInvalid where there is no key or no
// name of a model.
func NewEmbedder(o EmbedderOptions) (*Embedder, error) {
	if o.Service.Model == "" {
		return nil, &model.Error{Kind: model.ErrInvalid, Message: `an embedder needs the name of a model, such as "text-embedding-3-small"`}
	}
	p, err := open(o.Service)
	if err != nil {
		return nil, err
	}
	return &Embedder{service: p.service, header: p.header, model: o.Service.Model, dimensions: o.Dimensions}, nil
}

// Embed returns a vector for each text, in their order. It makes one request.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	body := map[string]any{"model": e.model, "input": texts, "encoding_format": "float"}
	if e.dimensions > 0 {
		body["dimensions"] = e.dimensions
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := e.service.Ask(ctx, remote.Request{Path: "embeddings", Header: e.header, Body: body}, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, e.malformed()
		}
		vectors[d.Index] = d.Embedding
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, e.malformed()
		}
	}
	return vectors, nil
}

func (e *Embedder) malformed() error {
	return &model.Error{Kind: model.ErrMalformed, Message: e.service.Host + " answered with other vectors than one for each text, all of one length"}
}
