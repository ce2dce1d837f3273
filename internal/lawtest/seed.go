package lawtest

import (
	"flag"
	"fmt"
	"os"
)

// init makes the properties of rapid draw the same cases in each run of a test, so that a test fails for a change and
// not for luck. With FERMATA_EXPLORE they draw new ones. FERMATA_SEED, RAPID_SEED and -rapid.seed choose a seed.
func init() {
	seed := os.Getenv("FERMATA_SEED")
	switch {
	case os.Getenv("RAPID_SEED") != "":
		return
	case seed == "" && os.Getenv("FERMATA_EXPLORE") == "":
		seed = "1"
	case seed == "":
		return
	}
	if err := flag.Set("rapid.seed", seed); err != nil {
		panic(fmt.Sprintf("FERMATA_SEED=%q: %v", seed, err))
	}
}
