package interrupt

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
)

// TestJ9_InterruptsStayReadable pins the form in which servers hold interrupts now: what they hold has to be read for ever.
func TestJ9_InterruptsStayReadable(t *testing.T) {
	want := journal.Interrupt{
		ID: "int_1", Run: "run_1", Task: "ask#1", Op: "interrupt/0", Kind: "human", Request: json.RawMessage(`{"a": 1}`),
		RequestSchema: json.RawMessage(`true`), ResponseSchema: json.RawMessage(` {}`), RequestSchemaID: "ask", RequestSchemaVersion: "1",
		ResponseSchemaID: "said", ResponseSchemaVersion: "2", Prompt: "Go <on>?", Options: []string{"yes", "no"}, Role: "clerk", Assignee: "Ada",
		NotBy: []string{"Sam"}, NotByNodes: []string{"draft"}, Opened: 1, Deadline: 2,
		AtDeadline: &journal.Deadline{Do: "escalate", Role: "chief", Within: 3, Then: &journal.Deadline{Do: "fail"}},
		Digest:     "d", TokenHash: "h", State: journal.Answered, ClaimedBy: "Ada", Answer: json.RawMessage("no JSON \xff"), AnsweredBy: "Ada", Resolved: 4,
		OverrideRole: "chief", NeedsToken: true, AssigneeName: "Ada L.", ClaimedByName: "A. L.", AnsweredByName: "Lovelace",
	}
	const form = `{"requestId":"int_1","run":"run_1","task":"ask#1","op":"interrupt/0","kind":"human",` +
		`"requestSchemaId":"ask","requestSchemaVersion":"1","responseSchemaId":"said","responseSchemaVersion":"2",` +
		`"prompt":"Go \u003con\u003e?","options":["yes","no"],"requiredRole":"clerk","assignee":"Ada","notBy":["Sam"],"notByNodes":["draft"],"overrideRole":"chief","needsToken":true,` +
		`"opened":1,"deadline":2,"atDeadline":{"do":"escalate","role":"chief","within":3,"then":{"do":"fail"}},"digest":"d","tokenHash":"h",` +
		`"state":"answered","claimedBy":"Ada","answeredBy":"Ada","resolved":4,"assigneeName":"Ada L.","claimedByName":"A. L.","answeredByName":"Lovelace",` +
		`"input":"eyJhIjogMX0=","requestSchema":"dHJ1ZQ==","responseSchema":"IHt9","answer":"bm8gSlNPTiD/"}`
	got, err := Decode("int_1", []byte(form))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("read: %v (-want +got):\n%s", err, diff)
	}
	data, err := Encode(&want)
	if diff := cmp.Diff(form, string(data)); err != nil || diff != "" {
		t.Errorf("written: %v (-want +got):\n%s", err, diff)
	}
}

// TestJ6_AnotherInterruptIsRefused, as all that is no interrupt is.
func TestJ6_AnotherInterruptIsRefused(t *testing.T) {
	for _, data := range []string{"", "{}", "null", `{"requestId":"int_2"}`, `{"requestId":"int_1","input":"?"}`} {
		if in, err := Decode("int_1", []byte(data)); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%s is read as %+v, %v; expected %v", data, in, err, journal.ErrCorrupt)
		}
	}
}
