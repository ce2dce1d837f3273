// Package jsonfield lists the members that encoding/json gives a struct. It knows names, options, flattened embedded
// structs, and fields that hide one another. Packages that must agree with encoding/json about a type (its schema, what
// changed in its values) ask here, once per type.
package jsonfield
