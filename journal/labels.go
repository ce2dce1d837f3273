package journal

import "github.com/fermata-go/fermata/internal/label"

// Limits of labels (law J13).
const (
	MaxLabels = label.Most // of one run, beside those of the engine
	OwnLabels = label.Own  // begins the keys of labels that the engine sets
)

// CheckLabel returns why no label can have the key and the value (law J13).
//
// A key has 1 to 63 letters a to z, digits and
// _ . -, and begins with a letter; a value has at most 255 bytes of UTF-8 without NUL.
func CheckLabel(key, value string) error { return label.Check(key, value) }
