package plan_test

import (
	"testing"

	"github.com/fermata-go/fermata/plan"
)

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		def := chain(n)
		b.Run("chain-"+itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := plan.New(def); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoops(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		p := compile(b, rounds(n))
		b.Run("rounds-"+itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(p.Loops()) != n/4 {
					b.Fatal("loops are missing")
				}
			}
		})
	}
}

func BenchmarkOutline(b *testing.B) {
	p := compile(b, release())
	b.ReportAllocs()
	for b.Loop() {
		p.Outline()
	}
}

func BenchmarkText(b *testing.B) {
	p := compile(b, chain(10_000))
	b.ReportAllocs()
	for b.Loop() {
		p.Text()
	}
}
