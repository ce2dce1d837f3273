package runtype

// Person is a person who acts on runs. The ID is their identity: it is recorded and compared, by [SamePerson].
// The Name is only displayed.
type Person struct {
	ID   string // their identity
	Name string // for display; defaults to the ID
}

// AsPerson is [As] with a display name.
func AsPerson(p Person) AnswerOption {
	return func(o *AnswerOptions) {
		o.By, o.Name = p.ID, ""
		if p.Name != p.ID {
			o.Name = p.Name
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
