// Package recipes is a gallery of recipes in YAML and JSON, each with its tests: see README.md. It has no code of its
// own; its test runs the tests of all of them.
package recipes
