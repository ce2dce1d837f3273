// Package schema relates Go types, JSON Schemas (draft 2020-12) and checked values.
package schema
