package dataflow

import (
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/node"
)

// Reducer makes one value of chunks.
type Reducer[T, A any] struct {
	begin func() (add func(T), result func() A)
}

// Join makes one text of chunks of text.
func Join() Reducer[string, string] {
	return Reducer[string, string]{func() (func(string), func() string) {
		var b strings.Builder
		return func(chunk string) { b.WriteString(chunk) }, b.String
	}}
}

// List makes a list of chunks.
func List[T any]() Reducer[T, []T] {
	return Reducer[T, []T]{func() (func(T), func() []T) {
		all := []T{}
		return func(chunk T) { all = append(all, chunk) }, func() []T { return all }
	}}
}

// Reduce adds each chunk to what the chunks before it have made, beginning with the zero value.
func Reduce[T, A any](add func(sum A, chunk T) A) Reducer[T, A] {
	return Reducer[T, A]{func() (func(T), func() A) {
		var sum A
		return func(chunk T) { sum = add(sum, chunk) }, func() A { return sum }
	}}
}

// Stream is a node that brings its value in chunks. Each is shown as an event as it comes (text.delta: a chunk of text as it
// is, on the channel "answer"; any other as a line of JSON, on the channel "json"); what the reducer makes of all of them is
// the value that the node writes, stored once (law E2). An error ends the stream and fails the attempt.
func Stream[In, T, A any](name, output string, f func(ctx node.Context, in In) iter.Seq2[T, error], reduce Reducer[T, A], opts ...NodeOption) *NodeDef {
	return Func(name, output, func(ctx node.Context, in In) (A, error) {
		add, result := reduce.begin()
		var none A
		segment, err := node.Chunks(ctx, channelOf[T]())
		if err != nil {
			return none, err
		}
		for chunk, err := range f(ctx, in) {
			if err != nil {
				return none, err
			}
			text, err := shown(chunk)
			if err == nil {
				err = segment.Write(text)
			}
			if err != nil {
				return none, err
			}
			add(chunk)
		}
		return result(), segment.Close()
	}, append([]NodeOption{checkStream(f == nil, reduce.begin == nil)}, opts...)...)
}

func checkStream(noFunction, noReducer bool) NodeOption {
	return func(d *NodeDef) {
		if noFunction {
			d.errs = append(d.errs, missing(true))
		}
		if noReducer {
			d.errs = append(d.errs, fmt.Errorf("it has no reducer; use Join, List or Reduce"))
		}
	}
}

func channelOf[T any]() string {
	if reflect.TypeFor[T]().Kind() == reflect.String {
		return "answer"
	}
	return "json"
}

// shown is a chunk as an event shows it.
func shown[T any](chunk T) (string, error) {
	if v := reflect.ValueOf(&chunk).Elem(); v.Kind() == reflect.String {
		return v.String(), nil
	}
	data, err := canonical.Marshal(chunk, 0)
	if err != nil {
		return "", fmt.Errorf("chunk: %w: %w", node.ErrNotStorable, err)
	}
	return string(data) + "\n", nil
}
