package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue"
)

// showLanguages shows which languages the dialogue has.
func (c *chat) showLanguages(context.Context) error {
	c.m.err.Println(fmt.Sprintf("the dialogue is held in %s", strings.Join(c.dialogue.Languages(), ", ")))
	return nil
}

// changeLanguage goes on in another language.
func (c *chat) changeLanguage(ctx context.Context, tag string) error {
	if !slices.Contains(c.dialogue.Languages(), tag) {
		return c.showLanguages(ctx)
	}
	err := c.turn(ctx, func(ctx context.Context) (dialogue.Reply, error) {
		return c.all.Send(ctx, c.id, dialogue.Message{Language: tag})
	})
	if errors.Is(err, dialogue.ErrBusy) {
		c.note("that was not taken: the conversation waits for another person")
		return c.waits(ctx)
	}
	return err
}

// typedLine is a message as it was typed.
func typedLine(m *dialogue.Message) string {
	if m.Text == "" && m.Language != "" {
		return "/language " + m.Language
	}
	return m.Text
}
