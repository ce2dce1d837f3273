// Package clean holds a node in which nothing is found.
package clean

import (
	"os"

	"github.com/fermata-go/fermata/node"
)

type report struct{ File, To string }

// publish moves a file in a step, so that it is moved once however often the node runs.
func publish(ctx node.Context, r report) (report, error) {
	_, err := node.Step(ctx, "move", func(node.Context) (bool, error) {
		return true, os.Rename(r.File, r.To)
	})
	return r, err
}
