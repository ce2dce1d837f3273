// Package persistent keeps lists and maps whose versions share memory. A method never changes its receiver: it returns
// the next version, which shares with the receiver all that did not change. Package state gives them types, and package
// internal/value writes and compares them.
//
// A list is a tree of 32 branches with leaves of 32 elements, and a tail. Appending writes behind the elements of the
// tail where no other version has done so, so that it copies nothing most of the time:
//
//	next := list.Append(kind, unsafe.Pointer(&item), 1)
//
// A map is a B-tree in the order of its keys. [Diff] and [DiffMaps] visit what differs between two versions, and skip
// all that the two share.
//
// Elements are finalized on their way in and copied on their way out ([Kind]), so that nothing leads from outside into
// the memory of a list or map. The package knows no JSON and no plan, and it never changes memory that a version can
// reach.
package persistent
