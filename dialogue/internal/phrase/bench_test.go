package phrase_test

import (
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// manyFlows are 50 flows with 6 phrases each.
func manyFlows(b *testing.B) *phrase.Matcher {
	b.Helper()
	verbs := []string{"transfer", "cancel", "order", "change", "show", "delete", "report", "renew", "block", "unlock"}
	things := []string{"money", "card", "cheque", "address", "statement"}
	var phrases []phrase.Phrase
	for i, v := range verbs {
		for j, n := range things {
			for _, text := range []string{
				"%s %s", "%s [my] %s please", "I want to %s (a|the|my) %s", "%s {amount} of %s to {payee}", "%s the %s of {payee}", "can you %s my %s on {day}",
			} {
				phrases = append(phrases, phrase.Phrase{ID: i*len(things) + j, Text: fmt.Sprintf(text, v, n)})
			}
		}
	}
	m, err := phrase.Compile(phrases, bankSlot, synonyms, euros)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func BenchmarkMatch(b *testing.B) {
	m := manyFlows(b)
	for _, bb := range []struct{ name, said string }{
		{"values", "please transfer fifty euros of money to Zoë Müller"},
		{"misspelt", "I'd like to cancle my statment please"},
		{"none", "what is the weather like in Vienna on friday"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Match(bb.said, now)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, bb := range []struct{ kind, said string }{
		{"money", "fifty euros please"}, {"date", "the day after tomorrow"}, {"datetime", "next friday at half past three"}, {"choice", "the second one"},
	} {
		b.Run(bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				euros.Read(slots[bb.kind], bb.said, now)
			}
		})
	}
}

func BenchmarkAssent(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		euros.Assent("yes but to Bob")
	}
}

func BenchmarkCommon(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		euros.Common("no wait, I meant Bob")
	}
}
