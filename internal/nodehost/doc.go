// Package nodehost is what the engine and package node say to each other.
//
// Package node calls a [Host] for each recorded call of a node function: the engine implements one over a run's
// journal, and package fermatatest one in memory. An [Op] is one such call, and its identity says where it was made.
//
//	op, err := host.Begin(pass, nodehost.KindStep, "charge") // op.ID is "step:charge#1"
//	if err == nil && !op.Done {
//		err = host.Record(pass, op, []byte(`{"receipt":"R1"}`), "")
//	}
//
// Users see none of this but the types that package node has aliases for. The package imports neither node nor any room
// of the engine.
package nodehost
