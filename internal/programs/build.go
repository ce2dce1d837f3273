package programs

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// Build compiles the programs of packages, given as paths from here, and puts them into a folder. Each has the name of its
// package's folder, and no symbols for debuggers.
func Build(ctx context.Context, dir string, packages ...string) error {
	for _, pkg := range packages {
		args := []string{"run", "-buildvcs=false", "-ldflags=-s", "-exec", "cp", pkg, dir} // cp is given the program's path
		if runtime.GOOS == "windows" {
			args = []string{"build", "-buildvcs=false", "-ldflags=-s", "-o", dir, pkg}
		}
		if said, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", pkg, err, said)
		}
	}
	return nil
}
