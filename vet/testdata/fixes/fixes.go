package fixes

import (
	"os"
	"time"

	"github.com/fermata-go/fermata/node"
)

type Order struct {
	ID string
	At time.Time
	OK bool
}

func send(text string) (string, error) { return text, os.WriteFile("sent", []byte(text), 0o600) }

func rename(ctx node.Context, o Order) (Order, error) {
	if err := os.Rename("a", "b"); err != nil { // want `os.Rename happens again`
		return o, err
	}
	receipt, err := send(o.ID) // want `send, which does os.WriteFile .* happens again`
	if err != nil {
		return o, err
	}
	o.OK, err = node.Interrupt[bool](ctx, receipt)
	return o, err
}

func wait(ctx node.Context, o Order) (Order, error) {
	at := time.Now()      // want `time.Now is a time of its own`
	time.Sleep(time.Hour) // want `time.Sleep waits again`
	ok, err := node.Interrupt[bool](ctx, o.ID)
	if err != nil {
		return o, err
	}
	o.OK, o.At = ok, at
	return o, nil
}
