//go:build !race

package lawtest

// Racing says that the race detector is at work, which makes a test five to ten times slower.
const Racing = false
