package fermata_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

var readKinds = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
	reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[[]byte](), reflect.TypeFor[time.Time](), reflect.TypeFor[any](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[json.Number](), reflect.TypeFor[big.Int](), reflect.TypeFor[invoice](),
}

// readType draws a type that reads its JSON by no code of its own.
func readType(t *rapid.T, deep int) reflect.Type {
	form := 0
	if deep > 0 {
		form = rapid.IntRange(0, 7).Draw(t, "form")
	}
	inner := func() reflect.Type { return readType(t, deep-1) }
	switch form {
	case 1:
		return reflect.SliceOf(inner())
	case 2:
		return reflect.ArrayOf(2, inner())
	case 3:
		return reflect.MapOf(rapid.SampledFrom([]reflect.Type{
			reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int64](), reflect.TypeFor[uint64](),
		}).Draw(t, "key"), inner())
	case 4:
		return reflect.PointerTo(inner())
	case 5, 6:
		var fields []reflect.StructField
		for i := range rapid.IntRange(1, 3).Draw(t, "fields") {
			tag := rapid.SampledFrom([]string{"", `json:",omitempty"`, `json:",omitzero"`}).Draw(t, "tag")
			fields = append(fields, reflect.StructField{Name: string(rune('A' + i)), Type: inner(), Tag: reflect.StructTag(tag)})
		}
		return reflect.StructOf(fields)
	}
	return rapid.SampledFrom(readKinds).Draw(t, "kind")
}

var (
	oddNumbers = []string{
		"0", "-0", "-0.0", "1", "1.0", "1e2", "-3E+0", "1.5", "127.0", "1.28e2", "-128", "255", "65536", "2147483648", "9223372036854775807.0",
		"9223372036854775808", "18446744073709551615", "1.8446744073709551616e19", "-1", "3.5e38", "3.4028235e38", "1e308", "1.8e308", "1e400", "1e-400",
	}
	oddTexts = []string{
		`""`, `"x"`, `"YQ=="`, `"YQ"`, `"!!!"`, `"YQ==\n"`, `"2026-01-01T00:00:00Z"`, `"2026-12-31T23:59:60Z"`, `"2026-01-01t00:00:00z"`,
		`"2026-01-01T00:00:00+24:00"`, `"2026-01-01T00:00:00.123456789123Z"`, `"2026-02-30T00:00:00Z"`, `"0000-01-01T00:00:00-23:59"`, `"\ud800"`, `"1"`,
	}
	oddNames = []string{"1", "01", "-1", "-0", "0", "9223372036854775808", "18446744073709551616", "a", "A", "1.0", ""}
)

// answerFor draws a text that looks like a value of the type, and mostly is one to JSON Schema.
func answerFor(t *rapid.T, typ reflect.Type, deep int) string {
	if deep <= 0 || rapid.IntRange(0, 15).Draw(t, "other") == 0 {
		return rapid.SampledFrom([]string{"null", "true", "{}", "[]", "1.0", `"x"`}).Draw(t, "anything")
	}
	inner := func(of reflect.Type) string { return answerFor(t, of, deep-1) }
	members := func(names []string, of func(name string) reflect.Type) string {
		if len(names) > 0 && rapid.IntRange(0, 7).Draw(t, "twice") == 0 {
			names = append(names, names[0])
		}
		all := make([]string, len(names))
		for i, name := range names {
			all[i] = strconv.Quote(name) + ":" + inner(of(name))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	switch typ {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte]():
		return rapid.SampledFrom(oddTexts).Draw(t, "text")
	case reflect.TypeFor[big.Int](), reflect.TypeFor[json.Number]():
		return rapid.SampledFrom(oddNumbers).Draw(t, "number")
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any]():
		return members(rapid.SliceOfN(rapid.SampledFrom(oddNames), 0, 2).Draw(t, "names"), func(string) reflect.Type { return reflect.TypeFor[float64]() })
	}
	switch typ.Kind() {
	case reflect.Bool:
		return "true"
	case reflect.String:
		return rapid.SampledFrom(oddTexts).Draw(t, "text")
	case reflect.Pointer:
		return inner(typ.Elem())
	case reflect.Slice, reflect.Array:
		items := make([]string, rapid.IntRange(1, 2).Draw(t, "items"))
		for i := range items {
			items[i] = inner(typ.Elem())
		}
		return "[" + strings.Join(items, " , ") + "]"
	case reflect.Map:
		return members(rapid.SliceOfN(rapid.SampledFrom(oddNames), 0, 3).Draw(t, "names"), func(string) reflect.Type { return typ.Elem() })
	case reflect.Struct:
		var names []string
		for f := range typ.Fields() {
			if f.Tag == "" || rapid.Bool().Draw(t, "there") {
				names = append(names, f.Name)
			}
		}
		return members(names, func(name string) reflect.Type {
			f, _ := typ.FieldByName(name)
			return f.Type
		})
	}
	return rapid.SampledFrom(oddNumbers).Draw(t, "number")
}

// For any type and any answer: the node reads the answer, or it is refused with a path and the question stays open.
func TestH2_AnyAnswerIsReadOrRefused(t *testing.T) {
	rt, _ := inMemory(t)
	rapid.Check(t, func(t *rapid.T) {
		typ := readType(t, 2)
		s, err := schema.Of(typ)
		if err != nil {
			t.Fatal(err)
		}
		reads := graph.Of("reads", func(ctx node.Context, s0 team) (team, error) {
			answer, err := node.Interrupt[json.RawMessage](ctx, nil, node.ResponseSchema(s.JSON()))
			if err != nil {
				return s0, err
			}
			d := json.NewDecoder(bytes.NewReader(answer))
			d.UseNumber()
			if err := d.Decode(reflect.New(typ).Interface()); err != nil {
				return s0, fmt.Errorf("%s cannot be read: %w", answer, err)
			}
			return s0, nil
		}).MustCompile()
		run, err := reads.Start(t.Context(), rt, team{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || len(res.Interrupts) != 1 {
			t.Fatal(res.Status, res.Err, err)
		}
		id := res.Interrupts[0].ID
		for {
			answer := answerFor(t, typ, 5)
			err := rt.Answer(t.Context(), id, json.RawMessage(answer))
			res, failed := run.Wait(t.Context())
			if failed != nil {
				t.Fatal(failed)
			}
			if err == nil {
				if res.Status != fermata.Completed {
					t.Fatalf("%s, for %s: %v", answer, typ, res.Err)
				}
				return
			}
			if wrong, ok := errors.AsType[*schema.Error](err); !ok || len(wrong.Problems) == 0 {
				t.Fatalf("%s, for %s: refused without a reason: %v", answer, typ, err)
			}
			if res.Status != fermata.Paused || len(res.Interrupts) != 1 || res.Interrupts[0].ID != id {
				t.Fatalf("%s, for %s, is refused, and the run is %s with %v", answer, typ, res.Status, res.Interrupts)
			}
			if rapid.IntRange(0, 3).Draw(t, "leave it") == 0 {
				return
			}
		}
	})
}
