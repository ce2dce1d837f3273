// Package telegram is the channel of a Telegram bot.
//
//	ch := telegram.New(telegram.Options{Token: os.Getenv("TELEGRAM_TOKEN"), Secret: os.Getenv("TELEGRAM_SECRET")})
//
// The webhook is set once, with the same secret:
//
//	curl "https://api.telegram.org/bot$TELEGRAM_TOKEN/setWebhook" -d url=https://bot.example.com/channels/telegram -d secret_token="$TELEGRAM_SECRET"
//
// Telegram sends the secret in a header, and no timestamp. In a private chat choices are a keyboard, in a group buttons
// below the message; a user has a conversation of their own in each chat. In groups the bot hears replies to it, commands,
// and mentions of [Options.Name]. A conversation begins in the language of the user's app. Telegram has no key that tells a repeated
// message.
package telegram
