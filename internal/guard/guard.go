package guard

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Recover turns a panic into the error of the deferring function (law N7).
func Recover(err *error) {
	if v := recover(); v != nil {
		*err = &node.PanicError{Value: v, Stack: debug.Stack()}
	}
}

// Capture makes an author's error safe: its methods may panic wherever they are called (law N7).
func Capture(err *error) {
	if *err != nil {
		*err = fault.Capture(*err)
	}
}

// Call calls a function of the program on a goroutine of its own. A panic becomes a *node.PanicError, an ended
// goroutine ErrGoexit (law N7). The returned error is safe to use: see [Capture].
func Call(f func() error) error {
	return OnOwnGoroutine(func() (err error) {
		defer Capture(&err)
		defer Recover(&err)
		return f()
	})
}

// CallLogged calls a function of the program that only observes. A panic or an ended goroutine is logged (law
// N7).
func CallLogged(log *slog.Logger, what, run string, f func()) {
	err := Call(func() error { f(); return nil })
	if err == nil {
		return
	}
	attrs := []any{"run", run, "error", err}
	if crash, ok := errors.AsType[*node.PanicError](err); ok {
		attrs = append(attrs, "stack", string(crash.Stack))
	}
	log.Error(what+" has not returned; it is ignored", attrs...)
}

// Encode calls a codec's Encode, which may run the author's methods (law N7).
func Encode(codec plan.Codec, value any) (data []byte, err error) {
	defer Capture(&err)
	defer Recover(&err)
	return codec.Encode(value)
}

// Decode calls a codec's Decode, which may run the author's methods (law N7).
func Decode(codec plan.Codec, data []byte) (value any, err error) {
	defer Capture(&err)
	defer Recover(&err)
	return codec.Decode(data)
}

// Copy calls a codec's Copy, which may run the author's methods (law N7).
func Copy(codec plan.Codec, value any) (own any, err error) {
	defer Capture(&err)
	defer Recover(&err)
	return codec.Copy(value)
}

// OnOwnGoroutine calls a function that may end its goroutine, on one of its own.
func OnOwnGoroutine(f func() error) error {
	err, done := runtype.ErrGoexit, make(chan struct{})
	go beside(f, &err, done)
	<-done
	return err
}

// beside is the goroutine of OnOwnGoroutine. Close finds its caller by this function's name: see isInside.
func beside(f func() error, err *error, done chan<- struct{}) {
	defer close(done)
	*err = f()
}

// Result calls an author's function and turns a panic into an error (law N7). The returned error is safe to
// use: see [Capture].
func Result(f func() (any, error)) (value any, err error) {
	defer Capture(&err)
	defer Recover(&err)
	return f()
}
