// Package definition holds the problems of definition files: [Problem], with its place, and [Error]. Programs that show
// problems to people need only this package, for every kind of definition:
//
//	_, err := recipe.Load("refund.yaml", recipe.Options{})
//	if wrong, ok := errors.AsType[*definition.Error](err); ok {
//		for _, p := range wrong.Problems {
//			fmt.Println(p) // refund.yaml:12:5: there is no node "reveiw"; did you mean "review"?
//		}
//	}
//
// [PathError] is what a run says of a path that leads nowhere.
//
// The package never reads a file, and it knows no kind of definition.
package definition
