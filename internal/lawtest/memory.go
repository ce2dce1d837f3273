package lawtest

import (
	"flag"
	"os"
	"runtime/debug"
)

// CollectLess has the garbage collector of this process run less often, unless GOGC says how often.
// So does that of the processes that its tests start.
//
// TestMain of packages whose tests keep little and allocate much calls it: they take a fifth less of a processor. With
// benchmarks to run it does nothing.
func CollectLess() {
	flag.Parse()
	if os.Getenv("GOGC") != "" || flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	debug.SetGCPercent(400)
	if err := os.Setenv("GOGC", "400"); err != nil {
		panic(err) // the name is right
	}
}
