package model

import (
	"context"
	"iter"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Named returns a provider's model of that name. Requests that name no model themselves (Request.Model) ask for it.
// [Set.Find] makes one of "openai:gpt-5".
func Named(m Model, name string) Model { return named{m, name} }

type named struct {
	Model
	name string
}

// Generate implements Model.
func (m named) Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	if req.Model != "" {
		return m.Model.Generate(ctx, req)
	}
	own := *req
	own.Model = m.name
	return m.Model.Generate(ctx, &own)
}

// Ready implements the method that [Ready] asks for.
func (m named) Ready(name string) error {
	if name == "" {
		name = m.name
	}
	return ready(m.Model, name)
}

// Ready returns why a model cannot be asked, such as a missing key, without asking it. Models that know it have a
// method Ready(name string) error, for requests that name that model (Request.Model). For others it is nil.
func Ready(m Model) error { return ready(m, "") }

func ready(m Model, name string) error {
	if r, ok := m.(interface{ Ready(name string) error }); ok {
		return r.Ready(name)
	}
	return nil
}

// providerMark stands between the name of a provider and that of its model. Models' names may have more of them, as in
// "ollama:qwen3:8b".
const providerMark = ":"

// bound is the model that a name with a mark means, nil if it means none.
func (s Set) bound(name string) Model {
	provider, rest, _ := strings.Cut(name, providerMark)
	if m := s[provider]; m != nil && rest != "" {
		return Named(m, rest)
	}
	return nil
}

// hint is the end of a sentence about a name that means no model: which one it may have meant.
func (s Set) hint(name string, names []string) string {
	provider, rest, marked := strings.Cut(name, providerMark)
	if marked && rest == "" && s[provider] != nil {
		return "; say which of its models: " + quote(provider+providerMark+"…")
	}
	hint := nearest.Hint(name, names)
	if meant := nearest.Name(provider, names); marked && rest != "" && meant != "" && hint == "" {
		hint = "; did you mean " + quote(meant+providerMark+rest) + "?"
	}
	return hint
}
