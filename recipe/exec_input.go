package recipe

import (
	"bytes"
	"io"
	"os"
	"os/exec"
)

// pipeRoom is what a pipe holds on every system before a writer has to wait.
const pipeRoom = 4 << 10

// setInput gives the program its standard input whole, before it starts. A goroutine that writes it while the program
// runs would end with this process: the program would see a piece of it, or nothing, as if that were all, and might do
// something else than it was asked, under the key of what it was asked. The returned function closes what is not
// needed once the program has started.
func setInput(cmd *exec.Cmd, input []byte) (done func()) {
	r, err := inputFile(input)
	if err != nil { // no room for files: rather so than not at all
		cmd.Stdin = bytes.NewReader(input)
		return func() {}
	}
	cmd.Stdin = r
	return func() { _ = r.Close() }
}

func inputFile(input []byte) (*os.File, error) {
	if len(input) <= pipeRoom {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if _, err = w.Write(input); err == nil {
			err = w.Close()
		}
		return r, err
	}
	f, err := os.CreateTemp("", "fermata-input-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }() // the program keeps it open
	if _, err = f.Write(input); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
	}
	return f, err
}
