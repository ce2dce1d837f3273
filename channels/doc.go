// Package channels connects dialogues with the providers through which users write.
//
// They are Slack, WhatsApp, SMS, phone calls, Telegram and e-mail. Package webwidget is a chat for web pages.
//
//	driver, err := channels.New(channels.Options{
//		Runtime: rt, Dialogue: bank, Store: store,
//		Channels: []channels.Channel{slack.New(slack.Options{SigningSecret: secret, Token: token})},
//	})
//	go driver.Run(ctx)
//	http.Handle("/channels/", driver) // Slack calls https://bot.example.com/channels/slack
//
// A [Channel] checks the signature of a request, reads its messages and sends answers. The [Driver] does the rest: a
// message is stored in the mailbox of its user before the provider gets its response, counts once however often the
// provider repeats it, and is given to the conversation after those that came before. Answers are sent from a stored
// cursor, with retries; a crash at any moment loses nothing. A message may be sent twice if the process
// dies between sending it and recording that.
//
// A mailbox is a journal in the store of the conversations, so processes that share a store share mailboxes: one of
// them works on a mailbox at a time. The package keeps no message outside of the store, and never logs texts or
// secrets.
package channels
