package node_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/node"
)

// class is what can be found out about an error.
type class struct {
	Text     string
	Terminal bool
	After    time.Duration
	Asks     bool
	Missing  bool // errors.Is finds fs.ErrNotExist behind the marks
}

func classOf(err error) class {
	c := class{Text: err.Error(), Terminal: errors.Is(err, node.ErrTerminal), Missing: errors.Is(err, fs.ErrNotExist)}
	var after *node.RetryAfterError
	if c.Asks = errors.As(err, &after); c.Asks {
		c.After = after.After
	}
	return c
}

func TestMarksAreFoundThroughWrapping(t *testing.T) {
	missing := fmt.Errorf("open a: %w", fs.ErrNotExist)
	tests := []struct {
		name string
		err  error
		want class
	}{
		{"none", missing, class{Text: "open a: file does not exist", Missing: true}},
		{"terminal", node.Terminal(missing), class{Text: "open a: file does not exist", Terminal: true, Missing: true}},
		{
			"wrapped", fmt.Errorf("load: %w", node.Terminal(missing)),
			class{Text: "load: open a: file does not exist", Terminal: true, Missing: true},
		},
		{
			"a wait", node.RetryAfter(missing, time.Minute),
			class{Text: "open a: file does not exist", Asks: true, After: time.Minute, Missing: true},
		},
		{"a wait below 0", node.RetryAfter(missing, -1), class{Text: "open a: file does not exist", Asks: true, Missing: true}},
		{
			"both", node.Terminal(fmt.Errorf("x: %w", node.RetryAfter(missing, time.Second))),
			class{Text: "x: open a: file does not exist", Terminal: true, Asks: true, After: time.Second, Missing: true},
		},
		{
			"a step's", &node.StepError{Step: "step:s#1", Message: "refused", Terminal: true, RetryAfter: time.Second},
			class{Text: "refused", Terminal: true, Asks: true, After: time.Second},
		},
		{"a step's without", &node.StepError{Step: "step:s#1", Message: "refused"}, class{Text: "refused"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, classOf(test.err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if node.Terminal(nil) != nil || node.RetryAfter(nil, time.Second) != nil {
		t.Error("no error is no error, whatever it is marked with")
	}
}

// What a step's error is marked with is in its record, and comes back from there with the text.
func TestJ5_TheMarksOfAStepAreRecorded(t *testing.T) {
	for name, failed := range map[string]error{
		"none":              errors.New("refused"),
		"terminal":          node.Terminal(errors.New("refused")),
		"a wait":            fmt.Errorf("x: %w", node.RetryAfter(errors.New("refused"), 1500*time.Nanosecond)),
		"no wait":           node.RetryAfter(errors.New("refused"), 0),
		"terminal and wait": node.Terminal(node.RetryAfter(errors.New("refused"), time.Hour)),
	} {
		h := newHost()
		var passes []error
		for range 2 {
			ctx := h.next(t)
			_, err := node.Step(ctx, "charge", func(node.Context) (int, error) {
				if len(passes) > 0 {
					t.Errorf("%s: the step happened again", name)
				}
				return 0, failed
			})
			passes = append(passes, err)
		}
		if diff := cmp.Diff(passes[0], passes[1]); diff != "" {
			t.Errorf("%s: the second pass finds another error (-first +second):\n%s", name, diff)
		}
		want, got := classOf(failed), classOf(passes[0])
		if want.Asks { // in the microseconds that a journal keeps, and at least one
			want.After = max(want.After.Truncate(time.Microsecond), time.Microsecond)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-marked +found):\n%s", name, diff)
		}
	}
}
