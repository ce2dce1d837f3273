package corpora

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// noFlow labels the first messages that no flow of the dialogue is for.
const noFlow = "OOS"

// TestIntents understands the first messages of many people by the triggers of a dialogue, without a model. Its rows count
// messages thrice:
//
//	begun    the right flow began; the user was asked or not understood; another flow began
//	helped   the right flow began, or is one of those that the user was asked about; -; anything else
//	foreign  of messages that no flow is for: not understood; asked about; a flow began
func TestIntents(t *testing.T) {
	dir := Dir(t)
	d, err := dialogue.Load(filepath.Join(dir, "intents-dialogue.yaml"), dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "intents.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	table := Table{Corpus: "intents"}
	turn := dialogue.Turn{Dialogue: d, Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	for line := range strings.Lines(string(data)) {
		want, text, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if !ok {
			t.Fatalf("%q: expected a label, a tab and a message", line)
		}
		turn.Text = text
		understood, err := dialogue.NewPhraseNLU().Understand(node.Context{}, &turn)
		if err != nil {
			t.Fatal(err)
		}
		begun, asked := firstFlow(understood)
		miss := Miss{text, want, cmp.Or(begun, "a question about "+cmp.Or(strings.Join(asked, " or "), "nothing"))}
		if want == noFlow {
			table.Add("foreign", outcomeOf(begun == "" && asked == nil, begun != ""), miss)
			continue
		}
		table.Add("begun", outcomeOf(begun == want, begun != "" && begun != want), miss)
		helped := begun == want || slices.Contains(asked, want)
		table.Add("helped", outcomeOf(helped, !helped), miss)
	}
	table.Check(t)
}

func outcomeOf(right, wrong bool) Outcome {
	switch {
	case right:
		return Right
	case wrong:
		return Wrong
	}
	return Asked
}

// firstFlow is the flow that commands begin, "" for none, and those that the user is asked about.
func firstFlow(commands []dialogue.Command) (begun string, asked []string) {
	for _, c := range commands {
		switch c.Type {
		case dialogue.StartFlow:
			begun = cmp.Or(begun, c.Flow)
		case dialogue.Clarify:
			asked = c.Options
		}
	}
	return begun, asked
}
