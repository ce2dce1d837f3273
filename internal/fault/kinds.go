package fault

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Panic is the kind of an error that a panic caused. It has no sentinel: errors.As finds its type.
const Panic = "panic"

// Marks are what is kept of an error beside its text.
type Marks struct {
	Kinds   []string                   `json:"kinds,omitempty"`   // codes of the documented errors that errors.Is finds
	Details map[string]json.RawMessage `json:"details,omitempty"` // fields of the documented types that errors.As finds, by name
}

// kind is a documented error and the code that a journal knows it by. Codes never change.
type kind struct {
	code string
	err  error
}

// family is a type of errors that tell themselves apart by a text.
type family struct {
	prefix string
	text   func(err error) (string, bool)
	find   func(text string, target any) bool
	ask    func(as func(any) bool) (code string, ok bool) // of an error that says by its As method that it is one
}

// kept is a documented type of errors whose fields are kept.
type kept struct {
	name   string
	encode func(err error) (data []byte, ok bool)                  // of an error of the type
	ask    func(as func(any) bool) (data []byte, ok bool)          // of an error that says by its As method that it is one
	find   func(data []byte, target any, whole error) (found bool) // sets what target points to
}

// All packages add to these while their variables are initialized, and nobody does later.
var (
	kinds    []kind
	families []family
	types    []kept
	marked   []func(err error) *Marks
)

// Sentinel makes a documented error with a code that journals know it by.
func Sentinel(code, text string) error {
	err := errors.New(text)
	Register(code, err)
	return err
}

// Goexit says that a function ended its goroutine instead of returning. Package fermata documents it.
var Goexit = Sentinel("goexit", "the function called runtime.Goexit (testing.FailNow and Fatal do, too): return an error instead")

// Register gives a documented error a code that journals know it by.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func Register(code string, err error) bool {
	kinds = append(kinds, kind{code, err})
	return true
}

// RegisterAll is Register for several errors, by their codes.
func RegisterAll(all map[string]error) bool {
	codes := make([]string, 0, len(all))
	for code := range all {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		Register(code, all[code])
	}
	return true
}

// Family declares a type of errors that are strings, each of which is a kind. The code is the prefix and the string.
func Family[E interface {
	~string
	error
}](prefix string) bool {
	families = append(families, family{
		prefix: prefix,
		text: func(err error) (string, bool) {
			e, ok := err.(E) //nolint:errorlint // of this error: those that it wraps are asked one by one
			return string(e), ok
		},
		find: func(text string, target any) bool {
			to, ok := target.(*E)
			if ok {
				*to = E(text)
			}
			return ok
		},
		ask: func(as func(any) bool) (string, bool) {
			var e E
			if !as(&e) || e == "" {
				return "", false
			}
			return prefix + string(e), true
		},
	})
	return true
}

// Keep declares a type of errors whose exported fields are kept as encoding/json writes them.
func Keep[E error](name string) bool {
	return KeepAs(name, func(e E) E { return e }, func(e E, _ error) E { return e })
}

// KeepAs declares a type of errors of which a W is kept. The error is made again of that and of the whole error that it
// was found in.
func KeepAs[E error, W any](name string, to func(E) W, from func(w W, whole error) E) bool {
	encode := func(e E) ([]byte, bool) {
		data, err := json.Marshal(to(e))
		return data, err == nil && len(data) <= mostDetail
	}
	types = append(types, kept{
		name: name,
		encode: func(err error) ([]byte, bool) {
			if e, ok := err.(E); ok { //nolint:errorlint // Capture looks at each error of the tree
				return encode(e)
			}
			return nil, false
		},
		ask: func(as func(any) bool) ([]byte, bool) {
			var e E
			if !as(&e) {
				return nil, false
			}
			return encode(e)
		},
		find: func(data []byte, target any, whole error) bool {
			t, ok := target.(*E)
			if !ok {
				return false
			}
			var w W
			if json.Unmarshal(data, &w) != nil {
				return false
			}
			*t = from(w, whole)
			return true
		},
	})
	return true
}

// Marked declares how to read the marks of an error that has its own, recorded elsewhere.
func Marked(of func(err error) *Marks) bool {
	marked = append(marked, of)
	return true
}

// mostDetail is how many bytes are kept of one type's fields. What is larger is left out: the text says what there is.
const mostDetail = 64 << 10

// codeOf is the code of a documented error, "" for any other.
func codeOf(err error) string {
	for i := range kinds {
		if kinds[i].err == err { //nolint:errorlint // it is the identity that counts
			return kinds[i].code
		}
	}
	for i := range families {
		if text, ok := families[i].text(err); ok {
			return families[i].prefix + text
		}
	}
	return ""
}

// Of makes marks of a list of kinds; nil where there are none.
func Of(codes ...string) *Marks {
	codes = slices.DeleteFunc(codes, func(code string) bool { return code == "" })
	if len(codes) == 0 {
		return nil
	}
	return &Marks{Kinds: codes}
}

// Has reports whether a code is among the kinds.
func (m *Marks) Has(code string) bool { return m != nil && slices.Contains(m.Kinds, code) }

// Is reports whether a documented error is among the kinds.
func (m *Marks) Is(target error) bool {
	if m == nil || len(m.Kinds) == 0 {
		return false
	}
	code := codeOf(target)
	return code != "" && m.Has(code)
}

// As sets what target points to, where it is a documented type whose fields are kept. whole is the error that the marks
// belong to.
func (m *Marks) As(target any, whole error) bool {
	if m == nil {
		return false
	}
	for i := range types {
		if data, ok := m.Details[types[i].name]; ok && types[i].find(data, target, whole) {
			return true
		}
	}
	for i := range families {
		for _, code := range m.Kinds {
			if text, ok := strings.CutPrefix(code, families[i].prefix); ok && families[i].find(text, target) {
				return true
			}
		}
	}
	return false
}

// Without is the marks less some kinds and types; nil where nothing is left. A name that ends in a dot stands for a
// family.
func (m *Marks) Without(names ...string) *Marks {
	if m == nil {
		return nil
	}
	drop := func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return n == name || strings.HasSuffix(n, ".") && strings.HasPrefix(name, n)
		})
	}
	var left Marks
	for _, code := range m.Kinds {
		if !drop(code) {
			left.Kinds = append(left.Kinds, code)
		}
	}
	for name, data := range m.Details {
		if drop(name) {
			continue
		}
		if left.Details == nil {
			left.Details = make(map[string]json.RawMessage)
		}
		left.Details[name] = data
	}
	if len(left.Kinds)+len(left.Details) == 0 {
		return nil
	}
	return &left
}

// Recorded is an error that is only known from a journal.
type Recorded struct {
	Text  string
	Marks *Marks
}

func (e *Recorded) Error() string { return e.Text }

// Is reports whether target is one of the kinds.
func (e *Recorded) Is(target error) bool { return e.Marks.Is(target) }

// As finds the documented types whose fields are kept.
func (e *Recorded) As(target any) bool { return e.Marks.As(target, e) }
