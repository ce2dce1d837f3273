package label

import (
	"maps"
	"strings"
)

// With returns labels with another one, or without it where the value is "".
func With(labels map[string]string, key, value string) map[string]string {
	labels = maps.Clone(labels)
	if value == "" {
		delete(labels, key)
	} else {
		if labels == nil {
			labels = make(map[string]string, 1)
		}
		labels[key] = value
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// Set returns labels without those whose value is "", which are none.
func Set(labels map[string]string) map[string]string {
	for key, value := range labels {
		if value == "" {
			labels = With(labels, key, "")
		}
	}
	return labels
}

// Findable returns the labels that rows can have. Earlier versions started runs with others, which stay in their
// journals alone.
func Findable(labels map[string]string) map[string]string {
	fits := func(key, value string) bool { return value != "" && Check(key, value) == nil }
	for key, value := range labels {
		if fits(key, value) {
			continue
		}
		labels = maps.Clone(labels)
		maps.DeleteFunc(labels, func(key, value string) bool { return !fits(key, value) })
		break
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// Count counts the labels that are not the engine's own.
func Count(labels map[string]string) int {
	n := 0
	for key := range labels {
		if !strings.HasPrefix(key, Own) {
			n++
		}
	}
	return n
}
