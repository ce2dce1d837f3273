package value

// Error says that a value or a type cannot be kept (law N8).
type Error struct {
	Path   string // where: "Ticket.Items[3].Done"; in dynamic values a JSON pointer
	Reason string // why it cannot be kept
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// failure is an Error whose place is not known yet.
type failure struct {
	reason string // why it cannot be kept
	large  bool   // it takes more than the limit, in bytes
	limit  int    // in bytes, if large
}

func (f *failure) Error() string { return f.reason }

// readError is an Error about JSON that a type cannot read, with its cause.
type readError struct {
	where *Error // place in the value
	cause error  // of the decoder
}

func (e *readError) Error() string { return e.where.Error() }

// Unwrap lets errors.As find both.
func (e *readError) Unwrap() []error { return []error{e.where, e.cause} }

func unreadable(what string, cause error) error {
	return &readError{&Error{what, "cannot be read: " + cause.Error()}, cause}
}
