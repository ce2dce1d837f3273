// Package nearest finds the name that somebody probably meant, for messages about a name that does not exist.
//
//	fmt.Errorf("no node %q%s", found, nearest.Hint(found, names)) // no node "reveiw"; did you mean "review"?
package nearest
