package schema

import "slices"

// CheckPartial checks an unfinished value, such as a form that a person is filling in. It returns an *Error with the
// problems that no later addition can solve: wrong types, properties that are not allowed, too many items or
// characters. Members and items may be missing at every level, and a string may be the beginning of one: of the word
// "high" among several, "hi" will do, and no pattern or format is asked for. Numbers, true, false and null are taken to
// be what they are going to be, and are checked in full.
//
// Of several alternatives one has to be left that all parts of the value may fit: a member "type" with a value that none
// of them allows is refused, and so is one that does not go with the members before it.
//
// Rules beyond the parts of a value, such as "not", "if" or that just one alternative may fit, is not looked at before
// the value is whole: that is for [Schema.Check]. All that a [Stream] shows passes, but for the null that it leaves of
// a whole that was refused.
//
// A nil Schema allows any JSON.
func (s *Schema) CheckPartial(value []byte) error {
	st := s.Stream()
	st.lenient, st.silent = true, true
	d, err := st.Write(string(value))
	if err != nil {
		return err
	}
	last, err := st.Close()
	if err != nil {
		return err
	}
	if refused := slices.Concat(d.Refused, last.Refused); len(refused) > 0 {
		return newError(refused)
	}
	return nil
}
