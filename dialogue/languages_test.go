package dialogue_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/node"
)

// placeholder is an argument in a message.
var placeholder = regexp.MustCompile(`\{([a-z]+)\}`)

// arguments are the names of the arguments of a text, sorted.
func arguments(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plainKey is the key of a message without a plural form, and the form.
func plainKey(key phrase.Key) (phrase.Key, phrase.Key) {
	for _, form := range []phrase.Key{phrase.Zero, phrase.One, phrase.Two, phrase.Few, phrase.Many, phrase.Other} {
		if plain, ok := strings.CutSuffix(string(key), string(form)); ok {
			return phrase.Key(plain), form
		}
	}
	return key, ""
}

// catalogueFaults compares the messages of a language with the English ones.
func catalogueFaults(l *phrase.Language) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, l.Tag+": "+fmt.Sprintf(format, args...)) }
	byKey := func(texts phrase.Texts) map[phrase.Key][]string {
		all := make(map[phrase.Key][]string)
		for key, text := range texts {
			plain, form := plainKey(key)
			names := arguments(text)
			if form != "" && !slices.Contains(names, "count") {
				names = append(names, "count") // a form may do without the number
				slices.Sort(names)
			}
			if before, ok := all[plain]; ok && !slices.Equal(before, names) {
				fault("%s: its forms have different arguments", key)
			}
			all[plain] = names
			if (text == "") != (phrase.English.Texts[key] == "") && form == "" {
				fault("%s says %q, and English %q", key, text, phrase.English.Texts[key])
			}
		}
		return all
	}
	if diff := cmp.Diff(byKey(phrase.English.Texts), byKey(l.Texts)); diff != "" {
		fault("messages and their arguments (-English +this):\n%s", diff)
	}
	for key := range phrase.English.Texts {
		plain, form := plainKey(key)
		for n := 0; form != "" && n < 200; n++ {
			if !l.Has(plain + l.PluralOf(n)) {
				fault("%s has no form %s, which %d takes", plain, l.PluralOf(n), n)
				break
			}
		}
	}
	for _, name := range dialogue.PatternNames() {
		if !l.Has(phrase.Key("pattern." + name)) {
			fault("the pattern %s has no message", name)
		}
	}
	for _, kind := range dialogue.SlotTypes() {
		if !l.Has(phrase.Key("type." + kind)) {
			fault("the type %s has no name", kind)
		}
	}
	if len(strings.Fields(l.Months)) != 12 || len(strings.Fields(l.Weekdays)) != 7 || l.And == "" || l.Or == "" {
		fault("months, weekdays and the words of lists are not all there")
	}
	return faults
}

func TestEveryLanguageSaysEveryMessage(t *testing.T) {
	for _, l := range append(dialogue.Languages(), xx) {
		for _, fault := range catalogueFaults(l) {
			t.Error(fault)
		}
	}
	for name, broken := range map[string]func(phrase.Texts){
		"a message is missing":     func(texts phrase.Texts) { delete(texts, phrase.WhichDay) },
		"a form is missing":        func(texts phrase.Texts) { delete(texts, phrase.NoSuchChoice+phrase.Other) },
		"an argument is another":   func(texts phrase.Texts) { texts[phrase.NoDay] = "{month} hat keinen {tag}." },
		"a pattern says nothing":   func(texts phrase.Texts) { texts["pattern.close"] = "" },
		"one is in this one alone": func(texts phrase.Texts) { texts["pattern.party"] = "Hurra!" },
	} {
		texts := maps.Clone(phrase.German.Texts)
		broken(texts)
		l := &phrase.Language{Tag: "de", And: " und ", Or: " oder ", Months: phrase.German.Months, Weekdays: phrase.German.Weekdays, Texts: texts}
		if len(catalogueFaults(l)) == 0 {
			t.Errorf("nothing is wrong where %s", name)
		}
	}
}

// TestEveryLanguageHasEveryList finds lists of words that some languages have, and others do not.
func TestEveryLanguageHasEveryList(t *testing.T) {
	own := map[string]bool{ // what a language needs depends on its grammar
		"Values.Terms": true, "Values.Units": true, "Values.Number": true, "Values.NumberWords": true, "Values.Respell": true, "Values.Compound": true,
		"Values.Endings": true, "Values.Cardinals": true, "Values.Ago": true, "Values.DayFirst": true, "Values.HalfTo": true, "Values.SpaceGroups": true,
		"Values.HoursNamed": true, "Values.DayOrdinals": true, "Values.DayParts": true, "Asides.Names": true, "Values.Since": true, "Values.Capitals": true,
		"Values.Parties": true, "Values.PartsOfDays": true, "Values.ScalesAlone": true, "Ways.Ends": true, "Tellings.Dropped": true,
		"Askings.Leads": true, "Askings.Last": true, "Askings.Elided": true, "Askings.Endings": true, "Askings.Orders": true, "Askings.Apart": true, "Askings.Softened": true,
	}
	empty := make(map[string][]string) // by list, the languages without it
	var walk func(tag, path string, v reflect.Value)
	walk = func(tag, path string, v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := strings.TrimPrefix(path+"."+f.Name, ".")
			switch {
			case !f.IsExported() || own[name]:
			case f.Type.Kind() == reflect.Struct:
				walk(tag, name, v.Field(i))
			case v.Field(i).IsZero():
				empty[name] = append(empty[name], tag)
			}
		}
	}
	for _, l := range dialogue.Languages() {
		walk(l.Tag, "", reflect.ValueOf(l).Elem())
	}
	for name, tags := range empty {
		if len(tags) < len(dialogue.Languages()) {
			t.Errorf("%s is empty in %q, and not in all languages", name, tags)
		}
	}
}

// names draws names and other words that people say, with all that a rewriting of messages would alter.
func names(t *rapid.T, label string) string {
	words := rapid.SampledFrom([]string{
		"Mayer und Maybrit", "Mayer", "Maybrit", "may", "May", "and", "und", "or", "oder", "Please", "March", "Sunday Best", "is not in EUR", "there is no 3",
		"{said}", "{{ slot }}", "a\tb", "x\x00y", "line\nbreak", "\u202eabc", `"quoted"`, "100%", "%s", "$1", `\1`, "ÄÖÜ ß", "Zoë", "玉子", "  two  blanks  ",
	})
	return rapid.OneOf(words, rapid.String()).Draw(t, label)
}

// TestMessagesNeverAlterTheirArguments inserts any words into every message of every language.
func TestMessagesNeverAlterTheirArguments(t *testing.T) {
	for _, l := range append(dialogue.Languages(), xx) {
		rapid.Check(t, func(t *rapid.T) {
			for _, key := range slices.Sorted(maps.Keys(l.Texts)) {
				args, pairs := phrase.Args{}, []string(nil)
				plain, form := plainKey(key)
				for _, name := range arguments(l.Texts[key]) {
					value := names(t, name)
					if args[name] = value; name == "count" {
						args[name], value = 5, "5"
					}
					pairs = append(pairs, "{"+name+"}", value)
				}
				if form != "" && l.PluralOf(5) != form {
					continue
				}
				if form != "" {
					args["count"] = 5
				}
				want := strings.NewReplacer(pairs...).Replace(l.Texts[key])
				if got := l.Say(plain, args); got != want {
					t.Fatalf("%s: %s says %q, want %q", l.Tag, key, got, want)
				}
			}
			a, b := names(t, "a"), names(t, "b")
			for _, name := range dialogue.PatternNames() {
				text := dialogue.DefaultMessage(l, name, map[string]any{"slot": a, "value": b, "reason": b, "flow": a})
				if name == dialogue.OnCorrection && (!strings.Contains(text, a) || !strings.Contains(text, b)) {
					t.Fatalf("%s: %s says %q of %q and %q", l.Tag, name, text, a, b)
				}
			}
		})
	}
}

// guests asks for values of several types.
func guests(t testing.TB, language string) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "guests", Settings: dialogue.Settings{Language: language},
		Flows: []dialogue.Flow{{
			Name: "party", Trigger: []string{"fest"},
			Slots: []dialogue.Slot{
				{Name: "host", Type: dialogue.Choice, Choices: []dialogue.Option{{Value: "Mayer"}, {Value: "Maybrit"}}},
				{Name: "guests", Type: dialogue.List},
				{Name: "number", Type: dialogue.Integer},
				{Name: "day", Type: dialogue.Date},
			},
			Steps: []dialogue.Step{
				{ID: "host", Type: dialogue.CollectStep, Slot: "host", Message: "host?"},
				{ID: "guests", Type: dialogue.CollectStep, Slot: "guests", Message: "guests?"},
				{ID: "number", Type: dialogue.CollectStep, Slot: "number", Message: "number?"},
				{ID: "day", Type: dialogue.CollectStep, Slot: "day", Message: "day?"},
				{ID: "ok", Type: dialogue.ConfirmStep, Message: "{{ host }}, {{ guests }}: {{ number }}, {{ day }}?"},
				{ID: "done", Type: dialogue.InformStep, Message: "ok"},
			},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestNamesAreAnsweredAsTheyWereSaid holds a conversation in each language in which names look like words of messages.
func TestNamesAreAnsweredAsTheyWereSaid(t *testing.T) {
	for language, tt := range map[string]struct{ said, want string }{
		"en": {"Mayer and Maybrit", "Only one of the choices is possible, and you named several: “Mayer and Maybrit”."},
		"de": {"Mayer und Maybrit", "Nur eines davon ist möglich, und Sie haben mehrere genannt: „Mayer und Maybrit“."},
		"fr": {"Mayer et Maybrit", `Un seul choix est possible, et vous en avez cité plusieurs : « Mayer et Maybrit ».`},
	} {
		d := guests(t, language)
		if got := talk(t, d, nil, "fest", tt.said); !strings.Contains(got, "  "+tt.want+"\n") {
			t.Errorf("%s: %s\nwant %s", language, got, tt.want)
		}
	}
}

// verbatim takes each message as it is: the first begins the flow, and the others are values of its slot.
type verbatim struct{}

func (verbatim) Understand(_ node.Context, turn *dialogue.Turn) ([]dialogue.Command, error) {
	if len(turn.Active) == 0 {
		return []dialogue.Command{{Type: dialogue.StartFlow, Flow: "letter"}}, nil
	}
	return []dialogue.Command{{Type: dialogue.SetSlot, Slot: "words", Value: turn.Text}}, nil
}

// TestConversationsNeverAlterNames gives texts that look like words of messages, corrects them, and looks for them in every reply. The slot
// asks for no name, so that all of them are taken.
func TestConversationsNeverAlterNames(t *testing.T) {
	dialogue.WithLanguage(t, xx)
	rapid.Check(t, func(rt *rapid.T) {
		language := rapid.SampledFrom([]string{"en", "de", "fr", "xx"}).Draw(rt, "language")
		a, b := "Z"+names(rt, "first"), "Y"+names(rt, "second")
		said := phrase.Locale{Language: map[string]*phrase.Language{"en": phrase.English, "de": phrase.German, "xx": xx}[language]}
		if said.Act(a) != 0 || said.Act(b) != 0 {
			rt.Skip("a yes or a question, which no slot takes")
		}
		d := compiled(t, dialogue.Definition{
			Settings: dialogue.Settings{Language: language},
			Flows: []dialogue.Flow{{
				Name: "letter", Trigger: []string{"letter"}, Slots: []dialogue.Slot{{Name: "words", Description: a, Error: "No {{ words }}.", Validate: "words != 'Zno'"}},
				Steps: []dialogue.Step{
					{ID: "who", Type: dialogue.CollectStep, Slot: "words", Message: "which?"},
					{ID: "ok", Type: dialogue.ConfirmStep, Message: "to {{ words }}?"},
				},
			}},
		}, dialogue.Options{NLU: verbatim{}})
		got := talk(t, d, nil, "letter", a, b, "Zno")
		spoken := map[string]*phrase.Language{"en": phrase.English, "de": phrase.German, "fr": phrase.French, "xx": xx}[language]
		want := strings.NewReplacer("{slot}", a, "{value}", b).Replace(spoken.Texts["pattern.correction"])
		for _, part := range []string{"  to " + a + "?\n", "  " + want + "\n", "  to " + b + "?\n", "  No Zno.\n"} {
			if a != b && !strings.Contains(got, part) {
				rt.Fatalf("%s: %q\nwant %q", language, got, part)
			}
		}
	})
}

// TestLists checks how each language enumerates.
func TestLists(t *testing.T) {
	for _, tt := range []struct {
		language, said, want string
	}{
		{"en", "A, B, C", "Mayer, A, B and C: 3, Friday 3 May 2030?"},
		{"de", "A, B, C", "Mayer, A, B und C: 3, Freitag, 3. Mai 2030?"},
		{"de", "May und June", "Mayer, May und June: 3, Freitag, 3. Mai 2030?"},
		{"de", "March", "Mayer, March: 3, Freitag, 3. Mai 2030?"},
		{"de", "gar keine", "Mayer, keine: 3, Freitag, 3. Mai 2030?"},
		{"en", "none", "Mayer, none: 3, Friday 3 May 2030?"},
		{"fr", "A, B, C", "Mayer, A, B et C: 3, vendredi 3 mai 2030?"},
		{"fr", "Mai et Juin", "Mayer, Mai et Juin: 3, vendredi 3 mai 2030?"},
		{"fr", "aucun", "Mayer, aucun: 3, vendredi 3 mai 2030?"},
	} {
		got := talk(t, guests(t, tt.language), nil, "fest", "Mayer", tt.said, "3", "2030-05-03")
		if !strings.Contains(got, "  "+tt.want+"\n") {
			t.Errorf("%s: %s\nwant %s", tt.language, got, tt.want)
		}
	}
}

// TestAThirdLanguageIsOneValue holds a conversation in the language of tests, once it is listed.
func TestAThirdLanguageIsOneValue(t *testing.T) {
	if _, err := dialogue.Compile(dialogue.Definition{Name: "d", Settings: dialogue.Settings{Language: "xx-YY"}, Flows: []dialogue.Flow{{
		Name: "f", Trigger: []string{"f"}, Steps: []dialogue.Step{{ID: "a", Type: dialogue.InformStep, Message: "a"}},
	}}}, dialogue.Options{}); err == nil || !strings.Contains(err.Error(), "phrases are understood in de, en or fr, not in \"xx-YY\"") {
		t.Errorf("a language that is not listed: %v", err)
	}
	dialogue.WithLanguage(t, xx)
	got := talk(t, guests(t, "xx-YY"), nil, "fest", "Mayer e Maybrit", "Mayer", "May kaj Paul", "7,5", "tri", "30. februaro", "2030-05-03", "ne", "fest", "cesu bonvolu", "xyz")
	const want = `> fest
  host?
> Mayer e Maybrit
  xx! Only one of the choices is possible, and you named several: “Mayer e Maybrit”.
  host?
> Mayer
  guests?
> May kaj Paul
  number?
> 7,5
  xx! 7,5 is not a whole number.
  number?
> tri
  day?
> 30. februaro
  xx! Du has no day 30.
  day?
> 2030-05-03
  Mayer, May e Paul: 3, xx! Vendredo 3 Kvin 2030?
> ne
  xx! All right, I will not do that.
> fest
  host?
> cesu bonvolu
  xx! All right, I have stopped that: party.
> xyz
  xx! I did not understand that.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReasonsQuoteWhatWasSaid reads what people say in each language: a reason quotes them as they said it.
func TestReasonsQuoteWhatWasSaid(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	found := 0
	for _, l := range append(dialogue.Languages(), xx) {
		loc := phrase.Locale{Language: l, Currency: "EUR"}
		before, behind, _ := strings.Cut(l.Texts[phrase.Quoted], "{said}")
		choices := []phrase.Choice{{Value: "Mayer"}, {Value: "Maybrit"}}
		rapid.Check(t, func(t *rapid.T) {
			said := rapid.SampledFrom([]string{"Mayer und Maybrit", "Mayer and Maybrit", "Mayer, Maybrit", "$50", "50 GBP", "der fünfte", "31.2.2026", "nächste Woche", "next week", "la semaine prochaine", "le 31 février"}).Draw(t, "said")
			if rapid.Bool().Draw(t, "around") {
				said = names(t, "before") + " " + said + " " + names(t, "behind")
			}
			for _, s := range []phrase.Slot{{Kind: phrase.Single, Choices: choices}, {Kind: phrase.Money}, {Kind: phrase.Date}, {Kind: phrase.DateTime}} {
				all := loc.Find(s, said, now)
				if v, ok := loc.Read(s, said, now); ok {
					all = append(all, v)
				}
				for _, v := range all {
					_, quoted, ok := strings.Cut(v.Reason, before)
					at := strings.Index(quoted, behind)
					if !ok || at < 0 || strings.HasSuffix(quoted[:at], "…") {
						continue
					}
					if found++; !strings.Contains(strings.Join(strings.Fields(said), " "), quoted[:at]) {
						t.Fatalf("%s: %q is answered with %q", l.Tag, said, v.Reason)
					}
				}
			}
		})
	}
	if found == 0 {
		t.Error("nothing was quoted")
	}
}

// rewriters are calls that make a text of another one, and rewritten where they are right: over what is said to the
// assistant or written by authors, never over what it says.
var (
	rewriters = []string{
		"ReplaceAllString", "ReplaceAllStringFunc", "ReplaceAllLiteralString", "ReplaceAllFunc", "Expand", "ExpandString", "NewReplacer", "Replace", "ReplaceAll",
		"Title", "ToTitle", "ToUpper",
	}
	rewritten = map[string]string{
		"nlu_phrases.go":            "triggers without their placeholders, and names of slots as words",
		"nlu_model.go":              "what a user says, before a model sees it",
		"private.go":                "what a model is told, without the values of private slots",
		"internal/phrase/german.go": "words that were said, with umlauts written out",
		"internal/phrase/choice.go": "names of choices as words",
		"internal/phrase/words.go":  "words that were said, as they are compared",
		"internal/phrase/money.go":  "codes of currencies, and the point of a number before it is inserted",
		"internal/phrase/speak.go":  "tags of languages, and sentences of their data",
		"published.go":              "the schema of files, with the types of slots",
		"dialoguetest/judge.go":     "failures of tests, indented",
	}
)

// TestNoFileRewritesMessages finds calls that could alter a finished message.
func TestNoFileRewritesMessages(t *testing.T) {
	used := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if ok && slices.Contains(rewriters, s.Sel.Name) {
				name := filepath.ToSlash(path)
				if used[name] = true; rewritten[name] == "" {
					t.Errorf("%s: %s makes a text of another one; say it by a key of its own", set.Position(s.Pos()), s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range rewritten {
		if !used[name] {
			t.Errorf("%s rewrites nothing: strike it from the list", name)
		}
	}
}
