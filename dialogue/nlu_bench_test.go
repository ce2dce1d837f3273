package dialogue

import (
	"fmt"
	"testing"
	"time"
)

// manyFlows is a dialogue of 50 flows with 6 phrases each.
func manyFlows(b *testing.B) *Dialogue {
	b.Helper()
	def := Definition{Name: "many"}
	for _, verb := range []string{"transfer", "cancel", "order", "change", "show", "delete", "report", "renew", "block", "unlock"} {
		for _, thing := range []string{"money", "card", "cheque", "address", "statement"} {
			f := Flow{Name: verb + "_" + thing, Slots: []Slot{
				{Name: "amount", Type: Money},
				{Name: "payee"},
				{Name: "day", Type: Date},
				{Name: "account", Type: Choice, Choices: []Option{{Value: "current", Synonyms: []string{"checking"}}, {Value: "savings"}}},
			}}
			for _, text := range []string{
				"%s %s", "%s [my] %s please", "I want to %s (a|the|my) %s", "%s {amount} of %s to {payee}", "%s the %s of {payee}", "can you %s my %s on {day}",
			} {
				f.Trigger = append(f.Trigger, fmt.Sprintf(text, verb, thing))
			}
			for _, s := range f.Slots {
				f.Steps = append(f.Steps, Step{ID: "ask_" + s.Name, Type: CollectStep, Slot: s.Name, Message: s.Name + "?"})
			}
			def.Flows = append(def.Flows, f)
		}
	}
	d, err := Compile(def, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// BenchmarkUnderstand understands a short and a long message with 50 flows of 6 phrases each, at the beginning of a
// conversation and at a question.
func BenchmarkUnderstand(b *testing.B) {
	d := manyFlows(b)
	const long = "hello there, I hope you can help me with this, because last week I have tried to do it in the app and it did not work at all: please " +
		"transfer two hundred and fifty euros of money to Zoë Müller from my savings account, thank you very much"
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	question := NewCollect("How much?", "amount")
	for _, bb := range []struct {
		name string
		turn Turn
	}{
		{"begin/short", Turn{Text: "transfer fifty euros of money to Bob"}},
		{"begin/long", Turn{Text: long}},
		{"begin/none", Turn{Text: "what is the weather like in Vienna"}},
		{"answer/short", Turn{Text: "fifty euros please", Active: []string{"transfer_money"}, Pending: &question}},
		{"answer/long", Turn{Text: "well, I think that I would like to make it something like fifty euros, from my savings, on friday if that is possible", Active: []string{"transfer_money"}, Pending: &question}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			bb.turn.Dialogue, bb.turn.Now = d, now
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.phrases.understand(&bb.turn); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
