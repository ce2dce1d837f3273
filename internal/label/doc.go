// Package label says which labels a run can have (law J13).
//
//	err := label.Check("team", "red")
package label
