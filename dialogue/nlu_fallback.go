package dialogue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/node"
)

// defaultModelTimeout is how long a message may take a model where nothing else is said.
const defaultModelTimeout = 20 * time.Second

// timeLimit is how long one message may take the model; 0 for any time.
func (n *modelNLU) timeLimit(d *Dialogue) time.Duration {
	limit := n.options.Timeout
	if limit == 0 {
		limit = d.settings.ModelTimeout
	}
	if limit == 0 {
		limit = defaultModelTimeout
	}
	return max(0, limit)
}

// within asks the model for the time that a message may take it.
func (n *modelNLU) within(ctx node.Context, t *Turn) ([]Command, error) {
	limit := n.timeLimit(t.Dialogue)
	if limit == 0 {
		return n.ask(ctx, t)
	}
	limited, cancel := context.WithTimeout(ctx.Context, limit)
	defer cancel()
	commands, err := n.ask(ctx.WithContext(limited), t)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("no answer within %v", limit)
	}
	return commands, err
}

// instead is what phrases understand of a message where the model has failed, was too slow, or has answered something else
// than commands. The error is the model's where nobody else can understand the message, or the node has to end.
func (n *modelNLU) instead(ctx node.Context, t *Turn, failed error) ([]Command, error) {
	if ctx.Err() != nil || errors.Is(failed, node.ErrSuspended) || errors.Is(failed, node.ErrTaskOver) || errors.Is(failed, node.ErrDiverged) {
		return nil, failed
	}
	d := t.Dialogue
	if d.phrases.locale.Language == nil {
		if errors.Is(failed, node.ErrOutput) {
			return nil, d.tell(ctx, nil, "the model's answer is no list of commands: %s", t.withoutPrivate(failed.Error()))
		}
		return nil, failed
	}
	if err := d.tell(ctx, nil, "phrases understand the message, as the model has not: %s", t.withoutPrivate(reasonOf(failed))); err != nil {
		return nil, err
	}
	return t.byPhrases()
}

// reasonOf is an error without what the model was asked: the event is of use to read.
func reasonOf(err error) string {
	const most = 200
	text, _, _ := strings.Cut(err.Error(), "\n")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// byPhrases is what phrases understand of a message that was meant for a model.
func (t *Turn) byPhrases() ([]Command, error) {
	commands, err := t.Dialogue.phrases.understand(t)
	byPhrases(commands, t.Clarify)
	return commands, err
}
