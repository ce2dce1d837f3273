// Package slack is the channel of a Slack app: direct messages and mentions, with buttons for choices.
//
//	ch := slack.New(slack.Options{SigningSecret: os.Getenv("SLACK_SIGNING_SECRET"), Token: os.Getenv("SLACK_TOKEN")})
//
// The app subscribes to the bot events message.im and app_mention, and switches interactivity on; the request URL of both is
// the driver's, such as https://bot.example.com/channels/slack. A user has one conversation in each channel of Slack;
// outside of direct messages it is held in a thread, and its messages are those that mention the bot. Slack has no key
// that tells a repeated message, so one that was sent just before a crash comes twice. An edited mention is another event of Slack about the same
// message: it counts once. With [Options.Locale], conversations begin in the user's language.
package slack
