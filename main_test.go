package fermata_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"
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
	beside(6)
	goleak.VerifyTestMain(m)
}

// beside lets so many tests run beside each other, unless -parallel says how many: those that are parallel here wait for
// servers, for processes that die and for timers most of the time.
func beside(n int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}
