// Package form turns the JSON Schema of an answer into fields that a person can fill in, and what they filled in
// into the answer: strings, enums, booleans and numbers, in objects nested one level; anything else is written as
// JSON, in the person's own editor where they like.
//
// [New] reads the schema, [Form.Answer] builds the answer. [Terminal] shows a form in a terminal, [Lines] asks for it
// line by line where nothing can be redrawn.
package form
