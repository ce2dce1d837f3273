package dialogue

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
)

// A dialogue may be held in several languages. The file says what happens, in one language; for each further one a
// translation has the same texts under the same names. Flows, slots, steps and values are those of the dialogue, so a
// translation cannot change what is done. A conversation begins in one language, see Conversations.OpenIn, and may change it.

// translationKind is the kind of files that hold translations.
const translationKind = "Translation"

// The keys of a translation. Parts have the names that the dialogue gives them, and only texts.
var (
	translationKeys     = []string{"$schema", "apiVersion", "kind", "language", "settings", "context", "slots", "flows", "patterns", "chitchat", "events", "synonyms"}
	spokenSettingsKeys  = []string{"greeting", "day_first"}
	translatedSlotKeys  = []string{"description", "error", "choices"}
	translatedFlowKeys  = []string{"description", "trigger", "slots", "steps", "patterns"}
	translatedStepKeys  = []string{"message", "options", "choices"}
	translatedValueKeys = []string{"label", "synonyms"}
)

// translated is the text of a translation, as it is kept with a dialogue.
type translated struct {
	Language string `json:"language"`
	File     string `json:"file"`
	Text     string `json:"text"`
}

// translator puts the texts of a translation in the place of those of a definition. It reports texts that are absent, and
// names that the dialogue does not have. Places of texts become those of the translation.
type translator struct {
	file   *file // the dialogue's, with a definition and places of its own
	at     document.Spot
	report *document.Report
	tag    string
}

// readTranslations reads the files that settings.translations names, by their languages.
func (f *file) readTranslations(from fs.FS) []translated {
	var all []translated
	base := languageOf(f.def.Settings.Language)
	for _, p := range f.translations {
		tag, name := p.Key, p.Value
		switch of := languageOf(tag.Text); {
		case of != nil && of == base, tag.Text == f.def.Settings.Language:
			f.report.Add(tag.Spot, "%q is the language of the dialogue itself; name another one", tag.Text)
		case of == nil && f.def.Settings.Model == "" && f.opts.NLU == nil:
			f.report.Add(tag.Spot, "phrases are understood in %s, not in %q; name a model for other languages", listed(languageTags()), tag.Text)
		case from == nil:
			f.report.Add(name.Spot, "translations are read from files; load the dialogue from its folder")
		default:
			text, err := fs.ReadFile(from, name.Text)
			if err != nil {
				f.report.Add(name.Spot, "the translation cannot be read: %v; expected a file in the folder of the dialogue", err)
				continue
			}
			all = append(all, translated{Language: tag.Text, File: name.Text, Text: string(text)})
		}
	}
	return all
}

// translate compiles the dialogue in the language of a translation. It returns nil where that cannot be done; then the
// report says why.
func (f *file) translate(t translated, opts Options) (*Dialogue, error) {
	src := document.Read(t.File, []byte(t.Text), f.report)
	if src.Root == nil {
		return nil, nil
	}
	of := &file{src: f.src, report: f.report, opts: f.opts, actions: f.actions, kept: f.kept}
	of.read()
	of.def.Name = f.def.Name
	tr := &translator{file: of, at: document.Spot{Source: src, Node: src.Root}, report: f.report, tag: t.Language}
	tr.translate()
	if len(f.report.Problems) > 0 {
		return nil, nil
	}
	return of.compile(opts)
}

func (t *translator) translate() {
	o := document.NewObject(t.at, t.report, translationKeys)
	if t.at.Node.Kind != yaml.MappingNode {
		return
	}
	o.Text("$schema")
	readKind(o, translationKind, nil)
	if tag := o.NeedText("language", document.Quote(t.tag)); o.Has("language") && tag.Text != t.tag {
		o.Report.Add(tag.Spot, "language is %s; the dialogue names this file for %s", document.Quote(tag.Text), document.Quote(t.tag))
	}
	def := &t.file.def
	s := o.Object("settings", spokenSettingsKeys)
	def.Settings.Language = t.tag
	if s.Has("day_first") {
		def.Settings.DayFirst = s.Flag("day_first")
	}
	t.text(s, "greeting", &def.Settings.Greeting, "settings.greeting")
	t.slots(o, "context", def.Context, "context")
	t.slots(o, "slots", def.Slots, "slots")
	t.flows(o, def.Flows)
	t.patterns(o, def.Patterns, "patterns")
	t.events(o, def.Events)
	t.file.places["chitchat"] = written{value: o.At("chitchat")}
	base := def.Chitchat
	if def.Chitchat = nil; len(base) > 0 && !o.Has("chitchat") {
		o.Need("chitchat", fmt.Sprintf("small talk in %s, as the dialogue has it", document.Quote(t.tag)))
	}
	of := &file{src: t.at.Source, report: t.report}
	of.chitchat(o)
	def.Chitchat, def.Synonyms = of.def.Chitchat, nil
	for i := range def.Chitchat {
		t.place(document.Index("chitchat", i), o.At("chitchat"))
	}
	for _, p := range o.Pairs("synonyms") {
		if def.Synonyms == nil {
			def.Synonyms = make(map[string][]string)
		}
		def.Synonyms[p.Key.Text] = words(p.Object(o.Report).Words(p.Key.Text))
	}
}

// place says where a part of the definition stands in the translation.
func (t *translator) place(path string, at document.Spot) {
	t.file.places[path] = written{value: at}
}

// text replaces a text of the definition. One that the dialogue has needs its translation.
func (t *translator) text(o *document.Object, key string, of *string, path string) {
	switch has := o.Has(key); {
	case has && *of == "":
		t.report.Add(o.At(key), "the dialogue has no text here; take %s out, or add one to the dialogue", key)
	case has:
		word := o.Text(key)
		*of = word.Text
		t.place(path, word.Spot)
	case strings.TrimSpace(*of) != "":
		t.missing(o, key, document.Quote(*of))
	}
}

// message replaces the texts of a step, one or several. A translation may have more of them than the dialogue, or fewer.
func (t *translator) message(o *document.Object, of *Step, path string) {
	said := first(of.Message, of.Texts)
	switch has := o.Has("message"); {
	case has && said == "":
		t.report.Add(o.At("message"), "the dialogue has no text here; take message out, or add one to the dialogue")
	case has:
		t.place(path, o.At("message"))
		of.Message, of.Texts = t.texts(o, "message", path)
	case strings.TrimSpace(said) != "":
		t.missing(o, "message", document.Quote(said))
	}
}

// texts reads the one text of a message, or its variations.
func (t *translator) texts(o *document.Object, key, path string) (string, []Variation) {
	if at := o.At(key); o.Has(key) && at.Node.Kind == yaml.SequenceNode {
		return "", readVariations(at, path, t.report, t.file.places)
	}
	return o.Text(key).Text, nil
}

// first is a text of a message.
func first(one string, several []Variation) string {
	if len(several) > 0 {
		return several[0].Text
	}
	return one
}

// words replaces a list of texts.
func (t *translator) words(o *document.Object, key string, of *[]string, path string) {
	switch has := o.Has(key); {
	case has && len(*of) == 0:
		t.report.Add(o.At(key), "the dialogue has no list here; take %s out, or add one to the dialogue", key)
	case has:
		list := o.Words(key)
		*of = words(list)
		t.place(path, o.At(key))
		for i, w := range list {
			t.place(document.Index(path, i), w.Spot)
		}
	case len(*of) > 0:
		t.missing(o, key, document.Quote((*of)[0]))
	}
}

// missing reports a text that the translation lacks.
func (t *translator) missing(o *document.Object, key, text string) {
	t.report.Add(o.Spot, "%q is missing; the dialogue says %s, and this translation nothing", strings.TrimPrefix(document.Join(o.Path, key), "."), text)
}

// named are the members of a mapping by name, for parts of the dialogue that have these names.
func (t *translator) named(o *document.Object, key, what string, known []string) map[string]document.Pair {
	all := make(map[string]document.Pair)
	for _, p := range o.Pairs(key) {
		if !slices.Contains(known, p.Key.Text) {
			t.report.Add(p.Key.Spot, "the dialogue has no %s %s%s", what, document.Quote(p.Key.Text), t.report.HintOr(p.Key.Text, known))
			continue
		}
		all[p.Key.Text] = p
	}
	return all
}

// member is what a translation says of a part; an empty mapping where it says nothing.
func (t *translator) member(o *document.Object, all map[string]document.Pair, name, key string, keys []string) *document.Object {
	if p, ok := all[name]; ok {
		return document.NewObject(p.Value, t.report, keys)
	}
	at := o.Spot
	at.Path = document.Join(document.Join(o.Path, key), name)
	empty := &yaml.Node{Kind: yaml.MappingNode}
	if at.Node != nil {
		empty.Line, empty.Column = at.Node.Line, at.Node.Column
	}
	at.Node = empty
	return document.NewObject(at, t.report, keys)
}

func namesOf[T any](list []T, name func(T) string) []string {
	var all []string
	for _, one := range list {
		all = append(all, name(one))
	}
	return all
}

func (t *translator) slots(o *document.Object, key string, list []Slot, path string) {
	all := t.named(o, key, "slot", namesOf(list, func(s Slot) string { return s.Name }))
	for i := range list {
		s, at := &list[i], document.Join(path, list[i].Name)
		m := t.member(o, all, s.Name, key, translatedSlotKeys)
		t.text(m, "description", &s.Description, at+".description")
		t.text(m, "error", &s.Error, at+".error")
		t.choices(m, at, len(s.Choices), func(i int) *Option { return &s.Choices[i] })
	}
}

// choices replaces what choices are called.
func (t *translator) choices(o *document.Object, path string, many int, option func(i int) *Option) {
	values := make([]string, many)
	for i := range values {
		values[i] = option(i).Value
	}
	all := t.named(o, "choices", "choice", values)
	for i, value := range values {
		c := option(i)
		p, ok := all[value]
		if !ok {
			t.missing(o, "choices."+value, document.Quote(c.label()))
			continue
		}
		v := document.NewObject(p.Value, t.report, translatedValueKeys)
		c.Label, c.Synonyms = v.NeedText("label", "what the choice is called").Text, words(v.Words("synonyms"))
		t.place(document.Index(path+".choices", i), p.Value)
	}
}

// alternatives replaces what the answers of a confirm step are called.
func (t *translator) alternatives(o *document.Object, s *Step, path string) {
	if len(s.Alternatives) > 0 || o.Has("choices") {
		t.choices(o, path, len(s.Alternatives), func(i int) *Option { return &s.Alternatives[i].Option })
	}
}

func (t *translator) flows(o *document.Object, list []Flow) {
	all := t.named(o, "flows", "flow", namesOf(list, func(f Flow) string { return f.Name }))
	for i := range list {
		f, at := &list[i], "flows."+list[i].Name
		m := t.member(o, all, f.Name, "flows", translatedFlowKeys)
		t.text(m, "description", &f.Description, at+".description")
		t.words(m, "trigger", &f.Trigger, at+".trigger")
		t.slots(m, "slots", f.Slots, at+".slots")
		steps := make(map[string]*Step)
		paths := make(map[string]string)
		var walk func(list []Step, at string)
		walk = func(list []Step, at string) {
			for i := range list {
				s, path := &list[i], document.Index(at, i)
				if s.ID != "" {
					steps[s.ID], paths[s.ID] = s, path
				} else if s.Message != "" || len(s.Texts) > 0 || len(s.Options) > 0 {
					t.report.Add(t.file.places[path].value, "the step has a text and no id; give it one, so that it can be translated")
				}
				walk(s.Steps, path+".steps")
			}
		}
		walk(f.Steps, at+".steps")
		said := t.named(m, "steps", "step", keysOf(steps))
		for _, id := range keysOf(steps) {
			s := steps[id]
			step := t.member(m, said, id, "steps", translatedStepKeys)
			t.message(step, s, paths[id]+".message")
			t.words(step, "options", &s.Options, paths[id]+".options")
			t.alternatives(step, s, paths[id])
		}
		t.patterns(m, f.Patterns, at+".patterns")
	}
}

func (t *translator) patterns(o *document.Object, of map[PatternName]Pattern, path string) {
	var known []string
	for name, p := range of {
		if p.Message != "" || len(p.Texts) > 0 {
			known = append(known, string(name))
		}
	}
	slices.Sort(known)
	all := make(map[string]document.Pair)
	for _, p := range o.Pairs("patterns") {
		if !slices.Contains(known, p.Key.Text) {
			t.report.Add(p.Key.Spot, "the dialogue has no message for the pattern %s%s", document.Quote(p.Key.Text), t.report.HintOr(p.Key.Text, known))
			continue
		}
		all[p.Key.Text] = p
	}
	for _, name := range known {
		p, ok := all[name]
		if !ok {
			t.missing(o, "patterns."+name, document.Quote(first(of[PatternName(name)].Message, of[PatternName(name)].Texts)))
			continue
		}
		at := document.Join(path, name)
		t.place(at, p.Value)
		one, several := t.texts(p.Object(t.report), name, at+".message")
		of[PatternName(name)] = Pattern{Message: one, Texts: several}
	}
}

// In returns the dialogue in the first of some languages that it has. That is a translation or the dialogue as it was written.
// Where it has none of them, the dialogue stands in that is asked. The languages are a tag ("de-AT"), or several as in the
// header Accept-Language ("de-AT, en;q=0.5").
func (d *Dialogue) In(languages string) *Dialogue {
	if in := d.accepted(languages); in != nil {
		return in
	}
	return d
}

// Languages are the tags of the languages that the dialogue can be held in. The first is that in which it was written.
func (d *Dialogue) Languages() []string {
	return namesOf(d.family(), func(in *Dialogue) string { return in.settings.Language })
}

// TranslationFile returns the path of a translation from the folder of the dialogue. It returns "" where
// settings.translations does not name the language.
func (d *Dialogue) TranslationFile(language string) string {
	var of stored
	if json.Unmarshal(d.source, &of) != nil {
		return "" // a dialogue of Go has no files
	}
	for _, t := range of.Translations {
		if t.Language == language {
			return t.File
		}
	}
	return ""
}
