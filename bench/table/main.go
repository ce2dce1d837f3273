// Command table makes tables of the figures that benchmarks print.
//
//	go test ./bench -run '^$' -bench . | go run ./bench/table
//	go run ./bench/table -page docs/explanation/peers.md < figures.txt
//
// With -page it also writes them into a page, between the lines <!-- bench: figures --> and <!-- end of figures -->, with
// the date and the machine.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fermata-go/fermata/bench/internal/contest"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	page := flags.String("page", "", "also write the tables into this `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	lines, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := contest.Table(&text, bytes.NewReader(lines)); err != nil {
		return fmt.Errorf("%w; the input ends with:\n%s", err, tail(string(lines)))
	}
	if _, err := io.WriteString(out, text.String()); err != nil || *page == "" {
		return err
	}
	if failed(string(lines)) {
		return fmt.Errorf("%s is left as it is: a benchmark failed", *page)
	}
	old, err := os.ReadFile(*page)
	if err != nil {
		return err
	}
	shown, err := replaced(string(old), conditions(string(lines), time.Now())+"\n\n"+strings.TrimSpace(text.String()))
	if err != nil {
		return fmt.Errorf("write %s: %w", *page, err)
	}
	return os.WriteFile(*page, []byte(shown), 0o600)
}

// failed reports whether the output of go test ends with a failure.
func failed(lines string) bool {
	return strings.Contains("\n"+lines, "\nFAIL") || strings.Contains(lines, "--- FAIL")
}

// tail is the last lines of a text.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
