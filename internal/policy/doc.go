// Package policy holds what the nodes of all runs of a process share: places in pools and cached outcomes
// (law D13). It calls no node.
//
//	err := policies.Covers(run, plan)
package policy
