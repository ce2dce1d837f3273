package channels_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shown = regexp.MustCompile("(?s)(?:<!-- from: (\\S+) -->\n)?```go\n(.*?)```")

// TestThePagesShowCompiledCode compares the code of the pages about channels with the files that it is from.
func TestThePagesShowCompiledCode(t *testing.T) {
	for page, least := range map[string]int{"channels.md": 1, "write-a-channel.md": 2} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "how-to", page))
		if err != nil {
			t.Fatal(err)
		}
		found := shown.FindAllStringSubmatch(string(text), -1)
		if len(found) < least {
			t.Errorf("%s has %d blocks of code, expected %d at least", page, len(found), least)
		}
		for _, m := range found {
			source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
			if m[1] == "" || err != nil {
				t.Errorf("%s: expected <!-- from: channels/some_test.go --> above a block: %v\n%s", page, err, m[2])
				continue
			}
			if !strings.HasSuffix(m[1], ".go") || !strings.Contains("\n"+string(source), "\n"+m[2]) {
				t.Errorf("%s: this is not in %s:\n%s", page, m[1], m[2])
			}
		}
	}
}
