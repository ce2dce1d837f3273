// Package twilio is the channels of a Twilio number: SMS ([NewSMS]) and phone calls ([NewVoice]).
//
//	sms := twilio.NewSMS(twilio.Options{AccountSID: sid, AuthToken: token, From: "+15550100"})
//	voice := twilio.NewVoice(twilio.Options{AuthToken: token, Language: "en-US"})
//
// The number's webhook for messages is the driver's https://bot.example.com/channels/twilio-sms, and that for calls
// https://bot.example.com/channels/twilio-voice, which is its status callback, too. Twilio signs the address that it calls: set
// channels.Options.Address to what it was given. Its signature has no timestamp; the ids of messages make a request
// that is sent again harmless.
//
// A sender's number can be forged in SMS: a dialogue asks for more before it does what matters. A call is one conversation.
// Twilio has no key that tells a repeated SMS. A call is spoken and heard in the language of its conversation, see
// [Options.Voices].
package twilio
