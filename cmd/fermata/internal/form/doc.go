// Package form turns the JSON Schema of an answer into fields, and their entries into the answer. Fields are texts,
// choices, numbers, in objects nested as deep as they are; lists with a form for each item; one of several forms; and
// members of any name. A problem is shown at its field. Only values that none of these can hold are written as JSON, in
// the person's own editor if they like.
//
// [New] reads the schema, [Form.Answer] builds the answer, and [Ask] asks for it. [Terminal] shows a form in a terminal,
// [Lines] asks for it line by line where nothing can be redrawn.
package form
