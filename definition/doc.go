// Package definition holds what all loaders of definitions say of a file that is wrong: [Problem], with its place and the
// nearest name, and [Error], which is all of them at once. Who shows problems to people needs to know no more than this,
// whatever kind of definition it is:
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
