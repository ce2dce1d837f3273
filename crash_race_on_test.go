//go:build race

package fermata_test

// racing says that the race detector is at work, which makes a store on disk ten times slower.
const racing = true
