// Package release holds the tests of the recipe in this folder. It has no code of its own.
package release
