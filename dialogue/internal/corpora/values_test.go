package corpora

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// sample is a text of values.jsonl.gz, with the values that are right.
type sample struct {
	Corpus, Lang, Kind, Text, Currency string
	Now                                time.Time
	Want                               []any
	DayFirst                           bool
}

var languages = map[string]*phrase.Language{"en": phrase.English, "de": phrase.German}

var kinds = map[string]*phrase.Kind{
	"date": phrase.Date, "time": phrase.Time, "datetime": phrase.DateTime, "number": phrase.Number, "money": phrase.Money, "boolean": phrase.Boolean,
}

// calendars are those that a dialogue in a language declares.
var calendars = map[string][]string{"en": {"christian", "us", "international"}, "de": {"christian", "de", "international"}}

// orthodox are texts about feasts of the eastern churches, for which their calendar is declared.
var orthodox = regexp.MustCompile(`(?i)orthodox|clean monday|lazarus|(reiner|sauberer) montag|aschermontag`)

// elsewhere are words of holidays that no calendar of ours has: Chinese, Jewish, Islamic, Hindu, Sikh, Buddhist, Parsi and Dutch ones, days
// whose rule nobody can compute, and thanksgiving in Britain. A text with one of them is counted apart.
var elsewhere = regexp.MustCompile(`(?i)chines|kippur|at?zeret|torah|tisha|haatzmaut|ha'atzmaut|omer|hashoah|holocaust|mawlid|maulid|eid |\bid |sacrifice|opferfest|bakr|` +
	`la[yi]lat|night of (measures|power)|nacht der|islami|amun|ashura|aschura|tu bis|jamat|jumu|mi'raj|prophet|night journey|nachtreise|ascension to heaven|aufstieg in|` +
	`dhan|chaudas|diwali|deepavali|puja|dooj|chhath|shashthi|maha|dussehra|vijaya|karva|yatra|rakhi|jayanti|pongal|sank?rant|pandigai|maghi|` +
	`[vb]ai?sakh|vaishakhi|onam|panchami|\bholi|chhoti|holika|kamudu|janmashtami|gokul|dhulandi|phagwah|parsi|navroz|vesak|wesak|vaisakha|buddha|purim|` +
	`guru|koningsdag|king's day|königstag|rabindra|valmiki|pargat|chaturthi|navami|ugadi|samvatsaradi|chaitra|annakut|super.*tuesday|giga|tsunami|mini.*tuesday|emsc`)

// otherDays are texts whose corpus means another country's day than the calendar that is declared: the day of that calendar is right.
var otherDays = map[string]string{
	"Vatertag": "2013-05-09", // the corpus has the American one; in Germany it is Ascension Day
}

// TestValues reads every text as an answer to the question for a value of its kind.
func TestValues(t *testing.T) {
	dir := Dir(t)
	also := readAlso(t, filepath.Join(dir, "values-also.tsv"))
	table := Table{Corpus: "values"}
	for _, s := range readSamples(t, filepath.Join(dir, "values.jsonl.gz")) {
		name := s.Lang + " " + s.Kind
		switch {
		case strings.HasSuffix(s.Corpus, "holiday"):
			if name = s.Lang + " holiday"; elsewhere.MatchString(s.Text) || strings.Contains(s.Corpus, "GB") && strings.Contains(s.Text, "thanksgiving") {
				name = s.Lang + " holiday of no calendar"
			} else if orthodox.MatchString(s.Text) {
				name = s.Lang + " orthodox holiday"
			}
		case strings.HasSuffix(s.Corpus, "sentence"):
			name += " in a sentence"
		}
		want := also[s.Lang+"\t"+s.Text]
		for _, w := range s.Want {
			want = append(want, fmt.Sprint(w))
		}
		if day, ok := otherDays[s.Text]; ok && strings.HasSuffix(s.Corpus, "holiday") {
			want = []string{day}
		}
		got, o := readSample(s, want)
		table.Add(name, o, Miss{s.Text, strings.Join(want, " or "), got})
	}
	table.Check(t)
}

// readSample is what a text is read as, and what is to be thought of it.
func readSample(s sample, want []string) (string, Outcome) {
	kind := kinds[s.Kind]
	loc := phrase.Locale{Language: languages[s.Lang], Zone: s.Now.Location(), Currency: s.Currency, DayFirst: s.DayFirst}
	if strings.HasSuffix(s.Corpus, "holiday") {
		if loc.Calendars = calendars[s.Lang]; strings.Contains(s.Corpus, "GB") {
			loc.Calendars = []string{"christian", "uk", "international"}
		}
		if orthodox.MatchString(s.Text) {
			loc.Calendars = []string{"orthodox"}
		}
	}
	v, ok := loc.Read(phrase.Slot{Kind: kind}, s.Text, s.Now)
	switch {
	case !ok:
		return "nothing", Asked
	case v.Reason != "":
		return v.Reason, Asked
	}
	got := fmt.Sprint(v.Value)
	if kind == phrase.DateTime && len(got) > 16 {
		got = got[:16]
	}
	right := slices.ContainsFunc(want, func(w string) bool { return sameReading(w, got) })
	switch {
	case v.Left != "" || v.Score < 0.5:
		return fmt.Sprintf("%s? left over: %q", got, v.Left), Asked
	case right:
		return got, Right
	}
	return got, Wrong
}

// sameReading compares a value with one that is right: numbers by what they are, all others by how they are written.
func sameReading(want, got string) bool {
	if want == got {
		return true
	}
	var a, b json.Number
	if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(got), &b) != nil {
		return false
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x == y
}

func readSamples(t *testing.T, path string) []sample {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	dec := json.NewDecoder(bufio.NewReader(z))
	dec.UseNumber()
	for dec.More() {
		var s sample
		if err := dec.Decode(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// readAlso reads more values that are right, by language and text.
func readAlso(t *testing.T, path string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	also := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(parts) == 3 {
			key := parts[0] + "\t" + parts[1]
			also[key] = append(also[key], parts[2])
		}
	}
	return also
}
