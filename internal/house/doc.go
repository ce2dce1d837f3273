// Package house holds the rules of this repository as tests. They cover imports between packages ([imports]), the
// length of files and functions and the comments of packages ([tidy]), and that laws, documents and tests name each
// other rightly ([laws]). It has no code of its own.
//
//	go test ./internal/house      # or: make house
//
// A rule is data at the top of its test. A change that needs another rule changes the data, and says there why.
//
// [imports]: https://github.com/fermata-go/fermata/blob/main/internal/house/imports_test.go
// [tidy]: https://github.com/fermata-go/fermata/blob/main/internal/house/tidy_test.go
// [laws]: https://github.com/fermata-go/fermata/blob/main/internal/house/laws_test.go
package house
