package fermata_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

type (
	// rounded is written by encoding/json, and read to the next ten.
	rounded struct{ N int }

	// counting says how often it was read.
	counting struct{ Reads int }

	// shouted is a text that is read in capitals.
	shouted string

	// grade is checked when it is read, and nothing else.
	grade string
)

func (r *rounded) UnmarshalJSON(data []byte) error {
	type plain rounded
	err := json.Unmarshal(data, (*plain)(r))
	r.N = (r.N + 5) / 10 * 10
	return err
}

func (c *counting) UnmarshalJSON(data []byte) error {
	type plain counting
	err := json.Unmarshal(data, (*plain)(c))
	c.Reads++
	return err
}

func (s *shouted) UnmarshalText(text []byte) error {
	*s = shouted(text)
	if *s == "no" {
		*s = "NO"
	}
	return nil
}

func (g *grade) UnmarshalText(text []byte) error {
	if len(text) > 1 {
		return errors.New("expected one letter")
	}
	*g = grade(text)
	return nil
}

// readOnly is a state with types that have a method to be read by, and none to be written by.
type readOnly struct {
	R rounded
	C *counting
	S []shouted
	G map[string]grade
}

// TestN10_TypesThatAreOnlyReadByTheirOwnCode gives a node such values live, after a sleep and after a restart. It is given what was
// read, or they are refused where they are made.
func TestN10_TypesThatAreOnlyReadByTheirOwnCode(t *testing.T) {
	for name, c := range map[string]struct {
		made, given readOnly
		refused     bool
	}{
		"rounded":   {made: readOnly{R: rounded{13}}, refused: true},
		"counted":   {made: readOnly{C: &counting{}}, refused: true},
		"capitals":  {made: readOnly{S: []shouted{"yes", "no"}}, refused: true},
		"settled":   {made: readOnly{R: rounded{10}, S: []shouted{"yes", "NO"}}, given: readOnly{R: rounded{10}, S: []shouted{"yes", "NO"}}},
		"checked":   {made: readOnly{G: map[string]grade{"a": "b"}}, given: readOnly{G: map[string]grade{"a": "b"}}},
		"unchecked": {made: readOnly{G: map[string]grade{"a": "better"}}, refused: true},
	} {
		for way, waits := range map[string]func(ctx node.Context) error{
			"live":  func(node.Context) error { return nil },
			"sleep": func(ctx node.Context) error { return node.Sleep(ctx, 1) },
			"restart": func(ctx node.Context) error {
				_, err := node.Interrupt[bool](ctx, nil)
				return err
			},
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				var given []readOnly
				g := graph.New[readOnly]("read").
					Node("make", func(_ node.Context, _ readOnly) (readOnly, error) { return c.made, nil }).
					Node("wait", func(ctx node.Context, s readOnly) (readOnly, error) { return s, waits(ctx) }).
					Node("use", func(_ node.Context, s readOnly) (readOnly, error) { given = append(given, s); return s, nil }).
					Edge(graph.Start, "make").Edge("make", "wait").Edge("wait", "use").MustCompile()
				store := memory.New()
				rt := newRuntime(t, fermata.Options{Store: store})
				run, err := g.Start(t.Context(), rt, readOnly{})
				if err != nil {
					t.Fatal(err)
				}
				res, err := run.Wait(timeLimit(t))
				if way == "restart" && err == nil && res.Status == fermata.Paused {
					if err := rt.Close(); err != nil {
						t.Fatal(err)
					}
					rt = newRuntime(t, fermata.Options{Store: store})
					if run, err = g.Resume(t.Context(), rt, run.ID()); err != nil {
						t.Fatal(err)
					}
					answer(t, rt, res.Interrupts[0].ID, true)
					res, err = run.Wait(timeLimit(t))
				}
				switch {
				case err != nil:
					t.Fatal(err)
				case c.refused && !errors.Is(res.Err, node.ErrNotStorable):
					t.Errorf("it is %s with %v, and %+v was given", res.Status, res.Err, given)
				case c.refused:
				case res.Err != nil:
					t.Error(res.Err)
				default:
					if diff := cmp.Diff([]readOnly{c.given}, given); diff != "" {
						t.Errorf("given (-want +got):\n%s", diff)
					}
				}
			})
		}
	}
}
