// Package programs builds the programs of this module that tests start.
//
//	err := programs.Build(ctx, dir, "../../cmd/fermata") // dir/fermata, linked once for all packages that ask
//
// The go command caches what go run links, and nothing that go build links. So the tests of several packages, and the next
// run of them, share one link. The package keeps nothing itself. Only tests import it.
package programs
