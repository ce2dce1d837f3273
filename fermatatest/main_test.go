package fermatatest_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests and then looks for goroutines that are left (law N1).
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
