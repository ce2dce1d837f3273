package dialogue_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
)

// errorCases are files that do not load, with what is said of each.
const errorCases = "testdata/errors/*.txtar"

// filesIn are the dialogues of a folder.
func filesIn(t testing.TB, folder string) []string {
	t.Helper()
	var all []string
	for _, ext := range []string{"yaml", "json"} {
		found, err := filepath.Glob(filepath.Join("testdata", folder, "*."+ext))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Fatalf("there is no dialogue in %s", folder)
	}
	return all
}

type (
	transferIn struct {
		Amount float64 `json:"amount"`
		Payee  string  `json:"payee"`
	}
	receipt struct {
		Reference string `json:"reference"`
	}
)

// fileOptions are what the files of the tests may use.
func fileOptions() dialogue.Options {
	return dialogue.Options{
		Actions: []dialogue.Action{
			dialogue.MustAction("bank.transfer", "Sends money", func(_ node.Context, in transferIn) (receipt, error) {
				return receipt{Reference: "R1"}, nil
			}),
			{Name: "echo", Run: func(_ node.Context, in map[string]any) (any, error) { return in, nil }},
		},
		ActionsFrom: actionFrom,
	}
}

// actionFrom makes actions such as {gives: 3}, and keeps what they give.
func actionFrom(name string, spec any) (dialogue.Action, error) {
	if kept, ok := spec.([]byte); ok {
		return dialogue.Action{Description: string(kept), Source: kept, Run: func(node.Context, map[string]any) (any, error) { return string(kept), nil }}, nil
	}
	var said map[string]any
	if text, ok := spec.(json.RawMessage); ok {
		_ = json.Unmarshal(text, &said) // what is no mapping is refused
	}
	gives, ok := said["gives"].(string)
	switch {
	case said == nil:
		return dialogue.Action{}, errors.New("expected {gives: text}")
	case !ok:
		return dialogue.Action{}, &definition.PathError{Path: "gives", Message: "expected a text"}
	}
	return actionFrom(name, []byte(gives))
}

// TestFiles pins the plan, the drawing and the warnings of each file, and that it can be restored from its source to the same plan.
func TestFiles(t *testing.T) {
	for _, file := range filesIn(t, "files") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			d, err := dialogue.Load(file, fileOptions())
			if err != nil {
				t.Fatal(err)
			}
			text := d.Plan().Text() + "\n" + d.Plan().Mermaid() + "\n"
			for _, w := range d.Warnings() {
				text += filepath.Base(w.String()) + "\n"
			}
			golden.File(t, golden.Beside(file, ".golden"), text)
			again, err := dialogue.Restore(d.Source(), fileOptions())
			if err != nil {
				t.Fatal(err)
			}
			if again.Digest() != d.Digest() || again.Plan().Text() != d.Plan().Text() {
				t.Errorf("restored, it is %s; expected %s", again.Digest(), d.Digest())
			}
			if diff := cmp.Diff(d.Definition(), again.Definition()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTheDocumentedFiles loads the dialogues of the documents as they stand there.
func TestTheDocumentedFiles(t *testing.T) {
	for _, doc := range []string{"formats.md", "dialogues.md"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", doc))
		if err != nil {
			t.Fatal(err)
		}
		blocks := regexp.MustCompile("(?s)```yaml\n(kind: Dialogue.*?)```").FindAllSubmatch(text, -1)
		if len(blocks) == 0 {
			t.Errorf("%s holds no dialogue", doc)
		}
		for _, b := range blocks {
			d, err := dialogue.Parse(b[1], "bank.yaml", fileOptions())
			if err != nil {
				t.Errorf("%s: %v", doc, err)
				continue
			}
			if got := d.FlowNames(); d.Name() != "bank" || !cmp.Equal(got, []string{"transfer"}) {
				t.Errorf("%s: %s has the flows %v", doc, d.Name(), got)
			}
		}
	}
}

// TestFileIsGo checks that a file and Go values that say the same are the same dialogue.
func TestFileIsGo(t *testing.T) {
	inGo := bank(t)
	inFile, err := dialogue.Load("testdata/files/bank.yaml", fileOptions())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inGo.Definition(), inFile.Definition()); diff != "" {
		t.Errorf("the definitions differ (-go +file):\n%s", diff)
	}
	if diff := cmp.Diff(inGo.Plan().Text(), inFile.Plan().Text()); diff != "" {
		t.Errorf("the plans differ (-go +file):\n%s", diff)
	}
	if inGo.Plan().Fingerprint() != inFile.Plan().Fingerprint() {
		t.Error("the plans have different fingerprints")
	}
	if inGo.Source() != nil || inGo.Digest() != "" {
		t.Error("a dialogue of Go values has a source")
	}
}

// TestJ9_ADialogueIsKeptWithItsConversations checks that a conversation's run leads to all that it was compiled from: after
// the file is gone, what is restored goes on with the conversation where it was.
func TestJ9_ADialogueIsKeptWithItsConversations(t *testing.T) {
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	d, err := dialogue.Load("testdata/files/bank.yaml", fileOptions())
	if err != nil {
		t.Fatal(err)
	}
	digest, err := rt.SaveDefinition(t.Context(), "dialogue", d.Source())
	if err != nil || digest != d.Digest() {
		t.Fatalf("kept as %s (%v); expected %s", digest, err, d.Digest())
	}
	opts := dialogue.ConversationOptions{Start: []fermata.StartOption{fermata.WithDefinition(digest)}}
	talks := dialogue.NewConversations(rt, d, opts)
	if _, _, err := talks.Open(t.Context(), "ada", map[string]any{"balance": 100}); err != nil {
		t.Fatal(err)
	}
	if _, err := talks.Send(t.Context(), "ada", dialogue.Message{Text: "transfer 50 to Bob"}); err != nil {
		t.Fatal(err)
	}
	info, err := rt.Info(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := rt.Definition(t.Context(), info.Definition)
	if err != nil {
		t.Fatal(err)
	}
	again, err := dialogue.Restore(text, fileOptions())
	if err != nil {
		t.Fatal(err)
	}
	reply, err := dialogue.NewConversations(rt, again, opts).Send(t.Context(), "ada", dialogue.Message{Text: "yes"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Sent. Reference R1.", "Is there anything else?"}, reply.Texts()); diff != "" {
		t.Error(diff)
	}
}

// TestIs checks what counts as a dialogue, also where the text cannot be parsed.
func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"kind: Dialogue\n": true, "{\"kind\": \"Dialogue\"}": true, "a: [\nkind: Dialogue\n": true, "kind: 'Dialogue'\n\t": true,
		"kind: Recipe\n": false, "kind: Dialogues\n": false, "- kind: Dialogue\n": false, "text: |\n  kind: Dialogue\n": false, "": false,
		"kind: [Dialogue]\n": false,
	} {
		if got := dialogue.Is([]byte(text)); got != want {
			t.Errorf("%q: %v; expected %v", text, got, want)
		}
	}
}

// TestRestoreRefuses checks that what is no stored dialogue is refused.
func TestRestoreRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Dialogue":                   "the stored dialogue cannot be read",
		`{"format": "fermata/recipe/1"}`:   `the stored dialogue has the format "fermata/recipe/1"; expected "fermata/dialogue/1"`,
		`{"format": "fermata/dialogue/1"}`: "the file is empty; expected a dialogue",
		`{"format": "fermata/dialogue/1", "text": "kind: Dialogue", "file": "a.yaml"}`: "a.yaml:1:1: there is no flow",
	} {
		if _, err := dialogue.Restore([]byte(text), dialogue.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; expected %s", text, err, want)
		}
	}
}

// TestLoadFolders checks that a folder is its dialogue.yaml, which is called as the folder is.
func TestLoadFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hotel")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := dialogue.Load(dir, dialogue.Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "holds no dialogue.yaml") {
		t.Errorf("an empty folder: %v", err)
	}
	text := []byte("kind: Dialogue\nflows: {hello: {trigger: [hello], steps: [{type: say, message: Hello.}]}}\n")
	if err := os.WriteFile(filepath.Join(dir, "dialogue.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dialogue.Load(dir, dialogue.Options{})
	if err != nil || d.Name() != "hotel" {
		t.Errorf("%v, %v; expected hotel", d, err)
	}
}

// TestFileErrors pins what each kind of mistake is answered with: file, line, column, and the nearest name.
func TestFileErrors(t *testing.T) {
	cases := golden.Open(t, errorCases)
	for _, name := range cases.Names("*.yaml", "*.json") {
		t.Run(name, func(t *testing.T) {
			_, err := dialogue.Parse([]byte(cases.Text(t, name)), name, fileOptions())
			faults, ok := errors.AsType[*definition.Error](err)
			if !ok {
				t.Fatalf("expected a *definition.Error, got %v", err)
			}
			cases.Compare(t, golden.Beside(name, ".golden"), faults.Error()+"\n")
		})
	}
}

// TestFileErrors_many counts the broken files, so that none gets lost, and looks at what every message needs: its place,
// and more than a few words.
func TestFileErrors_many(t *testing.T) {
	cases := golden.Open(t, errorCases)
	broken := cases.Names("*.yaml", "*.json")
	if len(broken) < 40 {
		t.Errorf("there are %d broken files; expected at least 40", len(broken))
	}
	place := regexp.MustCompile(`^(\S+\.(yaml|json)):[1-9]\d*:[1-9]\d*: \S+ \S+ \S+`)
	for _, name := range broken {
		for line := range strings.Lines(cases.Text(t, golden.Beside(name, ".golden"))) {
			if m := place.FindStringSubmatch(line); m == nil || m[1] != name {
				t.Errorf("%s: a message without file, line, column or words: %s", name, line)
			}
		}
	}
}

// FuzzParse checks that no text stops the loader, that what is wrong has a place and words, and that what loads can be
// restored.
func FuzzParse(f *testing.F) {
	for _, file := range filesIn(f, "files") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	cases := golden.Open(f, errorCases)
	for _, name := range cases.Names("*.yaml", "*.json") {
		f.Add([]byte(cases.Text(f, name)))
	}
	opts := fileOptions()
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := dialogue.Parse(data, "fuzz.yaml", opts)
		if err == nil {
			if d.Plan() == nil || d.Name() == "" || d.Digest() == "" {
				t.Error("a dialogue without a plan, a name or a digest")
			}
			again, err := dialogue.Restore(d.Source(), opts)
			if err != nil {
				t.Fatalf("it loads and cannot be restored: %v", err)
			}
			if again.Digest() != d.Digest() {
				t.Errorf("restored, it is %s; expected %s", again.Digest(), d.Digest())
			}
			return
		}
		faults, ok := errors.AsType[*definition.Error](err)
		if !ok {
			t.Fatalf("expected a *definition.Error, got %T: %v", err, err)
		}
		for _, p := range faults.Problems {
			if p.Message == "" || p.File != "fuzz.yaml" || p.Line < 0 || p.Line > 0 && p.Column < 1 {
				t.Errorf("a problem without place or words: %+v", p)
			}
		}
	})
}
