package form

// FormsOf are the forms within a field: those of its alternatives, or that of an item.
func FormsOf(f *Field) []*Form {
	made := make([]*Form, len(f.forms))
	for i := range f.forms {
		made[i] = f.forms[i]()
	}
	return made
}
