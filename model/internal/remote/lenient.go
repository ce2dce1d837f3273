package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// Decode decodes the JSON object of an event. Members that have another type than expected are left out, since
// services differ in what they send beside a reply; only text that is no JSON object is an error. null is no error.
func Decode(data []byte, to any) error {
	err := json.Unmarshal(data, to)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		return nil
	}
	return err
}

// DecodeObject decodes a member that may be missing or something else than an object. It reports whether it is one.
func DecodeObject(raw json.RawMessage, to any) bool {
	return bytes.HasPrefix(raw, []byte("{")) && Decode(raw, to) == nil
}

// Text is a string member. Some services send a number or an object in place of the string that holds it: then it is
// that JSON.
type Text string

// UnmarshalJSON takes any JSON; null is "".
func (t *Text) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] != '"':
		if !bytes.Equal(data, []byte("null")) {
			*t = Text(data)
		}
		return nil
	case !bytes.ContainsRune(data, '\\') && utf8.Valid(data):
		*t = Text(data[1 : len(data)-1])
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// Number is an integer member. Some services send it as a string or with a fraction.
type Number int64

// UnmarshalJSON takes any JSON; the value is 0 if it is not a number.
func (n *Number) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = Number(i)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(f):
		*n = 0
	case f >= math.MaxInt64:
		*n = math.MaxInt64
	case f <= math.MinInt64:
		*n = math.MinInt64
	default:
		*n = Number(f)
	}
	return nil
}
