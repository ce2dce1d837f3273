// Package policy holds what the runs of a process share: pools and cached outcomes (law D13). It calls no node.
//
//	err := policies.Covers(run, plan)
package policy
