package anthropic_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata/internal/golden"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/modeltest"
)

// newModel is a model at a URL, with a key in the environment.
func newModel(t *testing.T, url string, o anthropic.Options) model.Model {
	t.Helper()
	t.Setenv("ANTHROPIC_API_KEY", modeltest.WireKey)
	o.BaseURL = url
	if o.Model == "" {
		o.Model = "claude-sonnet-4-5"
	}
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Reasoning comes back to Anthropic as it came from there.
func TestReasoningRoundTrip(t *testing.T) {
	m := wire.Answering(t, wire.File(t, "reasoning"))
	reply, err := model.Collect(m.Generate(t.Context(), model.Ask("What is it?")))
	if err != nil {
		t.Fatal(err)
	}
	r := sent(t, anthropic.Options{}, &model.Request{Messages: []model.Message{model.Says(model.User, "What is it?"), reply.Message()}})
	var got struct {
		Messages []struct{ Content json.RawMessage } `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=","thinking":"Smoke, then.","type":"thinking"},` +
		`{"data":"EmwKAhgBEgy3va3pzix/LafPsn4a","type":"redacted_thinking"},` +
		`{"data":"EmwKAhgBEgy8899999999999","type":"redacted_thinking"},{"text":"Fire.","type":"text"}]`
	if diff := cmp.Diff(want, string(got.Messages[1].Content)); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

// sameBody compares JSON with a file, which -update writes.
func sameBody(t *testing.T, name string, got []byte) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	golden.File(t, filepath.Join("testdata", name), pretty.String()+"\n")
}
