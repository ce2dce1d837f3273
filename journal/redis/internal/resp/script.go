package resp

import (
	"context"
	"crypto/sha1" //nolint:gosec // Redis names scripts by it
	"encoding/hex"
	"errors"
	"strings"
)

// Script is a Lua script that a server runs as one command.
type Script struct{ text, sum string }

// NewScript is the script of a text.
func NewScript(text string) *Script {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // likewise
	return &Script{text: text, sum: hex.EncodeToString(sum[:])}
}

// BySum is the command that runs a script the server has. Where it has not, [Unknown] says so of the error.
func (s *Script) BySum(keys []string, args ...any) []any {
	return s.command("EVALSHA", s.sum, keys, args)
}

func (s *Script) command(name, script string, keys []string, args []any) []any {
	command := make([]any, 0, 3+len(keys)+len(args))
	command = append(command, name, script, len(keys))
	for _, key := range keys {
		command = append(command, key)
	}
	return append(command, args...)
}

// Run runs a script, and sends its text where the server has it not.
func (s *Script) Run(ctx context.Context, c *Client, keys []string, args ...any) (any, error) {
	reply, err := c.Do(ctx, s.BySum(keys, args...)...)
	if Unknown(err) {
		return c.Do(ctx, s.command("EVAL", s.text, keys, args)...)
	}
	return reply, err
}

// Unknown reports whether an error is that the server has not the script.
func Unknown(err error) bool {
	said, ok := errors.AsType[Error](err)
	return ok && strings.HasPrefix(string(said), "NOSCRIPT")
}
