package fermatatest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/schema"
)

// SchemaCompatible fails the test unless two versions of a schema agree; see [schema.Compatible]. Undecidable places
// fail it, too.
func SchemaCompatible(t testing.TB, old, next *schema.Schema, dir schema.Direction) {
	t.Helper()
	if err := schema.Compatible(old, next, dir); err != nil {
		t.Errorf("two versions of the schema %s: %v", next.Identity().ID, err)
	}
}

// PinSchema compares the schema of T with the one in a file, "testdata/invoice.schema.json". It fails the test where
// they differ, and says what that does to values that are stored and to programs that know the old version. Journals,
// answers that are under way, and screens of others hold on to the contract: that it changes should not go unnoticed.
//
// With FERMATA_UPDATE=1 in the environment the file is written instead.
func PinSchema[T any](t testing.TB, file string) {
	t.Helper()
	s, err := schema.For[T]()
	if err != nil {
		t.Fatalf("pinned schema: %v", err)
		return
	}
	var text bytes.Buffer
	if err := json.Indent(&text, s.JSON(), "", "  "); err != nil {
		t.Fatalf("pinned schema: %v", err)
		return
	}
	text.WriteByte('\n')
	if os.Getenv(updateVariable) != "" {
		writeGolden(t, file, text.String())
		return
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("pinned schema: there is no %s yet; run the test with %s=1 to write it:\n%s", file, updateVariable, text.String())
		return
	}
	if err != nil {
		t.Fatalf("pinned schema: %v", err)
		return
	}
	pinned, err := schema.Parse(data)
	if err != nil {
		t.Fatalf("pinned schema: %s: %v", file, err)
		return
	}
	if pinned.ID() != s.ID() {
		t.Errorf("pinned schema: that of %s is no longer what %s holds\n%s"+
			"if that is right, run the test with %s=1 and review the change", s.Identity().ID, file, effects(pinned, s), updateVariable)
	}
}

// effects says what the change from one version to the next does to those who know the old one.
func effects(old, next *schema.Schema) string {
	var b strings.Builder
	for _, side := range []struct {
		dir        schema.Direction
		good, evil string
	}{
		{schema.Backward, "what was written before is still read", "what was written before may no longer be read"},
		{schema.Forward, "who knows the old version still reads what is written now", "who knows the old version may not read what is written now"},
	} {
		err := schema.Compatible(old, next, side.dir)
		if err == nil {
			fmt.Fprintf(&b, "  %s\n", side.good)
			continue
		}
		fmt.Fprintf(&b, "  %s: %s\n", side.evil, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return b.String()
}
