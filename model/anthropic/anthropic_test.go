package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
)

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
