package stores_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
)

// Each kind has a name, schemes and variables of its own, and its addresses are read as its own.
func TestEveryKindIsToldFromTheOthers(t *testing.T) {
	all := stores.All()
	var taken []string
	for _, k := range all {
		about := k.About()
		own := append([]string{about.Name}, about.Schemes...)
		if about.Variable != "" {
			own = append(own, about.Variable)
		}
		for _, word := range own {
			if slices.Contains(taken, word) {
				t.Errorf("%s: %q is another kind's, too", about.Name, word)
			}
		}
		taken = append(taken, own...)
		if got, err := all.Parse(about.Address); err != nil || got.Kind != about.Name {
			t.Errorf("%s: its address %s is read as %+v, %v", about.Name, about.Address, got, err)
		}
		for _, scheme := range about.Schemes {
			if got, err := all.Parse(scheme + "://host"); err != nil || got.Kind != about.Name {
				t.Errorf("%s: an address with the scheme %s is read as %+v, %v", about.Name, scheme, got, err)
			}
		}
		if about.Place == storekind.Server && (about.Variable == "" || about.Password == "" || len(about.Public) == 0) {
			t.Errorf("%s: a server, and it is not said where its address and password may be: %+v", about.Name, about)
		}
		if _, can := k.(storekind.Inspector); about.Place == storekind.Server && !can {
			t.Errorf("%s: a server that nobody can look at", about.Name)
		}
	}
}

// option matches an option of an address in a page.
var option = regexp.MustCompile("`\\?([a-z_]+)=")

// Commands that are shown reach the same runs: what chooses a part of a server, and every option that docs/formats.md
// names, is shown with the address. It is no secret.
func TestDocumentedOptionsAreShown(t *testing.T) {
	all := stores.All()
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(page)) {
		for _, k := range all {
			about := k.About()
			if about.Place != storekind.Server || !strings.HasPrefix(line, "| `"+about.Name+"://") {
				continue
			}
			for _, m := range option.FindAllStringSubmatch(line, -1) {
				found++
				address := storekind.Address{Kind: about.Name, At: about.Name + "://ann@host/0?" + m[1] + "=ours"}
				if shown := all.Public(address); shown != address.At || all.HasSecrets(address) {
					t.Errorf("%s is shown as %s", address.At, shown)
				}
			}
		}
	}
	if found < 3 {
		t.Errorf("found only %d options in docs/formats.md", found)
	}
}

func TestAddressesThatNameNoStore(t *testing.T) {
	for text, want := range map[string]string{
		"mysql:x":                "unknown kind of store \"mysql\"; expected memory:, a path, sqlite:PATH, postgres://USER@HOST/DATABASE or redis://HOST:6379/0",
		"memory:x":               "memory: takes nothing after the colon, found 1 characters",
		"sqlite:":                "expected sqlite:PATH, found no path",
		"redis:ann:secret@host":  "expected redis://HOST:6379/0, found no // after the kind",
		"//ann:secret@host/runs": "found what looks like the address of a server",
		"postgres:":              "expected postgres://USER@HOST/DATABASE",
	} {
		store, err := stores.All().Open(text, storekind.Options{})
		if err == nil || store != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("open %q: %v, want %q", text, err, want)
		}
	}
}
