package fermatatest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// TestMain runs the tests and then looks for goroutines that are left (law N1), but for one that a test leaves on purpose.
func TestMain(m *testing.M) {
	lawtest.CollectLess()
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/fermata-go/fermata/fermatatest_test.stay"))
}
