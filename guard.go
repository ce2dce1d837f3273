package fermata

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// panicked turns a panic of the author's code into the error of the function that defers it (law N7).
func panicked(err *error) {
	if v := recover(); v != nil {
		*err = &node.PanicError{Value: v, Stack: debug.Stack()}
	}
}

// captured takes an error of the author's code over: its methods may panic wherever it is looked at (law N7).
func captured(err *error) {
	if *err != nil {
		*err = fault.Capture(*err)
	}
}

// outside calls a function of the program's that the engine needs on a goroutine which is not the program's to end. It has a
// goroutine of its own: a panic is a *node.PanicError, and that it ended the goroutine ErrGoexit (law N7). Its error may be
// asked anything: see [captured].
func outside(f func() error) error {
	return onItsOwn(func() (err error) {
		defer captured(&err)
		defer panicked(&err)
		return f()
	})
}

// ignored calls a function of the program's that only looks on. Where it does not return, that is logged, and all goes on
// without it (law N7).
func ignored(log *slog.Logger, what, run string, f func()) {
	err := outside(func() error { f(); return nil })
	if err == nil {
		return
	}
	attrs := []any{"run", run, "error", err}
	if crash, ok := errors.AsType[*node.PanicError](err); ok {
		attrs = append(attrs, "stack", string(crash.Stack))
	}
	log.Error(what+" has not returned; it is ignored", attrs...)
}

// encoded is Encode of a codec, which may call methods of the author's (law N7).
func encoded(codec plan.Codec, value any) (data []byte, err error) {
	defer captured(&err)
	defer panicked(&err)
	return codec.Encode(value)
}

// decoded is Decode of a codec, which may call methods of the author's (law N7).
func decoded(codec plan.Codec, data []byte) (value any, err error) {
	defer captured(&err)
	defer panicked(&err)
	return codec.Decode(data)
}

// copied is Copy of a codec, which may call methods of the author's (law N7).
func copied(codec plan.Codec, value any) (own any, err error) {
	defer captured(&err)
	defer panicked(&err)
	return codec.Copy(value)
}
