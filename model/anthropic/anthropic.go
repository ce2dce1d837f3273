package anthropic

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// DefaultMaxTokens limits the tokens of a reply if neither the request nor the options do. Anthropic requires a limit,
// and all its models can reply at this length.
const DefaultMaxTokens = 16_384

// Adaptive lets the model think as much as it finds right, see Options.Thinking.
const Adaptive = -1

// Options say which model is asked, and where. The zero value is Anthropic's service with the key in
// ANTHROPIC_API_KEY, for requests that name their model.
type Options struct {
	// Model is the name of the model: "claude-sonnet-4-5". A request that names one is for that.
	Model string
	// BaseURL is where the service is, without the version: "https://api.anthropic.com". Defaults to
	// ANTHROPIC_BASE_URL, or else to Anthropic's own.
	BaseURL string
	// KeyEnv is the name of the variable of the environment that has the key. Defaults to ANTHROPIC_API_KEY. Where it
	// is not set, the variable with _FILE behind its name says which file has the key.
	KeyEnv string
	// KeyFile is the path of a file that has the key, which is then not looked for in the environment. The file is read
	// by New; blanks around the key do not matter.
	KeyFile string
	// NoKey is for services that want no key: none is looked for, and none is sent. On this machine (localhost) it is
	// enough that there is none.
	NoKey bool
	// HTTPClient makes the requests, but follows no redirects. Defaults to http.DefaultClient, which waits for as long
	// as Idle and the ctx of Generate let it.
	HTTPClient *http.Client
	// Idle is how long the service may send nothing, from the connection on: then the reply fails with
	// model.ErrUnavailable. Comments and pings count as signs of life, but a reply of ten times that without any part of
	// it fails, too. Defaults to a minute; below 0 is for ever.
	Idle time.Duration

	// MaxTokens is for requests that do not say it. Defaults to DefaultMaxTokens, and with a number of tokens for
	// Thinking to that much more.
	MaxTokens int
	// Thinking has the model reason before it answers: with at most so many tokens (1024 or more), or with Adaptive as
	// it finds right. Which of the two a model knows, depends on it. The reasoning counts as a part of the reply, and
	// so as a part of Request.MaxTokens. Defaults to what the model does by itself.
	Thinking int
	// Effort is how much the model is to work: "low", "medium", "high". It is handed on as it is, and only some models
	// know it. Defaults to what the model does by itself.
	Effort string
	// SchemaAsText has the model be told of Request.Output in the system text. It is for models that know no schemas;
	// others are given the schema, and promise to keep to it. Schemas that Anthropic does not take are always told.
	SchemaAsText bool
	// Prices are what the model costs, see model.Priced. Without them, costs are not known.
	Prices model.Prices
}

// New makes a model. It asks the service nothing yet, and fails with model.ErrInvalid where there is no key, or where
// an option makes no sense.
func New(o Options) (model.Model, error) {
	service, err := remote.Open(
		remote.Provider{
			Name: "Anthropic", Env: "ANTHROPIC", URL: "https://api.anthropic.com/", KeyHeader: "X-Api-Key",
			Header: http.Header{"Anthropic-Version": {"2023-06-01"}},
		},
		remote.Options{BaseURL: o.BaseURL, KeyEnv: o.KeyEnv, KeyFile: o.KeyFile, NoKey: o.NoKey, HTTPClient: o.HTTPClient, Idle: o.Idle},
	)
	if err != nil {
		return nil, err
	}
	if o.Thinking < Adaptive || o.MaxTokens < 0 {
		return nil, remote.Invalid("MaxTokens is %d and Thinking %d; expected numbers of tokens, or Adaptive for Thinking", o.MaxTokens, o.Thinking)
	}
	p := &provider{service: service, options: o}
	if o.Prices != (model.Prices{}) {
		return model.Priced(p, o.Prices), nil
	}
	return p, nil
}

// provider is a model of a service.
type provider struct {
	service *remote.Service
	options Options
}

// Generate implements model.Model.
func (p *provider) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return p.service.Generate(ctx, func() (remote.Request, remote.Reader, error) {
		body, err := p.body(req)
		return remote.Request{Path: "v1/messages", Body: body}, new(reader), err
	})
}
