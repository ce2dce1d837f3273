// Package question decides who may do what about a question (laws H2 and H4 to H7). It also checks answers and brings
// them into the form that is stored. It knows no store and no run.
//
//	hold, overrides, ok := question.Entitled(q, question.Answer, by, roles)
package question
