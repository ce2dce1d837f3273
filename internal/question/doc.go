// Package question says who may do what about a question (laws H2 and H4 to H7), and in which form answers are checked
// and stored. It knows no store and no run.
//
//	hold, overrides, ok := question.Entitled(q, question.Answer, by, roles)
package question
