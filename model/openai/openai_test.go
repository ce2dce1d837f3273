package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
)

// What services say that others say differently.
func TestServicesThatDiffer(t *testing.T) {
	call := func(i int, id, name, arguments string) model.Chunk {
		return model.Chunk{Call: &model.CallChunk{Index: i, ID: id, Name: name, Arguments: arguments}}
	}
	calls := func(list string) string {
		return `{"id":"c","choices":[{"delta":{"content":null,"tool_calls":[` + list + `]}}]}`
	}
	stop := func(reason string) string {
		return `{"id":"c","choices":[{"delta":{"tool_calls":null},"finish_reason":"` + reason + `"}]}`
	}
	for name, test := range map[string]struct {
		events []string
		want   []model.Chunk
	}{
		"calls at once without ids, at the same index": {
			[]string{calls(`{"function":{"name":"now","arguments":"{}"}},{"function":{"name":"now","arguments":"{}"}}`), stop("stop")},
			[]model.Chunk{call(0, "c-0", "now", "{}"), call(1, "c-1", "now", "{}"), {Finish: model.FinishCalls}},
		},
		"a call in pieces without an id, whose name is said again": {
			[]string{
				calls(`{"index":0,"id":"","function":{"name":"say","arguments":""}}`), calls(`{"index":0,"function":{"name":"say","arguments":"{\"a\":"}}`),
				calls(`{"index":0,"function":{"name":"say","arguments":"1}"}}`), calls(`{"index":0,"function":{"name":"now"}}`), stop("tool_calls"),
			},
			[]model.Chunk{
				call(0, "c-0", "say", ""), call(0, "", "", `{"a":`), call(0, "", "", "1}"), call(1, "c-1", "now", ""), {Finish: model.FinishCalls},
			},
		},
		"arguments that are no text": {
			[]string{calls(`{"index":0,"id":"x","function":{"name":"say","arguments":{"a":1}}}`), stop("stop")},
			[]model.Chunk{call(0, "x", "say", `{"a":1}`), {Finish: model.FinishCalls}},
		},
		"a list of parts": {
			[]string{
				`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}}]}`,
				`{"choices":[{"delta":{"content":[{"type":"text","text":"Paper"},{"type":"reference","reference_ids":[1]}]}}]}`,
				`{"choices":[{"delta":{"content":"[1]"}}]}`, stop("stop"),
			},
			[]model.Chunk{{Reasoning: "Hm."}, {Text: "Paper"}, {Text: "[1]"}, {Finish: model.FinishStop}},
		},
		"reasoning beside the output": {
			[]string{
				stop("end_turn"),
				`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45,"completion_tokens_details":{"reasoning_tokens":30}}}`,
			},
			[]model.Chunk{{Usage: &model.Usage{Input: 10, Output: 35, Reasoning: 30}}, {Finish: model.FinishStop}},
		},
		"no total": {
			[]string{stop("max_tokens"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`},
			[]model.Chunk{{Usage: &model.Usage{Input: 10, Output: 5}}, {Finish: model.FinishTruncated}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			body := "data: " + strings.Join(append(test.events, "[DONE]"), "\n\ndata: ") + "\n\n"
			got, err := wire.Replay(t, modeltest.Answer{Body: []byte(body)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
		})
	}
}
