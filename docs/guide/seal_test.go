package guide_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/crypt"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

func Example_seal() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "guide")
	check(err)
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "runs.db")
	key, err := crypt.NewKey("2026-11")
	check(err)
	text := key.Line()

	greet, err := graph.New[string]("greet").
		Node("greet", func(_ node.Context, name string) (string, error) { return "Hello " + name, nil }).
		Edge(graph.Start, "greet").
		Compile()
	check(err)

	// [guide: seal]
	keys, err := crypt.ParseKeys(text) // "2026-11 zW0B3d…=", from where your program keeps its secrets
	check(err)
	file, err := sqlite.Open(path)
	check(err)
	store, err := crypt.Wrap(file, keys)
	check(err)
	defer store.Close()
	rt, err := fermata.New(fermata.Options{Store: store})
	check(err)
	defer rt.Close()
	// [guide: end]

	run, err := greet.Start(ctx, rt, "Ann")
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	data, err := os.ReadFile(path + "-wal")
	check(err)
	fmt.Println(res.State, "- in the file:", bytes.Contains(data, []byte("Ann")))

	// [guide: rotate]
	next, err := crypt.NewKey("2027-05")
	check(err)
	keys = crypt.Keys{Current: next, Older: []crypt.Key{keys.Current}}
	// [guide: end]
	store, err = crypt.Wrap(file, keys)
	check(err)
	rotated, err := fermata.New(fermata.Options{Store: store})
	check(err)
	defer rotated.Close()
	again, err := greet.Resume(ctx, rotated, run.ID())
	check(err)
	res, err = again.Wait(ctx)
	check(err)
	fmt.Println(res.State, "- read with the older key")

	// Output:
	// Hello Ann - in the file: false
	// Hello Ann - read with the older key
}
