package printable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/printable"
)

// bare is a handler that writes what it is given as it is.
type bare struct {
	slog.Handler
	out *bytes.Buffer
}

func (b bare) Enabled(context.Context, slog.Level) bool { return true }

func (b bare) Handle(_ context.Context, r slog.Record) error {
	b.out.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(b.out, " %s=%v", a.Key, a.Value)
		return true
	})
	b.out.WriteString("\n")
	return nil
}

func (b bare) WithAttrs(attrs []slog.Attr) slog.Handler {
	fmt.Fprintf(b.out, "%v ", attrs)
	return b
}

func (b bare) WithGroup(name string) slog.Handler {
	b.out.WriteString(name + " ")
	return b
}

type valuer string

func (v valuer) LogValue() slog.Value { return slog.StringValue(string(v)) }

// TestH9_NoLogLineActs: whatever is logged, and whatever writes it, nothing acts; what is harmless stays as it is.
func TestH9_NoLogLineActs(t *testing.T) {
	const bad = "x\x1b[2J\x1b]0;t\x07\u009b31m\u202egpj\u2066\u2028\x7f\r"
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"JSON": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		"bare": func(b *bytes.Buffer) slog.Handler { return bare{out: b} },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			log := printable.Logger(printable.Logger(slog.New(handler(&b))))
			log.Info(bad, "k", bad, bad, 1, "e", errors.New(bad), "v", valuer(bad), slog.Group("g", "k", bad, slog.Group(bad, "k", bad)))
			log.With("w", bad, bad, 2).WithGroup(bad).Warn("m", "k", bad)
			log.Info("plain äöü 日本", "n", 7, "e", errors.New("plain"))
			text := b.String()
			if i := strings.IndexFunc(text, func(r rune) bool { return printable.Acts(r) && r != '\n' }); i >= 0 {
				t.Errorf("it acts: %q", text[max(0, i-20):min(len(text), i+20)])
			}
			if strings.Count(text, "gpj") < 10 || !strings.Contains(text, "plain äöü 日本") {
				t.Errorf("not all is shown: %q", text)
			}
		})
	}
	if printable.Logger(nil) != nil {
		t.Error("no logger is one")
	}
}
