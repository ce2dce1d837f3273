// Package steps has benchmarks of what most runs do. They compile with older revisions too.
//
// They use nothing but what users have had from the beginning, so that one text measures a revision of long ago and this
// tree alternately:
//
//	make bench-against PKG=./bench/steps REV=6fb52d0
//
// The tables of package bench say more, about fewer revisions.
package steps
