package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// Directory knows the customers.
type Directory interface {
	Find(ctx context.Context, customer string) (Account, error)
}

// Account is what it knows.
type Account struct {
	Name  string `json:"name"`
	Plan  string `json:"plan,omitempty"`
	Since int    `json:"since,omitempty"`
}

func (a Account) String() string {
	if a.Plan == "" {
		return a.Name
	}
	return fmt.Sprintf("%s, %s since %d", a.Name, a.Plan, a.Since)
}

// Outbox sends mail.
type Outbox interface {
	// Send sends a text once for a key, and returns where it went.
	Send(ctx context.Context, to, text, key string) (string, error)
}

// cards is a directory in memory that is away for the first few calls.
type cards struct {
	away atomic.Int64 // how many calls it will not answer
}

var errAway = errors.New("the directory does not answer")

func (c *cards) Find(_ context.Context, customer string) (Account, error) {
	if c.away.Add(-1) >= 0 {
		return Account{}, errAway
	}
	known := map[string]Account{
		"ann": {"Ann Miller", "Pro", 2021},
		"bo":  {"Bo Olsen", "Basic", 2024},
	}
	if a, ok := known[strings.ToLower(customer)]; ok {
		return a, nil
	}
	return Account{Name: customer}, nil
}

// mailbox is an outbox that is a file.
type mailbox struct {
	path string
}

func (m mailbox) Send(_ context.Context, to, text, key string) (string, error) {
	f, err := os.OpenFile(m.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "To: %s\nKey: %s\n\n%s\n\n", to, key, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return "to " + to + ", in " + m.path, nil
}
