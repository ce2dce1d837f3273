package question

// Token is the resume token of an interrupt (law H5).
type Token struct {
	Interrupt string // its id
	Secret    string // the token
}

// Tokens are those of the interrupts that an execution has opened: a few.
type Tokens []Token

// Of returns the token of an interrupt, "" if another execution has opened it.
func (l Tokens) Of(interrupt string) string {
	for i := range l {
		if l[i].Interrupt == interrupt {
			return l[i].Secret
		}
	}
	return ""
}
