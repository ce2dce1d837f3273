// Command table makes a table of what benchmarks print: go test ./bench -run '^$' -bench . | go run ./bench/table
package main

import (
	"fmt"
	"os"

	"github.com/fermata-go/fermata/bench/internal/contest"
)

func main() {
	if err := contest.Table(os.Stdout, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}
