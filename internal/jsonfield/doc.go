// Package jsonfield says which members encoding/json gives a struct: names, options, embedded structs flattened, the
// fields that hide one another left out. Packages that must agree with encoding/json about a type (its schema, what
// changed in its values) ask here, once per type.
package jsonfield
