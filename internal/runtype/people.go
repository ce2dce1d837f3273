package runtype

// Person is a person who acts on runs. The ID is their identity: it is recorded and compared, by [SamePerson].
// The Name is only displayed.
type Person struct {
	ID   string // their identity
	Name string // for display; defaults to the ID
}

// AsPerson names the person who answers; it is recorded. A string is the person's id or name, a [Person] also has a
// display name.
func AsPerson[P string | Person](p P) AnswerOption {
	var who Person
	switch p := any(p).(type) {
	case string:
		who.ID = p
	case Person:
		who = p
	}
	return func(o *AnswerOptions) {
		o.By, o.Name = who.ID, ""
		if who.Name != who.ID {
			o.Name = who.Name
		}
	}
}

// Assignment names who is asked from now on, and why.
type Assignment struct {
	Person string // id of the one person who may answer; "" for anyone in the role
	Name   string // for display, if it is not Person
	Role   string // that the question asks for
	Note   string // why; for the record
}
