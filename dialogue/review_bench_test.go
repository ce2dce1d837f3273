package dialogue_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// BenchmarkReview reviews conversations of five messages on SQLite: all of them for the first time, and again where none
// has changed. The crowd of 10000 takes minutes to make.
func BenchmarkReview(b *testing.B) {
	for _, crowd := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(crowd), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "runs.db")
			store, err := sqlite.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			c := talks(b, store, post(b, "en"), dialogue.ConversationOptions{})
			for i := range crowd {
				id := fmt.Sprint("c", i)
				converse(b, c, id, "abracadabra "+id, "about a parcel", "send 3 parcels", "qwx qwx", "XL")
			}
			review := func(b *testing.B, c *dialogue.Conversations) {
				b.Helper()
				r, err := c.Review(b.Context(), dialogue.ReviewQuery{})
				if err != nil || r.Totals.Turns != 5*crowd {
					b.Fatalf("%v %+v", err, r.Totals)
				}
			}
			b.Run("first", func(b *testing.B) {
				for b.Loop() {
					review(b, talks(b, store, post(b, "en"), dialogue.ConversationOptions{}))
				}
			})
			b.Run("again", func(b *testing.B) {
				review(b, c)
				for b.Loop() {
					review(b, c)
				}
			})
		})
	}
}
