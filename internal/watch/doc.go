// Package watch lets all readers of a process share one watch of its store:
//
//	room := watch.New(store, wake, failed)
//	leave := room.Join("run_1") // wake("run_1") is called soon after another process has written to it
//	defer leave()
//
// While anybody has joined, the room holds one watch, however many they are; a write to one run wakes only its own
// readers (law E1). It reads no journal: where a store may miss a write, it asks now and then how far the runs have come.
package watch
