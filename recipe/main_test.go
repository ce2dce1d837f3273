package recipe

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that nothing that a recipe calls leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
