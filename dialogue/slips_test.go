package dialogue

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/rank"
)

// slipped is a word in which two letters in its middle are swapped.
func slipped(word string) string {
	for i := len(word)/2 - 1; i+1 < len(word); i++ {
		if word[i] != word[i+1] && word[i] < 0x80 && word[i+1] < 0x80 {
			return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
		}
	}
	return word
}

// withSlips are texts with slips in two of their words, of which no slip is another word, one text for each two words.
func withSlips(text string) []string {
	var all []string
	words := strings.Fields(text)
	for i := range words {
		for j := i + 1; j < len(words); j++ {
			if len(words[i]) < 5 || len(words[j]) < 5 {
				continue
			}
			with := strings.Fields(text)
			with[i], with[j] = slipped(words[i]), slipped(words[j])
			all = append(all, strings.Join(with, " "))
		}
	}
	return all
}

// TestTwoSlipsAreRanked ranks triggers of the bank with slips in two words, by a ranker that mends them and by one that takes each
// word as it stands. Of sayings about everyday topics, no more begin a flow.
func TestTwoSlipsAreRanked(t *testing.T) {
	d := example(t, "bank")
	more := map[string]string{"en": " of my savings account", "de": " von meinem Sparkonto"}
	all := map[string]*Dialogue{"en": d}
	maps.Copy(all, d.translations)
	for tag, d := range all {
		mends := d.newFlowRanker(d.locale, nil)
		plain := &flowRanker{meant: mends.meant, Ranker: rank.New(d.rankedClasses(nil), rank.Options{Foreign: d.language.OffTopic(), Words: func(text string) []rank.Word {
			words := d.rankedWords(d.locale)(text)
			for i := range words {
				words[i].Known = true // nothing is a slip
			}
			return words
		}})}
		type count struct{ texts, right, wrong, foreign int }
		counted := func(r *flowRanker) (n count) {
			begins := func(text string) string {
				if found := r.Rank(text); found.Sure >= rank.Ahead {
					return r.meant[found.Classes[0].Class].flow
				}
				return ""
			}
			for _, f := range d.order {
				if !f.named() {
					continue
				}
				for _, trigger := range plainTexts(f.Trigger) {
					for _, text := range append(withSlips(trigger), withSlips(trigger+more[tag])...) {
						n.texts++
						switch begun := begins(text); begun {
						case f.Name:
							n.right++
						case "":
						default:
							n.wrong++
						}
					}
				}
			}
			for _, text := range d.language.OffTopic() {
				if begins(text) != "" {
					n.foreign++
				}
			}
			return n
		}
		before, after := counted(plain), counted(mends)
		t.Logf("%s: of %d texts %d begin the right flow, %d without mending", tag, after.texts, after.right, before.right)
		if after.texts < 10 || after.right <= before.right || after.right*10 < after.texts*9 || after.wrong > before.wrong || after.foreign > before.foreign {
			t.Errorf("%s: before %+v, after %+v", tag, before, after)
		}
	}
}

// TestSlipsOfWordsThatAreMeant begins flows of the bank by messages that no trigger is.
func TestSlipsOfWordsThatAreMeant(t *testing.T) {
	d := example(t, "bank")
	german := d.translations["de"]
	for _, tt := range []struct {
		d          *Dialogue
		said, flow string
	}{
		{d, "could I trasnfer some monye to a friend of mine", "transfer"},
		{german, "würde gerne etwas Gled überweissen an einen Freund", "transfer"},
	} {
		found, err := tt.d.phrases.understand(&Turn{Dialogue: tt.d, Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Text: tt.said})
		if err != nil || begunBy(found) != tt.flow {
			t.Errorf("%q is %+v, %v; want the flow %s", tt.said, found, err, tt.flow)
		}
	}
}
