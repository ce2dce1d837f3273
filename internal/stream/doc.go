// Package stream gives the live events of one run to its readers (laws E1 to E4). It never waits for a reader: one that
// falls behind reads what it has missed from the store. It knows the task that shows something as a Source alone.
//
//	r := s.Attach()
//	defer s.Detach(r)
package stream
