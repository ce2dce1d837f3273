// Package house holds the rules of this repository as tests: who may import whom ([imports]), how long a file and a
// function may be and what a package has to say for itself ([tidy]), and that laws, documents and tests name each
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
