// Package recipetest runs the tests that recipes hold. [Run] is for go test, and [Check] for programs, as the command
// fermata test.
//
//	func TestRecipes(t *testing.T) {
//		recipetest.Run(t, recipetest.Options{Crash: true}, "recipes")
//	}
//
// A test runs the recipe's own plan on the engine itself, in memory, with a clock that goes on when the run waits for
// nothing but time: deadlines of days take no time. No program is run, and no service, server or model is called,
// unless the test says so for an agent; what stands in for agents, and what models say, is in the test.
//
// With [Options.Crash] each test is repeated, with the engine stopped before and after everything that it stores and
// started again: the run must have the same result, with every agent having taken effect once (laws J4 and J5). It is
// what fermatatest.Crash does for any plan.
package recipetest
