package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/server"
)

// rascalLog is a handler of lines that does not return from any.
type rascalLog struct{ leave func() }

func (l rascalLog) Enabled(context.Context, slog.Level) bool  { l.leave(); return true }
func (l rascalLog) Handle(context.Context, slog.Record) error { l.leave(); return nil }
func (l rascalLog) WithAttrs([]slog.Attr) slog.Handler        { l.leave(); return l }
func (l rascalLog) WithGroup(string) slog.Handler             { l.leave(); return l }

// TestN7_WhoDecidesMayNotReturn has the functions of a program panic and end their goroutine that decide who reads what. A
// request is refused, a stream that is open ends, in which they are asked by a goroutine of the server's own, and the process
// serves on. So it does where the logger that is told of that does the same.
func TestN7_WhoDecidesMayNotReturn(t *testing.T) {
	for at, refused := range map[string]int{"Authorize": http.StatusInternalServerError, "Reads": http.StatusNotFound} {
		for how, leave := range lawtest.Leavings {
			for _, logs := range []bool{true, false} {
				t.Run(strings.Join([]string{at, how, map[bool]string{true: "logs", false: "whose logger does so, too"}[logs]}, "/"), func(t *testing.T) {
					var armed atomic.Bool
					does := func(what string) {
						if what == at && armed.Load() {
							leave()
						}
					}
					o := server.Options{
						Recheck: 5 * time.Millisecond, Heartbeat: time.Hour,
						Authorize: func(*http.Request) (server.Person, error) {
							does("Authorize")
							return server.Person{ID: "ada", Reads: func(fermata.RunInfo, *journal.Interrupt) bool { does("Reads"); return true }}, nil
						},
					}
					if !logs {
						o.Logger = slog.New(rascalLog{leave})
					}
					w := newWorld(t, fermata.Options{}, o)
					run := w.start(t, asks(), fermata.WithID("run_r"))
					question(t, run)
					stream := w.read(t, "/runs/run_r/events")
					armed.Store(true)
					ended := make(chan struct{})
					go func() {
						defer close(ended)
						stream.all(t)
					}()
					select {
					case <-ended:
					case <-time.After(soon):
						t.Fatal("a stream goes on, and nobody knows whether it may be read")
					}
					for range 3 {
						if status, reply := w.request(t, http.MethodGet, "/runs/run_r", ""); status != refused {
							t.Errorf("%d %s, want %d", status, reply, refused)
						}
					}
					armed.Store(false)
					if status, reply := w.request(t, http.MethodGet, "/runs/run_r", ""); status != http.StatusOK {
						t.Errorf("afterwards: %d %s", status, reply)
					}
					if logs && !strings.Contains(w.log.String(), "Options.Authorize") && !strings.Contains(w.log.String(), "Person.Reads") {
						t.Errorf("nobody is told why: %s", w.log)
					}
				})
			}
		}
	}
}
