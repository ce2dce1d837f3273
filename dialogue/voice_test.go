package dialogue

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryLanguageSaysAllThatIsSaidByItself: nothing that English says is missing in another language.
func TestEveryLanguageSaysAllThatIsSaidByItself(t *testing.T) {
	for language, v := range voices {
		for _, name := range PatternNames() {
			own, said := v.patterns[name]
			if english := defaultPatterns[name].Message; !said || (own == "") != (english == "") {
				t.Errorf("%s: the pattern %s says %q, and in English %q", language, name, own, english)
				continue
			}
			text, fault := compileTemplate(own)
			english, _ := compileTemplate(defaultPatterns[name].Message)
			if fault != nil {
				t.Errorf("%s: the pattern %s: %s", language, name, fault.Message)
			} else if diff := cmp.Diff(english.reads(), text.reads()); diff != "" {
				t.Errorf("%s: what the pattern %s reads: %s", language, name, diff)
			}
		}
		for _, kind := range SlotTypes() {
			if v.types[kind] == "" {
				t.Errorf("%s: a slot of type %s has no name", language, kind)
			}
		}
	}
}
