package dialogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// writer is a dialogue whose action streams: do is given a stream of its answer.
func writer(t testing.TB, change func(a *dialogue.Action), do func(ctx node.Context, answer *node.TextStream) error) *dialogue.Dialogue {
	t.Helper()
	a := dialogue.MustAction("write", "", func(ctx node.Context, _ struct{}) (string, error) {
		thoughts, err := node.Stream(ctx, "reasoning")
		if err != nil {
			return "", err
		}
		answer, err := node.Stream(ctx, "answer")
		if err == nil {
			err = errors.Join(thoughts.Write("Hm."), do(ctx, answer))
		}
		if err == nil {
			err = errors.Join(answer.Close(), thoughts.Close())
		}
		return "A poem.", err
	})
	a.Stream = true
	change(&a)
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "writer",
		Flows: []dialogue.Flow{{
			Name: "poem", Description: "A poem", Trigger: []string{"a poem"},
			Steps: []dialogue.Step{
				{ID: "begin", Type: dialogue.InformStep, Message: "One moment."},
				{ID: "write", Type: dialogue.ActionStep, Call: "write", Outputs: []dialogue.Assignment{{Name: "text"}}, Retries: 1},
				{ID: "say", Type: dialogue.InformStep, Message: "{{ text }}"},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{a}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// spoken is a sink that passes on what it is told, in one line for each thing; of a text, all that it has been told so far.
type spoken struct {
	lines chan string
	text  string
}

func newSpoken() *spoken { return &spoken{lines: make(chan string, 9)} }

func (s *spoken) Deliver(_ context.Context, d dialogue.Delivery) error {
	s.lines <- "said: " + d.Said.Prompt
	return nil
}

func (s *spoken) Stream(_ context.Context, p dialogue.Piece) {
	var data struct {
		SegmentID, Text, Reason string
		SoFar                   bool
	}
	err := json.Unmarshal(p.Data, &data)
	switch {
	case err != nil || p.Conversation != "c" || p.Task != "poem/write#1" || p.Op == "" && data.Reason == "":
		s.lines <- "a piece of nothing"
		return
	case p.Type == "structured-data.invalidated":
		s.text, data.Text = "", "("+data.Reason+")"
	case data.SoFar: // it was slow to listen
		s.text = data.Text
	default:
		s.text += data.Text
		data.Text = s.text
	}
	s.lines <- p.Type + ": " + data.Text
}

// next is the next thing, before the action goes on: what comes only at its end never comes.
func (s *spoken) next(ctx context.Context) string {
	select {
	case text := <-s.lines:
		return text
	case <-time.After(2 * time.Minute):
		return "nothing"
	case <-ctx.Done():
		return "the end"
	}
}

// TestE2_ASinkIsToldWhileAnActionStreams lets an action write a piece only when the one before has been heard, by a sink of the
// process and by one that follows. Thoughts are not told, nor what another kind of sink does not take.
func TestE2_ASinkIsToldWhileAnActionStreams(t *testing.T) {
	heard, followed := newSpoken(), newSpoken()
	var got [2][]string
	written := make(chan struct{})
	d := writer(t, func(*dialogue.Action) {}, func(ctx node.Context, answer *node.TextStream) error {
		if err := answer.Write("A "); err != nil {
			return err
		}
		got[0], got[1] = append(got[0], heard.next(ctx)), append(got[1], followed.next(ctx)) // said before
		got[0], got[1] = append(got[0], heard.next(ctx)), append(got[1], followed.next(ctx))
		if err := answer.Write("poem."); err != nil {
			return err
		}
		got[0], got[1] = append(got[0], heard.next(ctx)), append(got[1], followed.next(ctx))
		close(written)
		return nil
	})
	c := talks(t, nil, d, dialogue.ConversationOptions{Sink: heard})
	open(t, c, "c", nil)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Follow(ctx, "c", 0, followed) }()
	replied := make(chan dialogue.Reply)
	go func() {
		r, err := c.Send(t.Context(), "c", dialogue.Message{Text: "a poem"})
		if err != nil {
			t.Error(err)
		}
		replied <- r
	}()
	<-written
	rest := []string{"said: A poem.", "said: Is there anything else?"}
	for range rest {
		got[0], got[1] = append(got[0], heard.next(ctx)), append(got[1], followed.next(ctx))
	}
	r := <-replied
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"One moment.", "A poem.", "Is there anything else?"}, r.Texts()); diff != "" {
		t.Error(diff)
	}
	want := slices.Concat([]string{"said: One moment.", "text.delta: A ", "text.delta: A poem."}, rest)
	for i, name := range []string{"the process's", "who follows"} {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestE4_ATryThatFailsTakesItsPiecesBack streams, fails, and streams again.
func TestE4_ATryThatFailsTakesItsPiecesBack(t *testing.T) {
	heard := newSpoken()
	var got []string
	shown := make(chan struct{})
	tries := 0
	d := writer(t, func(*dialogue.Action) {}, func(ctx node.Context, answer *node.TextStream) error {
		if tries++; tries == 1 {
			err := answer.Write("A pome.")
			got = append(got, heard.next(ctx), heard.next(ctx))
			return errors.Join(err, errors.New("misspelt"))
		}
		err := answer.Write("A poem.")
		got = append(got, heard.next(ctx), heard.next(ctx))
		close(shown)
		return err
	})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = c.Follow(ctx, "c", 0, heard) }()
	go func() { _, _ = c.Send(t.Context(), "c", dialogue.Message{Text: "a poem"}) }()
	for <-shown; len(got) < 5; {
		got = append(got, heard.next(ctx))
	}
	want := []string{
		"said: One moment.", "text.delta: A pome.", "structured-data.invalidated: (retry)", "text.delta: A poem.", "said: A poem.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestE2_WhatIsNotMeantForUsersIsNotStreamedToThem has an action stream for whoever operates the run alone.
func TestE2_WhatIsNotMeantForUsersIsNotStreamedToThem(t *testing.T) {
	heard := newSpoken()
	shown := make(chan struct{})
	d := writer(t, func(a *dialogue.Action) { a.Stream = false }, func(_ node.Context, answer *node.TextStream) error {
		err := answer.Write("A secret.")
		<-shown
		return err
	})
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{Sink: heard})
	open(t, c, "c", nil)
	go func() {
		defer close(shown)
		for e, err := range rt.Events(t.Context(), "c", 0, true) {
			if err != nil || e.Sub > 0 && e.Entry.To == "A secret." {
				return
			}
		}
	}()
	send(t, c, "c", dialogue.Message{Text: "a poem"})
	close(heard.lines)
	want := []string{"said: One moment.", "said: A poem.", "said: Is there anything else?"}
	if diff := cmp.Diff(want, slices.Collect(func(yield func(string) bool) {
		for text := range heard.lines {
			if !yield(text) {
				return
			}
		}
	})); diff != "" {
		t.Error(diff)
	}
}
