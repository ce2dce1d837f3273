// Package whatsapp is the channel of a WhatsApp business number, by Meta's Cloud API.
//
//	ch := whatsapp.New(whatsapp.Options{
//		AppSecret: os.Getenv("WHATSAPP_APP_SECRET"), VerifyToken: os.Getenv("WHATSAPP_VERIFY_TOKEN"),
//		Token: os.Getenv("WHATSAPP_TOKEN"), PhoneNumberID: "106540352242922",
//	})
//
// The app subscribes to the webhook field messages with the driver's address, https://bot.example.com/channels/whatsapp, and
// the verify token. WhatsApp takes answers within 24 hours after a message of the user, and refuses later ones; they are
// logged and left out. It has no key that tells a repeated message. Users who show a name in place of their number are known by
// their id for the business. Messages in groups are left alone.
package whatsapp
