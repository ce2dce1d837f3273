package fermata_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/crypt"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// sealedBy is a store that is sealed with keys of these ids, the current one first.
func sealedBy(t testing.TB, s journal.Store, ids ...string) journal.Store {
	t.Helper()
	var keys crypt.Keys
	for i, id := range ids {
		k := crypt.Key{ID: id, Secret: bytes.Repeat([]byte(id+"."), crypt.SecretSize)[:crypt.SecretSize]}
		if i == 0 {
			keys.Current = k
		} else {
			keys.Older = append(keys.Older, k)
		}
	}
	s, err := crypt.Wrap(s, keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The engine dies at every append to a sealed file, which is opened again with a new key each time: the run comes to the end
// that it has over any store.
func TestJ15_CrashAtEveryAppendOnASealedFile(t *testing.T) {
	t.Parallel()
	crashOnDisk(t, 5, 17, func(t *testing.T, crash func(open func(file string) (journal.Store, error))) {
		opened := 0
		crash(func(file string) (journal.Store, error) {
			s, err := sqlite.OpenWith(file, sqlite.Options{Sync: sqlite.Normal})
			if err != nil {
				return nil, err
			}
			opened++
			ids := []string{"one", "two", "three"}
			n := opened % len(ids)
			return sealedBy(t, s, append(append([]string(nil), ids[n:]...), ids[:n]...)...), nil
		})
	})
}

// A run that is exported from one sealed store and imported into another one, with other keys, is the same to the byte and
// comes to its end there. The file is clear text.
func TestJ15_ARunMovesBetweenStoresWithDifferentKeys(t *testing.T) {
	g := graph.New[string]("ask")
	g.Node("ask", func(ctx node.Context, s string) (string, error) {
		said, err := node.Step(ctx, "greet", func(node.Context) (string, error) { return "hello " + s, nil })
		if err != nil {
			return "", err
		}
		answer, err := node.Interrupt[string](ctx, said)
		if err != nil {
			return "", err
		}
		return said + ": " + answer, nil
	})
	g.Edge(graph.Start, "ask")
	p, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	from, to := sealedBy(t, memory.New(), "a"), sealedBy(t, memory.New(), "b")
	run, err := p.Start(t.Context(), newRuntime(t, fermata.Options{Store: from}), "Ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := exports(t, from, run.ID())
	if !bytes.Contains(file, []byte("hello Ann")) {
		t.Errorf("the exported file is sealed: %s", file)
	}
	imports(t, to, file, fermata.ImportOptions{})
	if diff := cmp.Diff(journalOf(t, from, run.ID()), journalOf(t, to, run.ID())); diff != "" {
		t.Errorf("the journal has changed on its way (-from +to):\n%s", diff)
	}
}

// A worker without the key, or without any, does nothing to a run but fail, and the error names the key.
func TestJ15_WithoutTheKeyARunIsLeftAlone(t *testing.T) {
	inner := memory.New()
	p, err := graph.New[int]("n").Node("n", func(_ node.Context, n int) (int, error) { return n + 1, nil }).Edge(graph.Start, "n").Compile()
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.Start(t.Context(), newRuntime(t, fermata.Options{Store: sealedBy(t, inner, "a")}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := journalOf(t, inner, run.ID())
	rt := newRuntime(t, fermata.Options{Store: sealedBy(t, inner, "b")})
	_, err = p.Resume(t.Context(), rt, run.ID())
	missing, ok := errors.AsType[*crypt.KeyError](err)
	if !ok || missing.ID != "a" || !errors.Is(err, journal.ErrSealed) {
		t.Errorf("resumed with another key: %v", err)
	}
	if diff := cmp.Diff(before, journalOf(t, inner, run.ID())); diff != "" {
		t.Errorf("the journal has changed (-before +after):\n%s", diff)
	}
}

// Texts in every place where a graph takes them are not in a sealed file, while the run waits and once it has ended.
func TestJ15_NoTextOfARunIsInASealedFile(t *testing.T) {
	const secret = "Rumpelstiltskin"
	g := graph.New[map[string]string]("places")
	g.Node("ask", func(ctx node.Context, s map[string]string) (map[string]string, error) {
		_, err := node.Step(ctx, "pay "+secret, func(node.Context) (string, error) { return secret, nil })
		if err != nil {
			return s, err
		}
		_, failed := node.Step(ctx, "refuse "+secret, func(node.Context) (string, error) { return "", errors.New(secret + " refuses") })
		if failed == nil {
			return s, errors.New("expected a failure")
		}
		if err := node.Sleep(ctx, time.Millisecond); err != nil {
			return s, err
		}
		answer, err := node.Interrupt[string](ctx, map[string]string{secret: secret}, node.Prompt(secret+"?"), node.Options(secret))
		if err != nil {
			return s, err
		}
		s[secret] = answer
		return s, errors.New(secret + " is nobody's name")
	})
	g.Edge(graph.Start, "ask")
	p, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file, err := sqlite.OpenWith(filepath.Join(folder, "runs.db"), sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	s := sealedBy(t, file, "a")
	clean := func(when string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if at := strings.Index(string(data), secret[:10]); at >= 0 {
				t.Errorf("%s: %s holds the text at byte %d: %q", when, filepath.Base(name), at, data[max(0, at-100):at+40])
			}
		}
	}
	rt := newRuntime(t, fermata.Options{Store: s})
	run, err := p.Start(t.Context(), rt, map[string]string{"name": secret}, fermata.StartedBy(secret))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	clean("while it waits")
	err = rt.Answer(t.Context(), res.Interrupts[0].ID, secret, fermata.AsPerson(fermata.Person{ID: secret, Name: secret}))
	if err != nil {
		t.Fatal(err)
	}
	if res, _ = run.Wait(t.Context()); res.Status != fermata.Failed || !strings.Contains(res.Err.Error(), secret) {
		t.Errorf("%s, %v", res.Status, res.Err)
	}
	clean("once it has ended")
}
