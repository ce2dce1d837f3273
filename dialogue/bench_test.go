package dialogue_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// BenchmarkTurn is one message of a conversation of five, in a store with many of them.
func BenchmarkTurn(b *testing.B) {
	for name, open := range map[string]func() (journal.Store, error){
		"memory": func() (journal.Store, error) { return memory.New(), nil },
		"sqlite": func() (journal.Store, error) { return sqlite.Open(filepath.Join(b.TempDir(), "runs.db")) },
	} {
		b.Run(name, func(b *testing.B) {
			store, err := open()
			if err != nil {
				b.Fatal(err)
			}
			rt, err := fermata.New(fermata.Options{Store: store})
			if err != nil {
				b.Fatal(err)
			}
			defer rt.Close()
			c := dialogue.NewConversations(rt, bank(b), dialogue.ConversationOptions{})
			lines := []string{"send money", "Ada", "500", "50", "yes"}
			const crowd = 200
			var turn int
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprintf("c%d_%d", i%crowd, i/crowd/len(lines))
				if turn = i / crowd % len(lines); turn == 0 {
					if _, _, err := c.Open(b.Context(), id, map[string]any{"balance": 100}); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := c.Send(b.Context(), id, dialogue.Message{Text: lines[turn]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
