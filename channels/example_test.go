package channels_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/slack"
	"github.com/fermata-go/fermata/channels/telegram"
	"github.com/fermata-go/fermata/channels/webwidget"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/plan"
)

// serve holds the conversations of a bank with the users of some channels until ctx is done.
func serve(ctx context.Context, address string, all ...channels.Channel) error {
	bank, err := dialogue.Load("bank.yaml", dialogue.Options{})
	if err != nil {
		return err
	}
	store, err := sqlite.Open("bank.db")
	if err != nil {
		return err
	}
	defer store.Close()
	rt, err := fermata.New(fermata.Options{
		Store: store,
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return bank.Plan(), nil }, // silences go on after a restart
	})
	if err != nil {
		return err
	}
	defer rt.Close()
	driver, err := channels.New(channels.Options{
		Runtime: rt, Dialogue: bank, Store: store,
		Channels: all,
		Open: func(_ context.Context, channel string, m channels.Message) (map[string]any, error) {
			return map[string]any{"customer": m.User}, nil // look the user up
		},
		Address: "https://bot.example.com",
		Logger:  slog.Default(),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/channels/", driver)
	server := &http.Server{Addr: address, Handler: mux, ReadTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- driver.Run(ctx) }()
	go func() { <-ctx.Done(); _ = server.Close() }()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// onSlack and onTelegram are channels of a Slack app and a Telegram bot: serve(ctx, "127.0.0.1:8080", onSlack(), onTelegram()).
func onSlack() channels.Channel {
	return slack.New(slack.Options{SigningSecret: os.Getenv("SLACK_SIGNING_SECRET"), Token: os.Getenv("SLACK_TOKEN")})
}

func onTelegram() channels.Channel {
	return telegram.New(telegram.Options{
		Token: os.Getenv("TELEGRAM_TOKEN"), Secret: os.Getenv("TELEGRAM_SECRET"), API: os.Getenv("TELEGRAM_API"), // defaults to Telegram's
	})
}

// chat is the handler of a chat on the pages of a shop: mux.Handle("/widget/", handler).
func chat(driver *channels.Driver, secret []byte) (http.Handler, error) {
	return webwidget.New(webwidget.Options{
		Conversations: driver.Conversations(), Secret: secret, Origins: []string{"https://shop.example.com"},
	})
}

var _, _ = onSlack, chat // compiled, and shown by docs/how-to/channels.md
