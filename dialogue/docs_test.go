package dialogue_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue"
)

// The page explains each sign of triggers with an example, and each example means what the page says.
func TestThePageExplainsTheSignsOfTriggers(t *testing.T) {
	page, err := os.ReadFile("../docs/dialogues.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| In a trigger | Meaning |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var triggers []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*?)` \\|").FindAllStringSubmatch(table, -1) {
		triggers = append(triggers, strings.ReplaceAll(row[1], `\|`, "|"))
	}
	said := [][]string{{"send 50"}, {"please send", "send"}, {"book an appointment", "make an appointment", "get an appointment"}}
	if len(triggers) != len(said) {
		t.Fatalf("expected %d triggers, found %q", len(said), triggers)
	}
	for i, trigger := range triggers {
		d := written(t, `flows: {a: {trigger: [`+strconv.Quote(trigger)+`], slots: {amount: money}, steps: [{type: collect, slot: amount, message: "How much?"}]}}`, dialogue.Options{})
		for _, text := range said[i] {
			commands, err := d.Understood(text, time.Unix(0, 0))
			if err != nil || len(commands) == 0 || commands[0].Type != dialogue.StartFlow || commands[0].Source != dialogue.FromTrigger {
				t.Errorf("%q, with the trigger %q: %+v, %v", text, trigger, commands, err)
			}
		}
	}
}
