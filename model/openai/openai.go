package openai

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// Options say which model is asked, and where. The zero value is OpenAI's service with the key in OPENAI_API_KEY, for
// requests that name their model.
type Options struct {
	// Model is the name of the model: "gpt-5". A request that names one is for that.
	Model string
	// BaseURL is where the service is, with its version: "http://127.0.0.1:11434/v1". Defaults to OPENAI_BASE_URL, or
	// else to OpenAI's own.
	BaseURL string
	// KeyEnv is the name of the variable of the environment that has the key. Defaults to OPENAI_API_KEY. Where it is
	// not set, the variable with _FILE behind its name says which file has the key.
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

	// Effort is how much the model is to reason: "minimal", "low", "medium", "high". It is handed on as it is, and only
	// models that reason know it. Defaults to what the model does by itself.
	Effort string
	// SchemaAsText has the model be told of Request.Output in the system text. It is for services that know no schemas;
	// others are given the schema, and can promise to keep to it.
	SchemaAsText bool
	// Prices are what the model costs, see model.Priced. Without them, costs are not known.
	Prices model.Prices
}

// New makes a model. It asks the service nothing yet, and fails with model.ErrInvalid where there is no key, or where
// an option makes no sense.
func New(o Options) (model.Model, error) {
	p, err := open(o)
	if err != nil {
		return nil, err
	}
	if o.Prices != (model.Prices{}) {
		return model.Priced(p, o.Prices), nil
	}
	return p, nil
}

// open finds the service.
func open(o Options) (*provider, error) {
	service, err := remote.Open(
		remote.Provider{Name: "OpenAI", Env: "OPENAI", URL: "https://api.openai.com/v1/", KeyHeader: "Authorization", KeyPrefix: "Bearer "},
		remote.Options{BaseURL: o.BaseURL, KeyEnv: o.KeyEnv, KeyFile: o.KeyFile, NoKey: o.NoKey, HTTPClient: o.HTTPClient, Idle: o.Idle},
	)
	if err != nil {
		return nil, err
	}
	p := &provider{service: service, own: own(service.URL), header: make(http.Header), options: o}
	if p.own { // keys of several organizations or projects need these
		for name, variable := range map[string]string{"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"} {
			if id := os.Getenv(variable); id != "" {
				p.header.Set(name, id)
			}
		}
	}
	return p, nil
}

// own says whether a service is OpenAI's: others know max_tokens by its old name alone.
func own(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return host == "openai.com" || strings.HasSuffix(host, ".openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// provider is a model of a service.
type provider struct {
	service *remote.Service
	own     bool        // the service is OpenAI's
	header  http.Header // of all requests
	options Options
}

// Generate implements model.Model.
func (p *provider) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return p.service.Generate(ctx, func() (remote.Request, remote.Reader, error) {
		body, err := p.body(req)
		if err != nil {
			return remote.Request{}, nil, err
		}
		header := p.header
		if req.Key != "" && p.own {
			header = header.Clone()
			header.Set("Idempotency-Key", remote.Idempotency(req.Key))
		}
		return remote.Request{Path: "chat/completions", Header: header, Body: body}, new(reader), nil
	})
}
