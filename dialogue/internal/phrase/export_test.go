package phrase

import (
	"maps"
	"slices"
)

// ZoneNames are the names of all time zones that values have, sorted.
func ZoneNames() []string { return slices.Sorted(maps.Keys(allZones().names)) }
