package phrase

import (
	"maps"
	"slices"
)

// ZoneNames are the names of all time zones that values have, sorted.
func ZoneNames() []string { return slices.Sorted(maps.Keys(allZones().names)) }

// Spelled are all ways to say a sentence of Speech.
func Spelled(sentence string) []string { return spellings(sentence) }
