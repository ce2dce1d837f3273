package channeltest

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
)

// payload is what the provider tells when a button is pressed.
func (s Sent) payload(i int) string {
	if len(s.Payloads) > 0 {
		return s.Payloads[i]
	}
	return s.Choices[i]
}

// long has the provider fail behind each part of a text. Users read the text once, whether it takes one message or many.
func (s *Suite) long(t *testing.T) {
	h, p, _ := s.process(t)
	post(t, h, s.Message("m1", "order something"))
	p.Until(t, "What?", 1)
	what := strings.Repeat("word ", 1800) + "end"
	down := Verdict{Status: http.StatusServiceUnavailable}
	p.Plan(Verdict{}, down, Verdict{}, down, down)
	post(t, h, s.Message("m2", what))
	whole := func(all []Sent) string { return strings.Join(texts(all[1:]), "") }
	all := p.until(t, "a long question", func(all []Sent) bool {
		return strings.HasSuffix(whole(all), strings.TrimPrefix(s.sure("end"), "Order "))
	})
	if got := whole(all); got != s.sure(what) {
		t.Errorf("%d characters in %d messages, expected %d: %.100q", len(got), len(all)-1, len(s.sure(what)), got)
	}
}

// stale presses the yes of an order that was given up, when another order is asked about.
func (s *Suite) stale(t *testing.T) {
	if s.Press == nil {
		t.Skip("there are no buttons")
	}
	h, p, bought := s.process(t)
	post(t, h, s.Message("m1", "order something"), s.Message("m2", "tea"))
	all := p.Until(t, "Order tea?", 1)
	old := all[len(all)-1]
	if len(old.Payloads) == 0 {
		t.Skip("a button sends its text, as if it was typed")
	}
	post(t, h, s.Press("m3", old.Payloads[1]), s.Message("m4", "order something"), s.Message("m5", "milk"))
	all = p.Until(t, "Order milk?", 1)
	post(t, h, s.Press("m6", old.Payloads[0]))
	p.Until(t, "Order milk?", 2)
	if bought.Count("tea")+bought.Count("milk") > 0 {
		t.Errorf("a button of an earlier question bought %d times tea and %d times milk", bought.Count("tea"), bought.Count("milk"))
	}
	post(t, h, s.Press("m7", all[len(all)-1].Payloads[0]))
	p.Until(t, "Ordered milk.", 1)
}

// Visit is a dialogue in English and German: "visit" or "besuchen" asks which day.
func Visit(t testing.TB) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Parse([]byte(`kind: Dialogue
settings: {translations: {de: de.yaml}}
flows:
  visit:
    description: visit
    trigger: [visit, besuchen]
    slots: {day: {type: date, description: day}}
    steps: [{id: day, type: collect, slot: day, message: "Which day?"}, {id: ok, type: inform, message: "Until then."}]
`), "visit.yaml", dialogue.Options{Files: fstest.MapFS{"de.yaml": {Data: []byte(`kind: Translation
language: de
flows:
  visit:
    description: Besuch
    trigger: [besuchen, visit]
    slots: {day: {description: Tag}}
    steps: {day: {message: "Welcher Tag?"}, ok: {message: "Bis dann."}}
`)}}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// languages tells the user's language with messages. A conversation begins in it and follows it, until the user asks for another.
func (s *Suite) languages(t *testing.T) {
	if s.In == nil {
		t.Skip("the provider does not tell it")
	}
	p := &Provider{}
	h := Open(t, Stores(t)["memory"](), Visit(t), s.New(t, p))
	n := 0
	for _, c := range []struct{ text, language, want string }{
		{"besuchen", "de-AT", "Welcher Tag?"},   // it begins in the language of the user
		{"foo", "it", "Welcher Tag?"},           // which the dialogue does not have
		{"foo", "", "Welcher Tag?"},             // it is not told
		{"foo", "en-GB", "Which day?"},          // the user has changed it at the provider
		{"foo", "de", "Welcher Tag?"},           // and back
		{"English please", "de", "Which day?"},  // words count more
		{"foo", "de", "Which day?"},             // also later
		{"foo", "en", "Which day?"},             // and when the provider changes its mind
		{"foo", "de", "Which day?"},             // twice
		{"Deutsch bitte", "en", "Welcher Tag?"}, // words change it again
	} {
		before, _ := p.Sent()
		n++
		post(t, h, s.In(messageName(n), c.text, c.language))
		all := p.until(t, c.want, func(all []Sent) bool {
			return len(all) > len(before) && strings.HasSuffix(all[len(all)-1].Text, "?")
		})
		if diff := cmp.Diff(c.want, all[len(all)-1].Text); diff != "" {
			t.Fatalf("%d. %q in %q: %s", n, c.text, c.language, diff)
		}
	}
}

func messageName(n int) string { return "l" + strings.Repeat("x", n) }
