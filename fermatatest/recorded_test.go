package fermatatest_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// What a model has said is said again without it, and what it was not asked is an error.
func TestRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "talk.jsonl")
	asked := 0
	real := func() model.Model {
		asked++
		return scripted.Texts("of course", "not at all")
	}
	talk := func(t *testing.T, prompts ...string) (said []string) {
		t.Helper()
		m := fermatatest.Recorded(t, file, real)
		for _, prompt := range prompts {
			c := fermatatest.NewContext(t).WithLLM(m)
			text, err := fermatatest.Run(c, func(ctx node.Context, s string) (string, error) {
				return node.Reason[string](ctx, node.Reasoning{ID: prompt, Prompt: prompt})
			}, "")
			if err != nil {
				text = "an error"
			}
			said = append(said, text)
		}
		return said
	}
	t.Run("record", func(t *testing.T) {
		t.Setenv("FERMATA_UPDATE", "1")
		if diff := cmp.Diff([]string{"of course"}, talk(t, "help me")); diff != "" {
			t.Error(diff)
		}
	})
	asked = 0
	t.Setenv("FERMATA_UPDATE", "")
	if diff := cmp.Diff([]string{"of course", "an error"}, talk(t, "help me", "help them")); diff != "" || asked != 0 {
		t.Errorf("the real model was asked %d times; (-want +got):\n%s", asked, diff)
	}
}
