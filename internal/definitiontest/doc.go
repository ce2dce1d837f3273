// Package definitiontest is what the tests of packages that load definitions have in common: files that hold what was made
// of definitions, see [Golden], and what a published JSON Schema owes to editors and to the loader, see [Schema].
//
//	definitiontest.Golden(t, "testdata/refund.golden", plan, *update)
//	doc := definitiontest.Schema(t, recipe.Schema())
//	doc.Explains(t, 100)
//
// [Run] runs the tests that definitions themselves hold, for the packages that users call for that.
//
// Tests, and packages for tests, import it, and nothing else does. It knows no kind of definition.
package definitiontest
