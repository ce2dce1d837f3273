// Package bank is a room of its own: what its functions do is known to others by facts.
package bank

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/fermata-go/fermata/node"
)

// Pay asks the bank for money.
func Pay(url string) error {
	resp, err := http.Post(url, "text/plain", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Confirm asks a person.
func Confirm(ctx node.Context, text string) (bool, error) {
	return node.Interrupt[bool](ctx, text)
}

// Today is the date of the machine.
func Today() string { return time.Now().Format(time.DateOnly) }

// Number makes up a number.
func Number() string { return "order-" + uuid.NewString() }
