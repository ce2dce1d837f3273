package channels_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/fermata-go/fermata/channels"
)

// Desk is the channel of a help desk that posts {"user", "id", "text", "language"}, signed with a secret, and takes {"to", "text"}.
type Desk struct {
	Secret, Token string
	API           string // https://desk.example.com/api
	Client        *http.Client
}

// Name implements channels.Channel.
func (*Desk) Name() string { return "desk" }

// Receive implements channels.Channel.
func (d *Desk) Receive(r *channels.Request) (got channels.Received, err error) {
	stamp := r.Header.Get("X-Desk-Timestamp")
	want := channels.HexHMAC(d.Secret, []byte(stamp+"."), r.Body)
	if d.Secret == "" || !channels.SameSecret(r.Header.Get("X-Desk-Signature"), want) {
		return got, channels.ErrForged
	}
	if err := channels.Recent(stamp, r.Now); err != nil {
		return got, err
	}
	var in struct{ User, ID, Text, Photo, Language string }
	if err := r.ReadJSON(&in); err != nil {
		return got, err
	}
	if in.User == "" || in.ID == "" {
		return got, fmt.Errorf("%w: a message without a user or an id", channels.ErrMalformed)
	}
	if in.Photo != "" {
		in.Text += "[photo: " + in.Photo + "]"
	}
	got.Messages = []channels.Message{{User: in.User, ID: in.ID, Text: in.Text, Language: in.Language}}
	return got, nil
}

// Buttons implements channels.Channel: the desk shows text alone.
func (*Desk) Buttons([]string) bool { return false }

// Send implements channels.Channel.
func (d *Desk) Send(ctx context.Context, o *channels.Outgoing) error {
	body, err := json.Marshal(map[string]string{"to": o.User, "text": o.Text})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.API+"/messages", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+d.Token)
	r.Header.Set("Idempotency-Key", o.Key) // the desk takes a message with the same key once
	_, err = channels.Post(ctx, d.Client, r)
	return err
}
