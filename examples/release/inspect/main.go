package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// look is one thing that the command can do: an object in, an object out.
type look struct {
	name string
	do   func(ctx context.Context, input json.RawMessage) (any, error)
}

var looks = []look{
	{"commits", typed(commits)},
	{"changes", typed(changes)},
	{"vet", typed(vet)},
	{"modules", typed(modules)},
	{"notes", typed(notes)},
}

// typed reads the input of a look.
func typed[In, Out any](f func(context.Context, In) (Out, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, input json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, fmt.Errorf("expected a JSON object on the standard input: %w", err)
		}
		return f(ctx, in)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	i := -1
	if len(args) == 1 {
		i = slices.IndexFunc(looks, func(l look) bool { return l.name == args[0] })
	}
	if i < 0 {
		names := make([]string, len(looks))
		for i, l := range looks {
			names[i] = l.name
		}
		return fmt.Errorf("expected one of %s, found %q", strings.Join(names, ", "), args)
	}
	input, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if len(strings.TrimSpace(string(input))) == 0 {
		return errors.New("expected a JSON object on the standard input, found nothing")
	}
	result, err := looks[i].do(ctx, input)
	if err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(result)
}

// count says a number with its noun: "1 file", "3 files".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// shorten cuts a text to n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimRight(string(r[:n-1]), " ") + "…"
	}
	return s
}
