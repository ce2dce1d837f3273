package form

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/printable"
)

// shown is a field as it may be shown (law H9): nothing that a recipe or a person wrote acts, and no two options look the
// same. Its options stand in the same places.
func (f *Field) shown() Field {
	s := *f
	s.Title, s.Help = printable.Line(f.Title), paragraph(f.Help)
	s.Options = slices.Clone(f.Options)
	looks := make(map[string]int)
	for _, o := range f.Options {
		looks[identity.Key(o.Label)]++
	}
	for i, o := range f.Options {
		s.Options[i].Label = printable.Line(o.Label)
		if looks[identity.Key(o.Label)] > 1 && strings.ContainsFunc(o.Label, identity.IsInvisible) {
			s.Options[i].Label = strconv.QuoteToASCII(o.Label)
		}
	}
	return s
}

// paragraph is a text of several lines, each of which stands where the first one does.
func paragraph(text string) string { return strings.ReplaceAll(printable.Escape(text), "\n", "\n  ") }

// editable is a text as it can be shown in a field. One that would act is shown escaped, and is what it was unless it is
// edited.
type editable struct{ given, shown string }

func (e *editable) load(text string) string {
	e.given, e.shown = text, printable.Escape(text)
	return e.shown
}

// read is what the field holds when it shows text.
func (e *editable) read(text string) string {
	if text == e.shown {
		return e.given
	}
	return text
}

// shownError says what is wrong, as it may be shown.
type shownError struct{ error }

func (e shownError) Error() string { return printable.Escape(e.error.Error()) }
