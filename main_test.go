package fermata_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// TestMain runs the tests and then looks for goroutines that are left (law N1). Started again by a test, with the
// name of a child in the environment, it is that process instead.
func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		os.Exit(beChild(name))
	}
	if folder := os.Getenv(doomedFolder); folder != "" {
		os.Exit(beDoomed(folder))
	}
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	lawtest.RunBeside(6)
	goleak.VerifyTestMain(m)
}
