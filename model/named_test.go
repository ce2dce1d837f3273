package model_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// What a name with a colon means, and what is said of one that means nothing.
func TestSetFindBindsNames(t *testing.T) {
	openai, ollama, exact := scripted.New(answers("openai")), scripted.New(answers("ollama")), scripted.New(answers("exact"))
	set := model.Set{"openai": openai, "ollama": ollama, "openai:tuned": exact, "gone": nil}
	tests := map[string]struct{ name, own, want string }{
		"a provider's model":               {"openai:gpt-5", "", `openai "gpt-5"`},
		"an exact name wins":               {"openai:tuned", "", `exact ""`},
		"only the first colon counts":      {"ollama:qwen3:8b", "", `ollama "qwen3:8b"`},
		"a request names its model itself": {"openai:gpt-5", "gpt-5-mini", `openai "gpt-5-mini"`},
		"without a colon":                  {"openai", "", `openai ""`},
		"a slip in the provider": {
			"ollma:qwen3", "", `no such model: none is called "ollma:qwen3"; the set has ollama, openai, openai:tuned; did you mean "ollama:qwen3"?`,
		},
		"a slip in an exact name": {
			"opneai:tuned", "", `no such model: none is called "opneai:tuned"; the set has ollama, openai, openai:tuned; did you mean "openai:tuned"?`,
		},
		"a provider without a model": {
			"openai:", "", `no such model: none is called "openai:"; the set has ollama, openai, openai:tuned; say which of its models: "openai:…"`,
		},
		"an unknown provider":           {"x:y", "", `no such model: none is called "x:y"; the set has ollama, openai, openai:tuned`},
		"no provider":                   {":gpt-5", "", `no such model: none is called ":gpt-5"; the set has ollama, openai, openai:tuned`},
		"a provider that is not there":  {"gone:x", "", `no such model: none is called "gone:x"; the set has ollama, openai, openai:tuned`},
		"a slip, without a model at it": {"ollma:", "", `no such model: none is called "ollma:"; the set has ollama, openai, openai:tuned; did you mean "ollama"?`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			req := &model.Request{Model: tt.own, Messages: []model.Message{model.Says(model.User, "?")}}
			got := found(t.Context(), set, tt.name, req)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if req.Model != tt.own {
				t.Errorf("the caller's request is now for %q", req.Model)
			}
		})
	}
}

// The only model, and the one called default, are found as before, and may be bound like others.
func TestSetFindBindsTheDefault(t *testing.T) {
	only := model.Set{"openai": scripted.New(answers("openai"))}
	set := model.Set{"openai": scripted.New(answers("openai")), model.Default: model.Named(scripted.New(answers("house")), "m-1")}
	var got []string
	for _, tt := range []struct {
		set  model.Set
		name string
	}{{only, ""}, {only, "openai:gpt-5"}, {set, ""}, {set, "default"}, {set, "openai:gpt-5"}} {
		got = append(got, found(t.Context(), tt.set, tt.name, model.Ask("?")))
	}
	want := []string{`openai ""`, `openai "gpt-5"`, `house "m-1"`, `house "m-1"`, `openai "gpt-5"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// answers is a script that says who was asked, and for which model.
func answers(who string) scripted.Script {
	return scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
		return scripted.Reply{Text: fmt.Sprintf("%s %q", who, r.Model)}, nil
	}}
}

// found is what the model of that name answers, or why there is none.
func found(ctx context.Context, set model.Set, name string, req *model.Request) string {
	m, err := set.Find(name)
	if err != nil {
		if !errors.Is(err, model.ErrNoModel) {
			return "of another kind: " + err.Error()
		}
		return err.Error()
	}
	r, err := model.Collect(m.Generate(ctx, req))
	if err != nil {
		return err.Error()
	}
	return r.Text()
}
