// Package corpora measures how dialogues understand people, on public test data.
//
// The data is no part of the project. It is in the folder that the environment variable FERMATA_CORPORA names, or in ../shared/corpora beside the
// project. Without it the measure skips, and says so. Each corpus has one file of tests here, which makes a [Table]: how
// many texts were understood rightly, how many were asked about, and how many were taken for something else. A table fails
// where more is wrong than testdata/budget.txt allows, because a wrong value costs more than a question.
//
//	make corpora
package corpora
