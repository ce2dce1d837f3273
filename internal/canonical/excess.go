package canonical

import (
	"fmt"
	"strconv"
	"strings"
)

// MostBytes is how much JSON one value may take where no other limit is set.
const MostBytes = 64 << 20

// Step is one step of the way from a value to a part of it.
type Step struct {
	Name   string   // of the member, "" for an element of a list
	Fields []string // of a member of a struct: the Go fields that lead to it
	Index  int      // of an element, -1 for a member
}

// Excess says that the JSON of a value takes more than its limit. Counting stopped once that was certain.
type Excess struct {
	Way   []Step // to the part that takes most of what was counted; none for the whole value
	Limit int    // in bytes, as the others
	Found int    // were counted: at least so many
	Part  int    // of these, in the part
}

func (e *Excess) Error() string {
	var b strings.Builder
	for _, s := range e.Way {
		b.WriteByte('/')
		if s.Index < 0 {
			b.WriteString(pointerName(s.Name))
		} else {
			b.WriteString(strconv.Itoa(s.Index))
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	return b.String() + e.Reason()
}

// Reason is the error without the path.
func (e *Excess) Reason() string {
	found := ""
	switch {
	case e.Part > 0 && e.Part < e.Found:
		found = fmt.Sprintf("; this part takes %s of the %s that were found so far", Size(e.Part), Size(e.Found))
	case e.Found > 0:
		found = fmt.Sprintf("; %s were found so far", Size(e.Found))
	}
	return "takes more than the limit of " + Size(e.Limit) + found + "; keep it elsewhere and store a reference to it, or raise Options.MaxValue"
}

// Size writes a number of bytes for people.
func Size(n int) string {
	if n < 1<<20 {
		return strconv.Itoa(n) + " bytes"
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func pointerName(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
