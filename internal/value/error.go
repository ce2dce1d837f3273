package value

import "fmt"

// Error says that a value or a type cannot be kept (law N8).
type Error struct {
	Path   string // where: "Ticket.Items[3].Done"; in dynamic values a JSON pointer
	Reason string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// failure is an Error whose place is not known yet.
type failure struct {
	reason string
	large  bool
}

func (f *failure) Error() string { return f.reason }

// mebibytes writes a size for people.
func mebibytes(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
