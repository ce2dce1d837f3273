// Package nearest suggests the intended name in messages about an unknown name.
//
//	fmt.Errorf("no node %q%s", found, nearest.Hint(found, names)) // no node "reveiw"; did you mean "review"?
package nearest
