package recipe

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// The formats of stored recipes: of one file, and with the files that it names: recipes that it calls, scripts. A later format has another
// number; all of them stay readable (J9).
const (
	storedFormat = "fermata/recipe/1"
	storedNested = "fermata/recipe/2"
)

// stored is a recipe as it is kept with its runs.
type stored struct {
	Format     string `json:"format"`
	File       string `json:"file"`
	Dir        string `json:"dir"`
	Text       string `json:"text"`
	AgentsFile string `json:"agentsFile,omitempty"`
	Agents     string `json:"agents,omitempty"`

	Files map[string]string `json:"files,omitempty"` // texts that it names, by their path in the folder, with slashes

	testsFile, tests string // not kept: a run needs no tests
}

func (s stored) text() ([]byte, error) {
	if len(s.Files) > 0 {
		s.Format = storedNested
	}
	return json.Marshal(s)
}

// Restore compiles the text that Source returned. It reads no file; opts.Agents is not used, and opts.Dir, if set,
// replaces the stored folder. Variables of the environment are looked up again.
func Restore(text []byte, opts Options) (*Recipe, error) {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("the stored recipe cannot be read: %w", err)
	}
	if s.Format != storedFormat && s.Format != storedNested {
		return nil, fmt.Errorf("the stored recipe has the format %q; expected %q or %q", s.Format, storedFormat, storedNested)
	}
	if opts.Dir != "" {
		dir, err := filepath.Abs(opts.Dir)
		if err != nil {
			return nil, err
		}
		s.Dir = dir
	}
	return s.compile(opts, true)
}
