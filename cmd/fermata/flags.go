package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
)

// executeFlags are the flags of the commands that execute a run.
type executeFlags struct {
	speaker
	answers []string
	agents  string
	json    bool
	noInput bool
}

func (f *executeFlags) add(m *Main, c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVar(&f.answers, "answer", nil,
		"answer a node's question when it comes up: `node=JSON`, or node=@FILE; a value that is not JSON is a text; repeat it for the next question")
	f.speaker.add(m, flags, "who starts and answers, for the record: an `id`", "the `role` in which questions are answered")
	flags.StringVar(&f.agents, "agents", "", "a `file` with agents that the recipe names")
	flags.BoolVar(&f.json, "json", false, "write every event as a line of JSON, and last the result")
	flags.BoolVar(&f.noInput, "no-input", false, "never ask: pause and exit")
}

// parseAnswers reads --answer flags: for each node its answers in the order in which they were given.
func (m *Main) parseAnswers(flags []string, p *plan.Plan) (map[string][]json.RawMessage, error) {
	var names []string
	for i := range p.Flat() {
		names = append(names, p.Flat()[i].Path)
	}
	answers := map[string][]json.RawMessage{}
	for _, flag := range flags {
		node, text, ok := strings.Cut(flag, "=")
		if !ok || node == "" {
			return nil, usagef("--answer %q: expected node=JSON or node=@FILE", flag)
		}
		if !slices.Contains(names, placeOf(node)) {
			return nil, usagef("--answer %q: the recipe has no node %q%s", flag, node, nearest.Hint(node, names))
		}
		value, err := m.readValue(text)
		if err != nil {
			return nil, fmt.Errorf("--answer %s: %w", node, err)
		}
		answers[node] = append(answers[node], value)
	}
	return answers, nil
}

// readValue reads a value of the command line: JSON, or @FILE (@- is stdin). What is no JSON is a text.
func (m *Main) readValue(text string) (json.RawMessage, error) {
	data := []byte(text)
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		var err error
		if data, err = m.readFile(name); err != nil {
			return nil, err
		}
		text = strings.TrimSuffix(string(data), "\n")
	}
	if json.Valid(data) {
		return json.RawMessage(strings.TrimSpace(string(data))), nil
	}
	value, err := json.Marshal(text)
	return value, err
}

// largestFile bounds what is read into memory for one value.
const largestFile = 64 << 20

// readFile reads a file, or stdin for "-".
func (m *Main) readFile(name string) ([]byte, error) {
	from := m.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, largestFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > largestFile:
		return nil, invalidf("%s is larger than %d MB", name, largestFile>>20)
	}
	return data, nil
}

// emptyID refuses --id "", which a variable of a shell that is not set leaves behind.
func emptyID(c *cobra.Command) error {
	if f := c.Flags().Lookup("id"); f != nil && f.Changed && f.Value.String() == "" {
		return usagef(`--id "": expected an id, found an empty text; without --id there is a new one`)
	}
	return nil
}

// The arguments that commands take.
func oneRun(_ *cobra.Command, args []string) error {
	return oneOf(args, "RUN, the id of a run or the beginning of it")
}

// atMostOneRun is oneRun for a command that flags can give many runs.
func atMostOneRun(_ *cobra.Command, args []string) error { return moreThan(1, args) }

func oneTask(_ *cobra.Command, args []string) error {
	return oneOf(args, "TASK, the id of a task or the beginning of it")
}

func oneOf(args []string, what string) error {
	if len(args) == 0 {
		return usagef("expected %s", what)
	}
	return moreThan(1, args)
}

func atMostOne(_ *cobra.Command, args []string) error { return moreThan(1, args) }

func noArgs(_ *cobra.Command, args []string) error { return moreThan(0, args) }

// ofArguments says how many arguments a command takes at most.
func ofArguments(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func moreThan(n int, args []string) error {
	if len(args) > n {
		if n == 0 {
			return usagef("expected no argument, found %q", args[0])
		}
		return usagef("expected %s, found %q, too; a text with spaces needs quotes", ofArguments(n), args[n])
	}
	return nil
}

// mayBeEmpty are the flags whose empty text means something, or has an error of its own.
var mayBeEmpty = []string{"id", "as", "name", "note", "reason", "role", "to-name", "value"}

// emptyFlags is an error where a flag was given an empty text. It is nearly always a variable that is not set: a filter that is
// empty would select everything, and a store that has no name would be another one.
func emptyFlags(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == "" && !slices.Contains(mayBeEmpty, f.Name)
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
		}
		if !empty {
			return
		}
		err = cmp.Or(err, usagef("--%s: expected a value, found an empty text; is a variable not set?", f.Name))
	})
	return err
}
