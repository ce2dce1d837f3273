package dialogue_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
)

// TestJ9_AConversationOfAnEarlierVersion goes on with a conversation that was stored by the first version that had any, and
// whose process died when a flow had just linked to another one: its state says so in a member that states have no more.
func TestJ9_AConversationOfAnEarlierVersion(t *testing.T) {
	d, err := dialogue.Load("testdata/stored/visit.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := os.Open("testdata/stored/linked.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := rt.Import(t.Context(), file, fermata.ImportOptions{})
	if err != nil || info.Head != 24 {
		t.Fatalf("imported %+v, %v", info, err)
	}
	run, err := rt.Resume(t.Context(), info.ID, d.Plan())
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("found %+v, %v", res, err)
	}
	said := []string{res.Interrupts[0].Prompt}
	reply, err := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{}).Send(t.Context(), info.ID, dialogue.Message{Text: "4"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range reply.Said {
		said = append(said, s.Prompt)
	}
	want := []string{"How many stars for Monday?", "4 for Monday.", "Is there anything else?"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("what was said (-want +got):\n%s", diff)
	}
}
