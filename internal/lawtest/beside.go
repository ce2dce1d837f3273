package lawtest

import (
	"flag"
	"strconv"
)

// RunBeside lets so many parallel tests run at once, unless -parallel says how many. TestMain of packages whose parallel
// tests wait for servers, processes and timers most of the time calls it.
func RunBeside(n int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}
