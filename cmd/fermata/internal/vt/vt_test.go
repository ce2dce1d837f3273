package vt_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/vt"
)

func TestTerminal(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"lines", "a\r\nb\r\n", "a\nb\n"},
		{"wrap", "abcdefgh\r\nx", "abcdef\ngh\nx\n"},
		{"exactly as wide", "abcdef\r\nx", "abcdef\nx\n"},
		{"redraw", "one\r\ntwo\r\n\x1b[2Athree\x1b[K\r\n\x1b[J", "three\n"},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", "1\n2\n3\n4\n5\n"},
		{"styles and modes", "\x1b[?25l\x1b[1;31mred\x1b[m\x1b[?2026$p", "red\n"},
		{"erase", "abcdef\r\x1b[2C\x1b[2X\x1b[1P", "ab ef\n"},
		{"wide", "日本\r\n", "日本\n"},
		{"titles", "\x1b]0;title\x07a\x1b]0;x\x1b\\b", "ab\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := vt.New(6, 4)
			_, _ = whole.Write([]byte(tt.in))
			if diff := cmp.Diff(tt.want, whole.Text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			byByte := vt.New(6, 4)
			for i := range len(tt.in) {
				_, _ = byByte.Write([]byte{tt.in[i]})
			}
			if diff := cmp.Diff(whole.Text(), byByte.Text()); diff != "" {
				t.Errorf("byte by byte (-whole +bytes):\n%s", diff)
			}
			if len(whole.Unknown()) > 0 {
				t.Errorf("not understood: %q", whole.Unknown())
			}
		})
	}
}

func FuzzTerminal(f *testing.F) {
	f.Add([]byte("a\x1b[2Jb\x1b[99;99Hc\x1b[5X\x1b[3P\x1b[3@\x1b[9b日"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		term := vt.New(6, 4)
		_, _ = term.Write(data)
		term.Resize(3)
		_, _ = term.Write(data)
	})
}
