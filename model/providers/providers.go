package providers

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/openai"
)

// The names of the providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Ollama    = "ollama"
)

// modelEnv is the variable that names the model for whoever names none.
const modelEnv = "FERMATA_MODEL"

// Options say more than the environment does. The zero value takes it as it is.
type Options struct {
	// Model is the default model, with its provider: "openai:gpt-5". Defaults to the variable FERMATA_MODEL; without
	// that, each node has to name a model.
	Model string
	// Retry says how a provider is asked again that fails before anything of its reply was seen (model.Retrying): too many
	// requests, trouble of the provider, connections that break. Defaults to four tries; with Attempts 1 there is one.
	Retry model.RetryPolicy
	// Wrap puts something around a provider's model, such as the limits of its key (model.Limited). It is asked once
	// for each provider that can be used. Defaults to nothing.
	Wrap func(provider string, m model.Model) model.Model
	// Later puts a default model that cannot be used into the set, too, as one that fails when it is asked. Defaults to
	// failing at once.
	Later bool
}

// FromEnv makes a set of all providers that there are, by their names. Their models are found by names like
// "openai:gpt-5", see model.Set.
//
//   - "openai" needs the variable OPENAI_API_KEY, or OPENAI_API_KEY_FILE with the path of a file that has the key.
//   - "anthropic" needs ANTHROPIC_API_KEY, or ANTHROPIC_API_KEY_FILE.
//   - "ollama" needs no key. OLLAMA_HOST says where it is, as Ollama's own programs read it. Defaults to
//     http://127.0.0.1:11434.
//
// A provider without a key is in the set, too: asking it fails with model.ErrNoModel and says which variable to set. So
// does asking one whose variables are wrong. FromEnv itself fails when that provider is the one of Options.Model, and
// with a name there that means no model. Nobody is asked anything yet.
func FromEnv(o Options) (model.Set, error) {
	set, broken := make(model.Set), make(map[string]error)
	add := func(name string, m model.Model, err error) {
		switch {
		case err != nil:
			broken[name] = err
			m = unusable(err)
		default:
			if o.Wrap != nil {
				m = o.Wrap(name, m)
			}
			m = model.Retrying(m, o.Retry)
		}
		set[name] = m
	}
	m, err := openai.New(openai.Options{})
	add(OpenAI, m, explained(OpenAI, "OPENAI", err))
	m, err = anthropic.New(anthropic.Options{})
	add(Anthropic, m, explained(Anthropic, "ANTHROPIC", err))
	m, err = ollama()
	add(Ollama, m, err)

	name, from := o.Model, "Options.Model"
	if name == "" {
		name, from = os.Getenv(modelEnv), "the variable "+modelEnv
	}
	if name == "" {
		return set, nil
	}
	provider, rest, _ := strings.Cut(name, ":")
	if set[name] != nil || rest == "" && set[provider] == nil {
		err = &model.Error{
			Kind: model.ErrNoModel, Message: fmt.Sprintf("%s is %q; expected a provider and its model, like %q", from, name, "openai:gpt-5"),
		}
	} else {
		if m, err = set.Find(name); err == nil {
			err = broken[provider]
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	}
	switch {
	case err != nil && o.Later:
		m = unusable(err)
	case err != nil:
		return nil, err
	}
	set[model.Default] = m
	return set, nil
}

// explained is why a provider cannot be used, nil if it can.
func explained(name, env string, err error) error {
	if err == nil {
		return nil
	}
	key, file := env+"_API_KEY", env+"_API_KEY_FILE"
	if os.Getenv(key) == "" && os.Getenv(file) == "" {
		return &model.Error{
			Kind: model.ErrNoModel, Message: fmt.Sprintf("%s has no key: set %s, or %s to the path of a file that has it", name, key, file),
		}
	}
	return &model.Error{Kind: model.ErrNoModel, Message: name + " cannot be used", Err: err}
}

// unusable is a model that fails.
func unusable(err error) model.Model { return failing{err} }

type failing struct{ err error }

// Generate implements model.Model.
func (f failing) Generate(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, f.err) }
}

// Ready says why, see model.Ready.
func (f failing) Ready(string) error { return f.err }

// Embedder makes the embedder of a name such as "openai:text-embedding-3-small".
//
// The environment says where its provider is and which key opens it, as for FromEnv: "openai" and "ollama" have embedders. It fails
// with model.ErrNoModel where there is no such provider or no key, and asks nobody.
func Embedder(name string) (*openai.Embedder, error) {
	provider, rest, _ := strings.Cut(name, ":")
	o := openai.Options{Model: rest}
	switch {
	case rest == "" || provider != OpenAI && provider != Ollama:
		return nil, &model.Error{
			Kind: model.ErrNoModel, Message: fmt.Sprintf("there is no embedder %q; expected a provider, %s or %s, and its model, like %q", name, OpenAI, Ollama, "openai:text-embedding-3-small"),
		}
	case provider == Ollama:
		base, err := ollamaURL(os.Getenv("OLLAMA_HOST"))
		if err != nil {
			return nil, err
		}
		o.BaseURL, o.NoKey = base, true
	}
	e, err := openai.NewEmbedder(openai.EmbedderOptions{Service: o})
	if err != nil {
		return nil, explained(provider, strings.ToUpper(provider), err)
	}
	return e, nil
}

// ollama speaks OpenAI's protocol.
func ollama() (model.Model, error) {
	base, err := ollamaURL(os.Getenv("OLLAMA_HOST"))
	if err != nil {
		return nil, err
	}
	m, err := openai.New(openai.Options{BaseURL: base, NoKey: true})
	if err != nil {
		return nil, &model.Error{Kind: model.ErrNoModel, Message: Ollama + " cannot be used", Err: err}
	}
	return m, nil
}

// ollamaURL is where Ollama is, by what OLLAMA_HOST says: a host, a port, both, or a URL. Without a scheme it is on
// Ollama's port. An address that means "all of this machine's", to who listens, is this machine to who asks.
func ollamaURL(host string) (string, error) {
	const anywhere, here, port = "0.0.0.0", "127.0.0.1", "11434"
	host = strings.TrimSpace(host)
	text := host
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" { // it may hold a password, and is not shown
		return "", &model.Error{
			Kind: model.ErrNoModel, Message: Ollama + ` cannot be used: OLLAMA_HOST is no host; expected one like "127.0.0.1:11434" or "http://gpu:11434"`,
		}
	}
	name, number := cmp.Or(u.Hostname(), here), u.Port()
	if name == anywhere || name == "::" {
		name = here
	}
	if number == "" && text != host {
		number = port
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(name, number), ":")
	return u.JoinPath("v1").String(), nil
}
