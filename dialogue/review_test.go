package dialogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// post is a dialogue of two flows that share a trigger, with a private slot.
func post(t testing.TB, language string) *dialogue.Dialogue {
	t.Helper()
	triggers := map[string][][]string{
		"en": {{"send {count} parcels", "about a parcel"}, {"track a parcel", "about a parcel"}},
		"de": {{"schicke {count} pakete", "wegen eines pakets"}, {"verfolge ein paket", "wegen eines pakets"}},
	}[language]
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "post", Settings: dialogue.Settings{Language: language, Misses: 3},
		Flows: []dialogue.Flow{
			{
				Name: "send", Description: "Send", Trigger: triggers[0],
				Slots: []dialogue.Slot{
					{Name: "count", Type: dialogue.Integer, Validate: "count < 100"},
					{Name: "pin", Private: true},
					{Name: "size", Type: dialogue.Choice, Choices: []dialogue.Option{{Value: "S"}, {Value: "XL"}}},
				},
				Steps: []dialogue.Step{
					{ID: "many", Type: dialogue.CollectStep, Slot: "count", Message: "How many?"},
					{ID: "big", Type: dialogue.CollectStep, Slot: "size", Message: "Which size?"},
					{ID: "secret", Type: dialogue.CollectStep, Slot: "pin", Message: "Your PIN?"},
					{ID: "sure", Type: dialogue.ConfirmStep, Message: "Send {{ count }}?"},
				},
			},
			{Name: "track", Description: "Track", Trigger: triggers[1], Steps: []dialogue.Step{{ID: "tell", Type: dialogue.InformStep, Message: "On its way."}}},
		},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// turnLines are turns as a test compares them.
func turnLines(turns []dialogue.ReviewTurn) (all []string) {
	for i := range turns {
		t := &turns[i]
		parts := []string{fmt.Sprint(t.Turn), t.By, t.Text, t.Place.Flow + "/" + t.Place.Step + "/" + t.Place.Slot}
		if t.Hidden {
			parts[2] = "(hidden)"
		}
		var marks, commands []string
		for _, m := range t.Marks {
			marks = append(marks, string(m))
		}
		for _, c := range t.Commands {
			text := string(c.Type) + c.Flow + c.Slot
			if c.Value != nil {
				text += fmt.Sprint("=", c.Value)
			}
			commands = append(commands, text+":"+string(c.Source))
		}
		all = append(all, strings.Join(append(parts, strings.Join(marks, " "), strings.Join(commands, " "), strings.Join(t.Candidates, " ")), " | "))
	}
	return all
}

func TestTurnsTellHowEachWasUnderstood(t *testing.T) {
	type say struct {
		message dialogue.Message
		want    string // "" for the one of English
	}
	text := func(s string) dialogue.Message { return dialogue.Message{Text: s} }
	for language, all := range map[string][]say{
		"en": {
			{text("xyzzy plugh"), "1 | user | xyzzy plugh | // | miss |  | "},
			{text("about a parcel"), "2 | user | about a parcel | // | clarification | clarify:trigger | send track"},
			{text("Track"), "3 | user | Track | //flow_name | start | start_flowtrack:phrase | "},
			{text("send 3 parcels"), "4 | user | send 3 parcels | // | start value | start_flowsend:trigger set_slotcount=3:value | "},
			{text("make it 5"), "5 | user | make it 5 | send/big/size | correction | correct_slotcount=5:value | "},
			{text("make it 500"), "6 | user | make it 500 | send/big/size | rejection correction | correct_slotcount=500:value | "},
			{text("xyzzy plugh!"), "7 | user | xyzzy plugh! | send/big/size | miss |  | "},
			{text("say that again"), "8 | user | say that again | send/big/size | repeat | repeat:phrase | "},
			{text("XL"), "9 | user | XL | send/big/size | value | set_slotsize=XL:value | "},
			{text("1234"), "10 | user | (hidden) | send/secret/pin | value | set_slotpin:value | "},
			{text("no"), "11 | user | no | send/sure/ | no | deny:phrase | "},
			{text("send 3 parcels"), "12 | user | send 3 parcels | // | start value | start_flowsend:trigger set_slotcount=3:value | "},
			{text("stop"), "13 | user | stop | send/big/size | cancel | cancel_flow:phrase | "},
			{dialogue.Message{Text: "a button", Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: "track", Source: dialogue.FromModel}}}, "14 | user | a button | // | start | start_flowtrack:button | "},
			{text("I want to talk to a person"), "15 | user | I want to talk to a person | // | handoff | handoff:phrase | "},
			{text("my PIN is 1234"), "16 | user | (hidden) | // | human |  | "},
			{dialogue.Message{Text: "Bye.", From: "agent", Done: true}, "17 | agent | (hidden) | // | human |  | "},
			{text("blorb"), "18 | user | blorb | // | miss |  | "},
			{text("blorb"), "19 | user | blorb | // | miss |  | "},
			{text("blorb"), "20 | user | blorb | // | miss handoff |  | "},
		},
		"de": {
			{text("xyzzy plugh"), "1 | user | xyzzy plugh | // | miss |  | "},
			{text("wegen eines pakets"), "2 | user | wegen eines pakets | // | clarification | clarify:trigger | send track"},
			{text("Track"), "3 | user | Track | //flow_name | start | start_flowtrack:phrase | "},
			{text("schicke drei pakete"), "4 | user | schicke drei pakete | // | start value | start_flowsend:trigger set_slotcount=3:value | "},
			{text("nein, fünf"), "5 | user | nein, fünf | send/big/size | correction | correct_slotcount=5:value | "},
			{text("XL"), "6 | user | XL | send/big/size | value | set_slotsize=XL:value | "},
			{text("geheim"), "7 | user | (hidden) | send/secret/pin | value | set_slotpin:value | "},
			{text("ja"), "8 | user | ja | send/sure/ | yes | affirm:phrase | "},
			{text("schicke 200 pakete"), "9 | user | schicke 200 pakete | // | rejection start value | start_flowsend:trigger set_slotcount=200:value | "},
			{text("abbrechen"), "10 | user | abbrechen | send/many/count | cancel | cancel_flow:phrase | "},
			{text("ich möchte mit einem Menschen sprechen"), "11 | user | ich möchte mit einem Menschen sprechen | // | handoff | handoff:phrase | "},
		},
	} {
		for name, open := range map[string]func() (journal.Store, error){
			"memory": func() (journal.Store, error) { return memory.New(), nil },
			"sqlite": func() (journal.Store, error) { return sqlite.Open(filepath.Join(t.TempDir(), "runs.db")) },
		} {
			t.Run(language+"/"+name, func(t *testing.T) {
				store, err := open()
				if err != nil {
					t.Fatal(err)
				}
				c := talks(t, store, post(t, language), dialogue.ConversationOptions{})
				if _, _, err := c.Open(t.Context(), "c", nil); err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, s := range all {
					send(t, c, "c", s.message)
					want = append(want, s.want)
				}
				turns, err := c.Turns(t.Context(), "c")
				if diff := cmp.Diff(want, turnLines(turns)); err != nil || diff != "" {
					t.Error(err, diff)
				}
				for i := range turns {
					if turns[i].Seq == 0 || time.Since(turns[i].At) > time.Hour || turns[i].Conversation != "c" {
						t.Errorf("%+v", turns[i])
					}
				}
			})
		}
	}
}

// converse opens a conversation and says some texts.
func converse(t testing.TB, c *dialogue.Conversations, id string, texts ...string) {
	t.Helper()
	if _, _, err := c.Open(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		send(t, c, id, dialogue.Message{Text: text})
	}
}

func TestReviewCountsWhereUsersHadTrouble(t *testing.T) {
	for name, open := range map[string]func() (journal.Store, error){
		"memory": func() (journal.Store, error) { return memory.New(), nil },
		"sqlite": func() (journal.Store, error) { return sqlite.Open(filepath.Join(t.TempDir(), "runs.db")) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open()
			if err != nil {
				t.Fatal(err)
			}
			c := talks(t, store, post(t, "en"), dialogue.ConversationOptions{})
			converse(t, c, "fine", "track a parcel")
			converse(t, c, "gone", "send 3 parcels", "abracadabra qwx")
			converse(t, c, "also gone", "send 4 parcels", "Abracadabra, qwx!", "Abracadabre qwx")
			converse(t, c, "asked", "about a parcel", "Track")
			converse(t, c, "handed", "I want to talk to a person")
			converse(t, c, "secret", "send 4 parcels", "S", "4711", "my hovercraft is full of eels")
			other := talks(t, store, echo(t), dialogue.ConversationOptions{})
			converse(t, other, "another dialogue", "what?")

			for id, read := range map[string]bool{"gone": true, "another dialogue": false, "nobody": false} {
				_, err := c.Turns(t.Context(), id)
				if fe, ok := errors.AsType[*fermata.Error](err); read != (err == nil) || !read && (!ok || fe.Code != fermata.CodeNotFound) {
					t.Errorf("the turns of %q: %v", id, err)
				}
			}
			r, err := c.Review(t.Context(), dialogue.ReviewQuery{Now: time.Now().Add(48 * time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			totals := dialogue.ReviewCounts{
				Conversations: 6, Turns: 13, Misses: 4, Clarifications: 1, Handoffs: 1, DropOffs: 3, MissRate: 4.0 / 13, DropOffRate: 0.5,
			}
			if diff := cmp.Diff(totals, r.Totals); diff != "" {
				t.Error(diff)
			}
			big, sure := dialogue.Place{Flow: "send", Step: "big", Slot: "size"}, dialogue.Place{Flow: "send", Step: "sure"}
			steps := []dialogue.ReviewStep{
				{Place: big, ReviewCounts: dialogue.ReviewCounts{Conversations: 3, Turns: 4, Misses: 3, DropOffs: 2, MissRate: 0.75, DropOffRate: 2.0 / 3}},
				{ReviewCounts: dialogue.ReviewCounts{Conversations: 6, Turns: 6, Clarifications: 1, Handoffs: 1}},
				{Place: sure, ReviewCounts: dialogue.ReviewCounts{Conversations: 1, Turns: 1, Misses: 1, DropOffs: 1, MissRate: 1, DropOffRate: 1}},
				{Place: dialogue.Place{Slot: "flow_name"}, ReviewCounts: dialogue.ReviewCounts{Conversations: 1, Turns: 1}},
				{Place: dialogue.Place{Flow: "send", Step: "secret", Slot: "pin"}, ReviewCounts: dialogue.ReviewCounts{Conversations: 1, Turns: 1}},
			}
			if diff := cmp.Diff(steps, r.Steps); diff != "" {
				t.Error(diff)
			}
			utterances := []dialogue.ReviewUtterance{
				{Text: "Abracadabra, qwx!", Others: []string{"Abracadabre qwx", "abracadabra qwx"}, Count: 3, Conversations: 2, Misses: 3, Places: []dialogue.Place{big}, Conversation: "also gone", Turn: 2},
				{Text: "about a parcel", Count: 1, Conversations: 1, Clarified: 1, Candidates: []string{"send", "track"}, Places: []dialogue.Place{{}}, Conversation: "asked", Turn: 1},
				{Text: "my hovercraft is full of eels", Count: 1, Conversations: 1, Misses: 1, Places: []dialogue.Place{sure}, Conversation: "secret", Turn: 4},
			}
			if diff := cmp.Diff(utterances, r.Utterances); diff != "" {
				t.Error(diff)
			}
			if got, want := listed(r), []string{"secret left", "handed handoff", "asked ended", "also gone left", "gone left"}; !slices.Equal(got, want) {
				t.Errorf("listed %q, expected %q", got, want)
			}
		})
	}
}

// listed are the conversations of a page.
func listed(r *dialogue.Review) (all []string) {
	for i := range r.Conversations {
		all = append(all, r.Conversations[i].ID+" "+r.Conversations[i].Status)
	}
	return all
}

func TestReviewIsFilteredAndPaged(t *testing.T) {
	c := talks(t, nil, post(t, "en"), dialogue.ConversationOptions{})
	var all []string
	for i := range 7 {
		id := fmt.Sprint("c", i)
		converse(t, c, id, "nonsense", "send 3 parcels")
		all = append([]string{id + " open"}, all...)
	}
	converse(t, c, "none", "track a parcel")
	var got []string
	q := dialogue.ReviewQuery{Limit: 3}
	for pages := 1; ; pages++ {
		r, err := c.Review(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, listed(r)...); r.Next == "" {
			if pages != 3 {
				t.Error("pages:", pages)
			}
			break
		}
		q.After = r.Next
	}
	if !slices.Equal(got, all) {
		t.Errorf("the pages hold %q, expected %q", got, all)
	}
	for name, test := range map[string]struct {
		q                    dialogue.ReviewQuery
		turns, misses, lists int
	}{
		"a flow":              {dialogue.ReviewQuery{Flow: "send"}, 7, 0, 0},
		"its starts":          {dialogue.ReviewQuery{Flow: "send", Marks: []dialogue.Mark{dialogue.MarkStart}}, 7, 0, 7},
		"a flow that is none": {dialogue.ReviewQuery{Flow: "nothing"}, 0, 0, 0},
		"until the beginning": {dialogue.ReviewQuery{Until: time.Now().Add(-time.Hour)}, 0, 0, 0},
		"since tomorrow":      {dialogue.ReviewQuery{Since: time.Now().Add(time.Hour)}, 0, 0, 0},
		"today":               {dialogue.ReviewQuery{Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour)}, 15, 7, 7},
	} {
		r, err := c.Review(t.Context(), test.q)
		if err != nil || r.Totals.Turns != test.turns || r.Totals.Misses != test.misses || len(r.Conversations) != test.lists {
			t.Errorf("%s: %v, %+v, %q", name, err, r.Totals, listed(r))
		}
	}
}

// TestReviewReadsBesideConversations that go on: none of them is disturbed, and each review is of whole turns.
func TestReviewReadsBesideConversations(t *testing.T) {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "runs.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, reader := talks(t, store, post(t, "en"), dialogue.ConversationOptions{}), talks(t, store, post(t, "en"), dialogue.ConversationOptions{})
	ctx, stop := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		for ctx.Err() == nil {
			r, err := reader.Review(ctx, dialogue.ReviewQuery{})
			if ctx.Err() != nil {
				return
			}
			if err == nil && (len(r.Unreadable) > 0 || r.Totals.Misses > r.Totals.Turns) {
				err = fmt.Errorf("%+v", r)
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	for i := range 10 {
		converse(t, c, fmt.Sprint("c", i), "nonsense", "send 3 parcels", "stop")
	}
	stop()
	if err := <-failed; err != nil {
		t.Error(err)
	}
	r, err := reader.Review(t.Context(), dialogue.ReviewQuery{})
	if err != nil || r.Totals.Turns != 30 || r.Totals.Misses != 10 || r.Totals.Cancels != 10 {
		t.Errorf("%v %+v", err, r)
	}
}

// A message that was taken back is no drop-off, and what was said before it counts once.
func TestReviewCountsAForkOnce(t *testing.T) {
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	d := post(t, "en")
	c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	converse(t, c, "ada", "nonsense", "send 3 parcels")
	turns, err := c.Turns(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: "ada", All: true})
	if err != nil || len(asked) != 3 {
		t.Fatal(err, asked)
	}
	run, err := rt.Fork(t.Context(), "ada", d.Plan(), fermata.ForkOptions{ID: "ada~2", AskAgain: []string{asked[1].ID}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	send(t, c, "ada~2", dialogue.Message{Text: "send 4 parcels"})
	r, err := c.Review(t.Context(), dialogue.ReviewQuery{Now: time.Now().Add(48 * time.Hour), Marks: []dialogue.Mark{dialogue.MarkStart}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listed(r), []string{"ada~2 left", "ada forked"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, expected %q", got, want)
	}
	if r.Totals.Turns != len(turns)+1 || r.Totals.Misses != 1 || r.Totals.DropOffs != 1 {
		t.Errorf("%+v", r.Totals)
	}
}

// An excerpt is a test of the part in which something was not understood, with what its actions gave.
func TestExcerptIsATestOfAPart(t *testing.T) {
	type quote struct {
		Price struct {
			Euros float64 `json:"euros"`
		} `json:"price"`
	}
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "quotes", Context: []dialogue.Slot{{Name: "customer"}, {Name: "iban", Private: true, Optional: true}},
		Flows: []dialogue.Flow{{
			Name: "buy", Trigger: []string{"buy something"},
			Slots: []dialogue.Slot{{Name: "what"}, {Name: "euros", Type: dialogue.Money}, {Name: "pin", Private: true}},
			Steps: []dialogue.Step{
				{ID: "thing", Type: dialogue.CollectStep, Slot: "what", Message: "What?"},
				{ID: "price", Type: dialogue.ActionStep, Call: "price", Outputs: []dialogue.Assignment{{Name: "euros", Value: "price.euros"}}},
				{ID: "ok", Type: dialogue.ConfirmStep, Message: "For {{ euros }}?"},
				{ID: "secret", Type: dialogue.CollectStep, Slot: "pin", Message: "PIN?"},
				{ID: "sure", Type: dialogue.ConfirmStep, Message: "Sure?"},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{dialogue.MustAction("price", "", func(node.Context, struct {
		What string `json:"what"`
	},
	) (q quote, err error) {
		q.Price.Euros = 12.5
		return q, nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", map[string]any{"customer": "Ada", "iban": "DE00"})
	for _, text := range []string{"xyzzy plugh", "buy something", "tea", "xyzzy plugh", "yes", "1234", "xyzzy plugh"} {
		send(t, c, "c", dialogue.Message{Text: text})
	}
	got, err := c.Excerpt(t.Context(), "c", 4)
	if err != nil {
		t.Fatal(err)
	}
	if got.Now.IsZero() || len(got.Talk) != 3 {
		t.Fatalf("%+v", got)
	}
	price := map[string]any{"price": map[string]any{"euros": json.Number("12.5")}}
	if diff := cmp.Diff(map[string][]dialogue.TestResult{"price": {{Value: price}}}, got.Actions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"customer": "Ada"}, got.Context); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"buy something [start_flow]", "tea [set_slot]", "xyzzy plugh []"} {
		l := got.Talk[i]
		var types []dialogue.CommandType
		for _, command := range l.Commands {
			types = append(types, command.Type)
		}
		if line := fmt.Sprint(l.User, " ", types); line != want || !l.HasCommands || l.Index != i {
			t.Errorf("line %d is %q, expected %q: %+v", i, line, want, l)
		}
	}
	if first, err := c.Excerpt(t.Context(), "c", 1); err != nil || len(first.Talk) != 1 || len(first.Actions) != 0 {
		t.Errorf("%+v, %v", first, err)
	}
	if _, err := c.Excerpt(t.Context(), "c", 7); err == nil || !strings.Contains(err.Error(), "message 6 of c may hold the value of a private slot") {
		t.Error(err)
	}
	for id, turn := range map[string]int{"c": 99, "nobody": 1} {
		if _, err := c.Excerpt(t.Context(), id, turn); !errors.Is(err, fermata.ErrNotFound) {
			t.Errorf("message %d of %s: %v", turn, id, err)
		}
	}
}
