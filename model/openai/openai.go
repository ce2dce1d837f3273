package openai

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

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
	service, err := remote.Open(
		remote.Provider{Name: "OpenAI", Env: "OPENAI", URL: "https://api.openai.com/v1/"},
		remote.Options{BaseURL: o.BaseURL, KeyEnv: o.KeyEnv, KeyFile: o.KeyFile, NoKey: o.NoKey, HTTPClient: o.HTTPClient, Idle: o.Idle},
	)
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(service.URL),
		option.WithHTTPClient(service.Client),
		option.WithMaxRetries(0), // who asks again, and when, is not for this package
		option.WithMiddleware(service.Send),
	}
	if secret := service.Key.Secret(); secret != "" {
		options = append(options, option.WithAPIKey(secret))
	}
	p := &provider{service: service, own: own(service.URL), options: o}
	if p.own {
		options = append(options, accounts()...)
	}
	p.chat = sdk.NewChatCompletionService(options...) // unlike a client, it reads no variables
	if o.Prices != (model.Prices{}) {
		return model.Priced(p, o.Prices), nil
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

// accounts are what keys of several organizations or projects need.
func accounts() []option.RequestOption {
	var options []option.RequestOption
	if id := os.Getenv("OPENAI_ORG_ID"); id != "" {
		options = append(options, option.WithOrganization(id))
	}
	if id := os.Getenv("OPENAI_PROJECT_ID"); id != "" {
		options = append(options, option.WithProject(id))
	}
	return options
}

// provider is a model of a service.
type provider struct {
	service *remote.Service
	chat    sdk.ChatCompletionService
	own     bool // the service is OpenAI's
	options Options
}

// Generate implements model.Model.
func (p *provider) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := p.reply(ctx, req, func(c model.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(model.Chunk{}, err)
		}
	}
}

// reply asks, and says what comes. It ends without an error when the reply is whole, or nobody listens any more.
func (p *provider) reply(ctx context.Context, req *model.Request, say func(model.Chunk) bool) error {
	params, err := p.params(req)
	if err != nil {
		return err
	}
	var options []option.RequestOption
	if req.Key != "" && p.own {
		options = append(options, option.WithHeader("Idempotency-Key", remote.Idempotency(req.Key)))
	}
	return remote.Reply(ctx, p.service, func(ctx context.Context) *ssestream.Stream[sdk.ChatCompletionChunk] {
		return p.chat.NewStreaming(ctx, params, options...)
	}, new(reader), say)
}

// name is the model that is asked.
func (p *provider) name(req *model.Request) (string, error) {
	name := cmp.Or(req.Model, p.options.Model)
	if name == "" {
		return "", remote.Invalid("no model is named: expected one in Options.Model or in Request.Model, like \"gpt-5\"")
	}
	return name, nil
}
