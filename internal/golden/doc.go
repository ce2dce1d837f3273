// Package golden compares the results of tests with files in testdata, and rewrites them with -update.
//
// Most of the files are txtar archives, one for each topic:
//
//	One line or more that say what the topic is.
//	-- tabs.yaml --
//	a:	1
//	-- tabs.golden --
//	tabs.yaml:1:3: a tab: indent with spaces
//
// A test opens the archives of a folder, reads the cases from them, and compares what it makes of each:
//
//	cases := golden.Open(t, "testdata/errors/*.txtar")
//	for _, name := range cases.Names("*.yaml") {
//		_, err := Parse(cases.Text(t, name), name)
//		cases.Compare(t, golden.Beside(name, ".golden"), err.Error()+"\n")
//	}
//
// A new case is a new section in the archive of its topic, with an empty one for its golden: go test -update fills it.
// Sections keep their order, and archives their comments.
//
// [File] compares a text with a file of its own, for those that people open by themselves.
//
// The package registers the flag -update, so only tests import it. It imports nothing of this module.
package golden
