package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// Marshal is json.Marshal that also calls methods with a pointer receiver. It refuses maps in which two keys become one
// name: keys that are no UTF-8 do, because encoding/json writes U+FFFD for each byte that is none, and keys that write
// themselves may; times whose offset has seconds, which JSON has no place for; and values whose JSON takes more than
// limit bytes, 0 for [MostBytes]. Such a value is an [*Excess] and, unless it writes itself, not encoded (law N8).
func Marshal(v any, limit int) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	if limit <= 0 {
		limit = MostBytes
	}
	rv := reflect.ValueOf(v)
	f := formOf(rv.Type())
	if f.behind {
		p := reflect.New(f.typ)
		p.Elem().Set(rv)
		rv, v = p.Elem(), p.Interface()
	}
	if over := f.measure(rv, limit); over != nil {
		return nil, over
	}
	data, err := json.Marshal(v)
	switch {
	case err != nil:
		return nil, err
	case len(data) > limit:
		return nil, &Excess{Limit: limit, Found: len(data)}
	}
	keyed, err := oddities(f, rv)
	if err != nil {
		return nil, err
	}
	if !keyed && !bytes.Contains(data, []byte(`\ufffd`)) {
		return data, nil
	}
	if path, twice := repeated(data); twice {
		return nil, fmt.Errorf("%s: two keys of a map become this one name: %s", path, OneName)
	}
	return data, nil
}

// OneName says how two keys of a map become one name.
const OneName = "their MarshalText may write the same, and bytes that are no UTF-8 are written as U+FFFD"

// repeated finds an object that has a member twice, and gives the JSON pointer to it.
func repeated(data []byte) (path string, twice bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return repeatedIn(d, "")
}

func repeatedIn(d *json.Decoder, at string) (path string, twice bool) {
	token, err := d.Token()
	if err != nil {
		return "", false
	}
	open, _ := token.(json.Delim)
	seen := make(map[string]bool)
	for i := 0; open != 0 && d.More(); i++ {
		inner := fmt.Sprintf("%s/%d", at, i)
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return "", false
			}
			name, _ := key.(string)
			if inner = at + "/" + pointerName(name); seen[name] {
				return inner, true
			}
			seen[name] = true
		}
		if path, twice := repeatedIn(d, inner); twice {
			return path, true
		}
	}
	if open != 0 {
		_, _ = d.Token() // the closing one
	}
	return "", false
}

// Text is the text as it is read back from JSON: each byte that is no UTF-8 becomes U+FFFD.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
