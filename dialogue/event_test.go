package dialogue_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/memory"
)

// parcelShop is a dialogue that is told of parcels.
func parcelShop(t testing.TB) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Parse([]byte(`
kind: Dialogue
flows:
  order:
    trigger: [order a book]
    slots: {title: text}
    steps:
      - {id: what, type: collect, slot: title, message: Which book?}
      - {id: done, type: say, message: "Ordered {{ title }}."}
  inspect:
    starts: link
    slots: {number: text, seen: boolean}
    steps:
      - {id: ask, type: collect, slot: seen, message: "Have you seen {{ number ?? 'it' }}?"}
      - {id: done, type: say, message: Good.}
events:
  arrived: {data: {number: text, weight: {type: number, optional: true}}, message: "{{ number }} has arrived."}
  damaged: {data: {number: text}, message: "{{ number }} is damaged.", flow: inspect}
patterns: {completed: "", resume: ""}
`), "shop.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func arrived(id string) dialogue.Event {
	return dialogue.Event{ID: id, Name: "arrived", Data: map[string]any{"number": id}}
}

// TestH2_AnEventCountsOnce tells of an event again, at once and after fifty messages: it has no second effect, and the reply is
// the one that was missed. A message with the same id is another thing.
func TestH2_AnEventCountsOnce(t *testing.T) {
	c := talks(t, nil, parcelShop(t), dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	for i := range 60 {
		r, err := c.Tell(t.Context(), "c", arrived("e1"))
		if err != nil || r.Again != (i > 0) {
			t.Fatalf("time %d: again %v, %v", i+1, r.Again, err)
		}
		if diff := cmp.Diff([]string{"e1 has arrived."}, r.Texts()); diff != "" {
			t.Errorf("time %d (-want +got):\n%s", i+1, diff)
		}
		send(t, c, "c", dialogue.Message{ID: fmt.Sprint("e", i), Text: "hello"})
	}
	told := slices.DeleteFunc(heard(t, c, "c"), func(text string) bool { return text != "e1 has arrived." })
	if len(told) != 1 {
		t.Errorf("it was said %d times", len(told))
	}
}

// TestTell_Refuses lists events that are none: nothing happens.
func TestTell_Refuses(t *testing.T) {
	c := talks(t, nil, parcelShop(t), dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	for _, test := range []struct {
		event dialogue.Event
		want  string
	}{
		{dialogue.Event{Name: "arrived"}, "not an event of the dialogue: it has no id; expected one, so that it counts once"},
		{dialogue.Event{ID: "1", Name: "arived"}, `not an event of the dialogue: there is no event "arived"; did you mean "arrived"?`},
		{dialogue.Event{ID: "1", Name: "arrived"}, `not an event of the dialogue: the event "arrived" needs "number": a text`},
		{dialogue.Event{ID: "1", Name: "arrived", Data: map[string]any{"numbr": "A"}}, `not an event of the dialogue: the event "arrived" brings no "numbr"; did you mean "number"?`},
		{
			dialogue.Event{ID: "1", Name: "arrived", Data: map[string]any{"number": "A", "weight": "heavy"}},
			`not an event of the dialogue: the event "arrived": weight: “heavy” is not a number.`,
		},
	} {
		if _, err := c.Tell(t.Context(), "c", test.event); !errors.Is(err, dialogue.ErrEvent) || err.Error() != test.want {
			t.Errorf("%+v:\n got %v\nwant %s", test.event, err, test.want)
		}
	}
	if said := heard(t, c, "c"); len(said) > 0 {
		t.Errorf("said %q", said)
	}
}

// TestJ4_ACrashAtAnEventCountsItOnce crashes at each append of an event that begins a flow, before and after it. Its sender tells
// another process of it again, and the conversation is as if nothing had happened.
func TestJ4_ACrashAtAnEventCountsItOnce(t *testing.T) {
	d, crashes := parcelShop(t), 0
	said := []string{"Which book?", "A7 is damaged.", "Have you seen A7?", "Good.", "Which book?"}
	for n, survived := int64(1), false; !survived; n++ {
		for _, after := range []bool{false, true} {
			inner := kept{memory.New()}
			c := talks(t, inner, d, dialogue.ConversationOptions{})
			open(t, c, "c", nil)
			send(t, c, "c", dialogue.Message{ID: "1", Text: "order a book"})
			dying := &mortal{Store: inner, after: after}
			dying.left.Store(n)
			event := dialogue.Event{ID: "1", Name: "damaged", Data: map[string]any{"number": "A7"}} // as the message, which is not it
			_, err := talks(t, dying, d, dialogue.ConversationOptions{}).Tell(t.Context(), "c", event)
			if survived = err == nil; !survived {
				crashes++
			}
			c = talks(t, inner, d, dialogue.ConversationOptions{})
			r, err := c.Tell(t.Context(), "c", event)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(said[1:3], r.Texts()); diff != "" {
				t.Errorf("append %d, after it %v: the reply (-want +got):\n%s", n, after, diff)
			}
			send(t, c, "c", dialogue.Message{ID: "2", Text: "yes"})
			if diff := cmp.Diff(said, heard(t, c, "c")); diff != "" {
				t.Errorf("append %d, after it %v: all that was said (-want +got):\n%s", n, after, diff)
			}
		}
	}
	if crashes < 6 {
		t.Errorf("%d crashes, expected one at each append of a turn", crashes)
	}
}

// TestH2_EventsAndMessagesAreInOneOrder tells of events and says things from several processes at once: each is answered once, and
// no answer is within another one.
func TestH2_EventsAndMessagesAreInOneOrder(t *testing.T) {
	store, d := kept{memory.New()}, parcelShop(t)
	first, second := talks(t, store, d, dialogue.ConversationOptions{}), talks(t, store, d, dialogue.ConversationOptions{})
	open(t, first, "c", nil)
	send(t, first, "c", dialogue.Message{Text: "order a book"})
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if _, err := first.Tell(t.Context(), "c", arrived(fmt.Sprint("e", i))); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := second.Send(t.Context(), "c", dialogue.Message{ID: fmt.Sprint("m", i), Text: "help"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	count, said := make(map[string]int), heard(t, first, "c")
	for i, text := range said[1:] {
		if count[text]++; i%2 == 1 && text != "Which book?" {
			t.Errorf("%d: %q, expected the question that stands", i, text)
		}
	}
	for i := range 10 {
		if text := fmt.Sprintf("e%d has arrived.", i); count[text] != 1 {
			t.Errorf("%q was said %d times", text, count[text])
		}
	}
	if len(said) != 41 {
		t.Errorf("%d things were said, expected 41", len(said))
	}
}
