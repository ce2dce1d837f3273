// Package form turns the JSON Schema of an answer into fields that a person can fill in, and what they filled in
// into the answer: texts, choices, numbers, in objects nested as deep as they are; lists with a form for each item;
// one of several forms; and members of any name. What is wrong with a field is said where it is. Only what none of these
// can hold is written as JSON, in the person's own editor where they like.
//
// [New] reads the schema, [Form.Answer] builds the answer, and [Ask] asks for it. [Terminal] shows a form in a terminal,
// [Lines] asks for it line by line where nothing can be redrawn.
package form
