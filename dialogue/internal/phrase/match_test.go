package phrase_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A Wednesday, at ten past nine.
var now = time.Date(2026, 11, 25, 9, 10, 0, 0, time.UTC)

var euros = phrase.Locale{Language: phrase.English, Currency: "EUR", DayFirst: true}

const (
	transfer = iota + 1
	balance
	table
	help
	login
	thanks
)

var bank = []phrase.Phrase{
	{ID: transfer, Text: "transfer {amount} to {payee}"},
	{ID: transfer, Text: "send money"},
	{ID: transfer, Text: "send {payee} {amount}"},
	{ID: balance, Text: "[what is|what's] my [account] balance"},
	{ID: balance, Text: "how much (is|do I have) (in|on) [my] {account}"},
	{ID: table, Text: "book a table [for {people}] [on {day}]"},
	{ID: help, Text: "help"},
	{ID: login, Text: "I can't log in"},
	{ID: thanks, Text: "tell {payee} {note} right away"},
}

var synonyms = map[string][]string{"transfer": {"send", "wire", "shoot over"}, "log in": {"sign in"}}

func bankSlot(_ int, name string) (phrase.Slot, bool) {
	switch name {
	case "amount":
		return phrase.Slot{Kind: phrase.Money}, true
	case "people":
		return phrase.Slot{Kind: phrase.Integer}, true
	case "day":
		return phrase.Slot{Kind: phrase.Text}, true
	case "account":
		return phrase.Slot{Kind: phrase.Single, Choices: accounts}, true
	case "payee", "note":
		return phrase.Slot{}, true
	}
	return phrase.Slot{}, false
}

var accounts = []phrase.Choice{{Value: "savings"}, {Value: "checking", Synonyms: []string{"current account"}}, {Value: "joint checking"}}

func compiled(t testing.TB) *phrase.Matcher {
	t.Helper()
	m, err := phrase.Compile(bank, bankSlot, synonyms, euros)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shown is the best match in a line: its ID and values, "-" if there is none.
func shown(matches []phrase.Match) string {
	if len(matches) == 0 {
		return "-"
	}
	parts := []string{fmt.Sprint(matches[0].ID)}
	for _, name := range slices.Sorted(maps.Keys(matches[0].Values)) {
		v := matches[0].Values[name]
		if v.Reason != "" {
			parts = append(parts, name+"! "+v.Reason)
			continue
		}
		text, err := json.Marshal(v.Value)
		if err != nil {
			panic(err)
		}
		parts = append(parts, name+"="+string(text))
	}
	return strings.Join(parts, " ")
}

func TestMatch(t *testing.T) {
	m := compiled(t)
	for _, tt := range []struct {
		said string
		want string
		low  float64 // the score is at least that
		high float64 // and at most that
	}{
		{"transfer 50 to Bob", `1 amount=50 payee="Bob"`, 0.9, 1},
		{"Transfer €50 to Bob.", `1 amount=50 payee="Bob"`, 0.9, 1},
		{"please transfer fifty euros to Zoë Müller, thanks", `1 amount=50 payee="Zoë Müller"`, 0.9, 1},
		{"I'd like to transfer 1,234.50 to \"A B\"", `1 amount=1234.5 payee="A B"`, 0.9, 1},
		{"transfer 20 dollars to Bob", `1 amount! “20 dollars” is not in EUR. payee="Bob"`, 0.7, 0.9},
		{"wire 20 euros to mum", `1 amount=20 payee="mum"`, 0.9, 1},
		{"shoot over 20 euros to mum", `1 amount=20 payee="mum"`, 0.9, 1},
		{"transfr 20 to mum", `1 amount=20 payee="mum"`, 0.85, 0.97},
		{"tarnsfer 20 to mum", `1 amount=20 payee="mum"`, 0.85, 0.97},
		{"transfer to Bob", `1 payee="Bob"`, 0.6, 0.8},
		{"transfer 50", `1 amount=50`, 0.6, 0.8},
		{"send Bob 50", `1 amount=50 payee="Bob"`, 0.9, 1},
		{"send Jean-Luc d'Arc 50", `1 amount=50 payee="Jean-Luc d'Arc"`, 0.9, 1},
		{"transfer 50 to to Bob", `1 amount=50 payee="to Bob"`, 0.9, 1},
		{"transfer 50 to bob@example.com", `1 amount=50 payee="bob@example.com"`, 0.9, 1},
		{"transfer 50 to +49 30 1234", `1 amount=50 payee="+49 30 1234"`, 0.9, 1},
		{"tell Bob the rent is due right away", `6 note="the rent is due" payee="Bob"`, 0.9, 1},
		{"tell Bob right right away", `6 note="right" payee="Bob"`, 0.9, 1},
		{"SEND   MONEY!!!", "1", 1, 1},
		{"sénd möney 💸", "1", 1, 1},
		{"ѕеnd mоney", "1", 1, 1}, // Cyrillic ѕ, е and о
		{"ｓｅｎｄ money", "1", 1, 1},
		{"se\u00adnd mo\u200bney", "1", 1, 1},
		{"I want to send some money to my mum", "1", 0.6, 0.9},
		{"money send", "1", 0.5, 0.8},
		{"lend money", "-", 0, 0},
		{"save money", "-", 0, 0},
		{"I don't want to send money", "-", 0, 0},
		{"do not send money", "-", 0, 0},
		{"never send money to Bob", "-", 0, 0},
		{"what's my balance", "2", 1, 1},
		{"whats my account balance?", "2", 1, 1},
		{"What is my balance", "2", 1, 1},
		{"my balances", "2", 0.9, 0.99},
		{"how much is in my savngs", `2 account="savings"`, 0.85, 1},
		{"how much do I have on the current account", `2 account="checking"`, 0.9, 1},
		{"book a table for two", `3 people=2`, 0.9, 1},
		{"book a table for two on Friday", `3 day="Friday" people=2`, 0.9, 1},
		{"book a table", "3", 1, 1},
		{"book me a table please", "3", 0.9, 1},
		{"look a table", "-", 0, 0},
		{"help", "4", 1, 1},
		{"halp", "4", 0.85, 0.95},
		{"held", "-", 0, 0},
		{"I can't sign in", "5", 0.9, 1},
		{"i cant log in", "5", 1, 1},
		{"i can’t log in", "5", 1, 1},
		{"log in", "-", 0, 0.7}, // not what was said can't be done
		{"", "-", 0, 0},
		{"🎉", "-", 0, 0},
		{"\xff\xfe", "-", 0, 0},
		{"50", "-", 0, 0},
		{"Bob", "-", 0, 0},
		{"what a lovely day", "-", 0, 0},
	} {
		got := m.Match(tt.said, now)
		if s := shown(got); s != tt.want {
			t.Errorf("%q is %s, want %s", tt.said, s, tt.want)
		} else if len(got) > 0 && (got[0].Score < tt.low || got[0].Score > tt.high) {
			t.Errorf("%q has a score of %.3f, want %v to %v", tt.said, got[0].Score, tt.low, tt.high)
		}
	}
}

// Values have their places in what was said, byte by byte.
func TestMatchedValuesHavePlaces(t *testing.T) {
	const said = "  Zoë says: send “Ána Ó Néill” fifty euros, please"
	best := compiled(t).Match(said, now)[0]
	want := map[string]phrase.Value{
		"payee":  {Value: "Ána Ó Néill", Text: "Ána Ó Néill", Start: 21, End: 35, Score: 0.9},
		"amount": {Value: json.Number("50"), Text: "fifty euros", Start: 39, End: 50, Score: 1},
	}
	if diff := cmp.Diff(want, best.Values); diff != "" {
		t.Error(diff)
	}
	for name, v := range best.Values {
		if said[v.Start:v.End] != v.Text {
			t.Errorf("%s is said to be %q at %d, where %q is", name, v.Text, v.Start, said[v.Start:v.End])
		}
	}
}

// Each ID is there once, the best first.
func TestMatchesAreInOrder(t *testing.T) {
	m, err := phrase.Compile([]phrase.Phrase{
		{ID: 1, Text: "show {what}"}, {ID: 2, Text: "show invoices"}, {ID: 2, Text: "show all invoices"}, {ID: 3, Text: "show all invoices of {who}"},
	}, func(int, string) (phrase.Slot, bool) { return phrase.Slot{}, true }, nil, phrase.Locale{})
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"show invoices":                "2 1 3",
		"show all invoices":            "2 1 3",
		"show all invoices of Bob":     "3 1 2",
		"show me all invoices of Zoë!": "3 1 2",
		"show the weather":             "1",
	} {
		var ids []string
		last := 1.0
		for _, match := range m.Match(said, now) {
			ids = append(ids, fmt.Sprint(match.ID))
			if match.Score > last {
				t.Errorf("%q: %d has more than the one before", said, match.ID)
			}
			last = match.Score
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q is %s, want %s", said, got, want)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         `phrase "", at offset 0: a phrase has words, and this one is empty`,
		"pay {who":                 `phrase "pay {who", at offset 4: "{" is not closed; "}" is missing`,
		"pay {}":                   `phrase "pay {}", at offset 4: {} names no slot; write its name between the braces`,
		"pay {whom}":               `phrase "pay {whom}", at offset 4: no slot "whom"`,
		"pay [now":                 `phrase "pay [now", at offset 4: "[" is not closed; "]" is missing`,
		"pay (now|later":           `phrase "pay (now|later", at offset 4: "(" is not closed; ")" is missing`,
		"pay (now]":                `phrase "pay (now]", at offset 4: "(" is not closed; ")" is missing`,
		"pay now)":                 `phrase "pay now)", at offset 7: ")" closes nothing; leave it out, or open it before`,
		"pay | send":               `phrase "pay | send", at offset 4: "|" parts alternatives inside ( and ); put them around`,
		"{payee}":                  `phrase "{payee}", at offset 0: it matches anything that is said, or nothing; give it a word that must be there`,
		"[please]":                 `phrase "[please]", at offset 0: it matches anything that is said, or nothing; give it a word that must be there`,
		"!?":                       `phrase "!?", at offset 0: it matches anything that is said, or nothing; give it a word that must be there`,
		"pay {odd}":                `phrase "pay {odd}", at offset 4: slot "odd": a list of lists cannot be said`,
		"pay {none}":               `phrase "pay {none}", at offset 4: slot "none": a choice needs choices`,
		strings.Repeat("pay ", 40): `phrase "` + strings.Repeat("pay ", 40) + `", at offset 0: it has 40 words and placeholders, and at most 32 are compared; make it shorter`,
		"pay " + strings.Repeat("[for {payee}]", 7): `phrase "pay ` + strings.Repeat("[for {payee}]", 7) +
			`", at offset 0: its options and alternatives can be read in more than 64 ways; make several phrases of it`,
	} {
		_, err := phrase.Compile([]phrase.Phrase{{ID: 7, Text: text}}, func(id int, name string) (phrase.Slot, bool) {
			switch name {
			case "odd":
				return phrase.Slot{Kind: phrase.List, Items: &phrase.Slot{Kind: phrase.List}}, true
			case "none":
				return phrase.Slot{Kind: phrase.Single}, true
			}
			return bankSlot(id, name)
		}, nil, euros)
		bad, ok := errors.AsType[*phrase.Error](err)
		if !ok {
			t.Errorf("%q: %v", text, err)
		} else if bad.Error() != want || bad.ID != 7 {
			t.Errorf("%q, ID %d: %s\nwant %s", text, bad.ID, bad, want)
		}
	}
}
