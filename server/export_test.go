package server

// Routes are the patterns of all that a handler serves.
func Routes() []string {
	var list []string
	for pattern := range new(handler).routes() {
		list = append(list, pattern)
	}
	return list
}
