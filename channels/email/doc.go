// Package email is the channel of a mailbox.
//
// Messages come as raw MIME by a signed webhook, and answers go by SMTP.
//
//	ch := email.New(email.Options{
//		Secret: os.Getenv("EMAIL_SECRET"), From: "Bank <bank@example.com>",
//		Server: "smtp.example.com:465", Username: "bank@example.com", Password: os.Getenv("SMTP_PASSWORD"),
//	})
//
// The mail server pipes each message to the driver: the body of the request is the message, and it is signed with the
// secret over a timestamp, a dot and the body.
//
//	#!/bin/bash
//	body=$(mktemp); trap 'rm -f "$body"' EXIT; { head -c 4000000; cat > /dev/null; } > "$body"; at=$(date +%s)
//	sum=$({ printf '%s.' "$at"; cat "$body"; } | openssl dgst -sha256 -hmac "$EMAIL_SECRET" -r | cut -d' ' -f1)
//	curl --fail --data-binary @"$body" -H 'Content-Type: message/rfc822' -H "X-Timestamp: $at" -H "X-Signature: $sum" https://bot.example.com/channels/email
//
// It leaves out what is behind the first 4 MB, which is of the files that are attached.
//
// A thread is a conversation. Quoted text and signatures are cut off; automatic replies, bounces and lists are ignored.
// Anybody can write any address into a message: [Options.Accept] decides whether the mail server has checked the
// sender, and [Verified] asks for DMARC. An answer that is sent twice has the same Message-ID, by which most mail servers keep one of them.
package email
