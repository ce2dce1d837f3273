// Package definitiontest checks that a published JSON Schema fits editors and its loader.
//
//	doc := definitiontest.Schema(t, recipe.Schema())
//	doc.Explains(t, 100)
//
// [Find] finds the files of definitions, and [Run] runs the tests that they hold, for the packages that users call for that.
//
// Tests, and packages for tests, import it, and nothing else does. It knows no kind of definition.
package definitiontest
