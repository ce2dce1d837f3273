package runstate

import (
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
)

// CheckBreaks refuses breakpoints at nodes that a plan does not have.
func CheckBreaks(p *plan.Plan, b *runtype.Breaks) error {
	if b.Empty() {
		return nil
	}
	var paths []string
	for _, f := range p.Flat() {
		paths = append(paths, f.Path)
	}
	var err error
	for _, nodes := range [...][]string{b.Before, b.After} {
		for _, path := range nodes {
			if _, ok := p.Index(path); !ok {
				err = errors.Join(err, fmt.Errorf("breakpoint %q: plan %q has no node of this path%s", path, p.Name(), nearest.Hint(path, paths)))
			}
		}
	}
	return err
}
