package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// Misfit says why a value of this type need not fit another; "" where nothing speaks against it. at is the place
// within the value: "" for the whole.
func (t *Type) Misfit(want *Type, at string) string {
	subject := "it"
	if at != "" {
		subject = strconv.Quote(at)
	}
	if t.Kinds == 0 || want.Kinds == 0 || t == want || t.unknown() {
		return ""
	}
	if want.unknown() {
		return t.misfitLimits(want, subject)
	}
	if t.May(want.Kinds) {
		verb, found, hint := "is", t.String(), ""
		if !t.Never(want.Kinds) {
			verb = "may be"
			if t.kept != "" && want.Kinds&NullKind == 0 {
				found = "null" + t.because()
			}
		}
		if want.Kinds&fractionKind == 0 && want.Kinds&WholeKind != 0 && t.Kinds&fractionKind != 0 && t.Kinds&^NumberKind == 0 {
			hint = "; int(…) makes one of a number"
		}
		return fmt.Sprintf("%s %s %s, expected %s%s", subject, verb, found, want, hint)
	}
	if why := t.misfitValues(want, subject); why != "" {
		return why
	}
	if t.Kinds&ObjectKind != 0 && want.Kinds&ObjectKind != 0 {
		if why := t.misfitMembers(want, at, subject); why != "" {
			return why
		}
	}
	if t.Kinds&ListKind != 0 && want.Kinds&ListKind != 0 && t.items != nil && want.items != nil {
		if why := t.items.Misfit(want.items, document.Join(at, "#")); why != "" {
			return why
		}
	}
	return t.misfitLimits(want, subject)
}

// misfitValues compares what is listed.
func (t *Type) misfitValues(want *Type, subject string) string {
	if want.Values == nil || t.Open {
		return ""
	}
	has, few := t.Listed()
	if !few {
		return fmt.Sprintf("%s may be any %s, expected %s", subject, strings.TrimPrefix(t.Kinds.String(), "a "), want)
	}
	for _, v := range has {
		if !slices.Contains(want.Values, v) {
			return fmt.Sprintf("%s %s %s, expected %s%s", subject, verbOf(has), literal(v), want, nearest.Hint(Text(v), TextsOf(want.Values)))
		}
	}
	return ""
}

func (t *Type) misfitMembers(want *Type, at, subject string) string {
	for _, name := range want.Names() {
		w, has := want.Fields[name], t.Member(name)
		switch {
		case w.Missing && has.Kinds == 0:
			continue
		case has.Kinds == 0:
			return fmt.Sprintf("%s has no member %q, which is required", subject, name)
		case has.Missing && !w.Missing && !has.Open:
			return fmt.Sprintf("%s need not have the member %q, which is required", subject, name)
		}
		if why := has.Misfit(w, document.Join(at, name)); why != "" {
			return why
		}
	}
	if want.Rest != nil || want.Open {
		return ""
	}
	for _, name := range t.Names() {
		if _, ok := want.Fields[name]; !ok && !t.Open && t.Fields[name].Kinds != 0 {
			return fmt.Sprintf("%s has a member %q, which is not allowed%s", subject, name, nearest.Hint(name, want.Names()))
		}
	}
	return ""
}
