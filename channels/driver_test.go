package channels_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// ask makes a request of a driver without a server.
func ask(d http.Handler, r *http.Request) int {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Code
}

// closing is a dialogue that ends when it is told "bye".
func closing(t *testing.T) (*dialogue.Dialogue, *dialogue.Services) {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name:     "closing",
		Settings: dialogue.Settings{Greeting: "Hello."},
		Flows: []dialogue.Flow{{
			Name: "nothing", Description: "Nothing", Trigger: []string{"nothing"},
			Steps: []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: "Nothing."}},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d, &dialogue.Services{NLU: says{}, Handlers: map[dialogue.CommandType]dialogue.Handler{
		"bye": func(node.Context, dialogue.Command, *dialogue.State) (dialogue.Delta, error) {
			return dialogue.Delta{Close: true}, nil
		},
	}}
}

// says is an NLU that knows bye, and has the conversation repeat anything else.
type says struct{}

func (says) Understand(_ node.Context, t *dialogue.Turn) ([]dialogue.Command, error) {
	if t.Text == "bye" {
		return []dialogue.Command{{Type: "bye"}}, nil
	}
	return []dialogue.Command{{Type: dialogue.Chitchat, Text: t.Text}}, nil
}

// TestAMessageIsDurableBeforeTheProviderGetsItsResponse accepts messages in a process that does nothing else. The next
// one answers them, in their order.
func TestAMessageIsDurableBeforeTheProviderGetsItsResponse(t *testing.T) {
	for name, open := range channeltest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			p, bought := &channeltest.Provider{}, &channeltest.Purchases{}
			shop, desk := channeltest.Shop(t, bought), newDesk(t, p)
			store := open()
			rt, err := fermata.New(fermata.Options{Store: store})
			if err != nil {
				t.Fatal(err)
			}
			d, err := channels.New(channels.Options{Runtime: rt, Dialogue: shop, Store: store, Channels: []channels.Channel{desk}})
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range []string{"order something", "tea", "yes"} {
				for range 2 {
					if status := ask(d, deskSays(fmt.Sprint(i), text)); status != http.StatusOK {
						t.Fatalf("status %d", status)
					}
				}
			}
			_ = rt.Close()
			_ = store.Close()
			if all, tries := p.Sent(); tries != 0 {
				t.Fatalf("something was sent: %v", all)
			}
			channeltest.Open(t, open(), shop, desk)
			var got []string
			for _, s := range p.Until(t, "Is there anything else?", 1) {
				got = append(got, s.Text)
			}
			want := []string{"What?", "Order tea?\n1. yes\n2. no", "Ordered tea.", "Is there anything else?"}
			if diff := cmp.Diff(want, got); diff != "" || bought.Count("tea") != 1 {
				t.Error(bought.Count("tea"), diff)
			}
		})
	}
}

// TestTheNextConversationBeginsWhenOneIsOver speaks on after the end.
func TestTheNextConversationBeginsWhenOneIsOver(t *testing.T) {
	p := &channeltest.Provider{}
	d, services := closing(t)
	store := channeltest.Stores(t)["memory"]()
	h := channeltest.Open(t, store, d, newDesk(t, p), channeltest.With(services))
	h.Post(deskSays("1", "one"))
	p.Until(t, "one", 1)
	h.Post(deskSays("2", "bye"))
	h.Post(deskSays("3", "two"))
	p.Until(t, "two", 1)
	time.Sleep(50 * time.Millisecond) // some sweeps
	h.Post(deskSays("4", "bye"))
	h.Post(deskSays("1", "one")) // which has come before
	h.Post(deskSays("5", "three"))
	var got []string
	for _, s := range p.Until(t, "three", 1) {
		got = append(got, s.Text)
	}
	bye := "Goodbye."
	want := []string{"Hello.", "one", bye, "Hello.", "two", bye, "Hello.", "three"}
	if len(got) == len(want) {
		want[2], want[5] = got[2], got[2] // a default message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsSaidUnaskedIsSent has another process say something in a conversation.
func TestWhatIsSaidUnaskedIsSent(t *testing.T) {
	p := &channeltest.Provider{}
	d, services := closing(t)
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), d, newDesk(t, p), channeltest.With(services))
	h.Post(deskSays("1", "one"))
	p.Until(t, "one", 1)
	talks := dialogue.NewConversations(h.Runtime, d, dialogue.ConversationOptions{})
	if _, err := talks.Send(t.Context(), "desk:ada", dialogue.Message{Text: "from the web"}); err != nil {
		t.Fatal(err)
	}
	if all := p.Until(t, "from the web", 1); len(all) != 3 || all[2].To != "ada" {
		t.Errorf("sent was %v", all)
	}
}

// TestTwoProcessesShareMailboxes posts the messages of many users to two processes, one of which goes away.
func TestTwoProcessesShareMailboxes(t *testing.T) {
	for name, open := range channeltest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			p, bought := &channeltest.Provider{}, &channeltest.Purchases{}
			shop, desk := channeltest.Shop(t, bought), newDesk(t, p)
			store := open()
			first, second := channeltest.Open(t, store, shop, desk), channeltest.Open(t, store, shop, desk)
			var all sync.WaitGroup
			var users []string
			for u := range 8 {
				user := fmt.Sprint("user", u)
				users = append(users, user)
				all.Go(func() {
					for i, text := range []string{"order something", user + " tea", "yes"} {
						h := []*channeltest.House{first, second}[(u+i)%2]
						if i == 2 {
							h = first
						}
						if status := h.Post(deskPosts(user, fmt.Sprint(i), text)); status != http.StatusOK {
							t.Errorf("status %d", status)
						}
					}
				})
			}
			all.Wait()
			second.Stop()
			sent := p.UntilAll(t, "Is there anything else?", users...)
			for _, user := range users {
				var got []string
				for _, s := range sent {
					if s.To == user {
						got = append(got, s.Text)
					}
				}
				want := []string{"What?", "Order " + user + " tea?\n1. yes\n2. no", "Ordered " + user + " tea.", "Is there anything else?"}
				if diff := cmp.Diff(want, slices.Compact(got)); diff != "" || bought.Count(user+" tea") != 1 {
					t.Errorf("%s: %s", user, diff)
				}
			}
		})
	}
}

// TestRequestsAreBounded refuses large bodies, other methods and unknown names, and more messages than may wait.
func TestRequestsAreBounded(t *testing.T) {
	store := channeltest.Stores(t)["memory"]()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	d, err := channels.New(channels.Options{
		Runtime: rt, Dialogue: channeltest.Shop(t, &channeltest.Purchases{}), Store: store, Channels: []channels.Channel{&Desk{Secret: "s"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, body string) *http.Request {
		return httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	}
	for want, r := range map[int]*http.Request{
		http.StatusRequestEntityTooLarge: post("/channels/desk", strings.Repeat("x", 4<<20+1)),
		http.StatusNotFound:              post("/channels/dusk", ""),
		http.StatusMethodNotAllowed:      httptest.NewRequest(http.MethodDelete, "/channels/desk", nil),
		http.StatusUnauthorized:          post("/channels/desk", "{}"),
	} {
		if got := ask(d, r); got != want {
			t.Errorf("%s %s: status %d, expected %d", r.Method, r.URL, got, want)
		}
	}
	for i := range 101 {
		want := http.StatusOK
		if i == 100 {
			want = http.StatusTooManyRequests
		}
		if got := ask(d, deskSays(fmt.Sprint(i), "x")); got != want {
			t.Fatalf("message %d: status %d, expected %d", i, got, want)
		}
	}
	_ = rt.Close()
	_ = store.Close()
}

// TestADriverIsToldWhatIsWrong shows the errors of New.
func TestADriverIsToldWhatIsWrong(t *testing.T) {
	store := channeltest.Stores(t)["memory"]()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	good := channels.Options{Runtime: rt, Dialogue: channeltest.Shop(t, &channeltest.Purchases{}), Store: store, Channels: []channels.Channel{&Desk{}}}
	for want, change := range map[string]func(*channels.Options){
		"expected Options with": func(o *channels.Options) { o.Store = nil },
		"two channels have":     func(o *channels.Options) { o.Channels = append(o.Channels, &Desk{}) },
		"expected an address":   func(o *channels.Options) { o.Address = "bot.example.com" },
	} {
		o := good
		change(&o)
		if _, err := channels.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// TestPostKeepsSecrets makes a request to an address that holds a token, and that nobody answers.
func TestPostKeepsSecrets(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:1/bot123:token/send", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	_, err = channels.Post(context.Background(), http.DefaultClient, r)
	why, ok := errors.AsType[*channels.SendError](err)
	if !ok || why.Permanent || strings.Contains(err.Error(), "token") {
		t.Errorf("%v", err)
	}
}
