package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the cause of a context that Ctrl-C ended.
var errInterrupted = errors.New("interrupted")

// stopping are the signals that ask a command to end.
var stopping = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// stoppable is a context that Ctrl-C ends, for what does nothing that would have to be ended with care.
func stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, stopping...)
}

// untilTold is a context that the first Ctrl-C ends, for what is then brought to a rest; the second ends the process. It
// calls first and second before it does so.
func (m *Main) untilTold(ctx context.Context, first, second func()) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	caught, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(caught, stopping...)
	go func() {
		for told := false; ; told = true {
			select {
			case <-done:
				return
			case <-caught:
			}
			if told {
				second()
				m.Exit(exitPaused)
				continue
			}
			first()
			cancel(errInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		close(done)
		cancel(nil)
	}
}
