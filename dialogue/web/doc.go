// Package web is the HTTP face of conversations: users send messages, and are told what is said to them while it is said.
//
//	talks := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
//	http.Handle("/conversations/", web.New(talks, web.Options{Authorize: whoMaySpeak}))
//
// There are two requests, about conversations that the program has opened.
//
//	POST /conversations/{id}/messages   {"id": "m1", "text": "send 50 to Ada"}, or {"commands": [{"type": "affirm"}]}
//	GET  /conversations/{id}/messages   what is said, as server-sent events; ?after= begins after a seq
//
// A message is answered with {"said": […], "pending": …, "again", "handoff", "busy", "closed", "seq"}. One whose id has
// come before counts once and is answered as it was (see dialogue.Conversations.Send), so a client that has lost the answer
// sends it again. 409 says that the conversation waits for somebody else, and the message was not taken; 410 that it is over.
//
// An event has its seq as its id and a dialogue.Delivery as its data. A client that comes back with the header
// Last-Event-ID misses and repeats nothing (law E1). One that does not read is cut off, and the conversation never waits
// for it (law E3). The last event of a conversation that is over is of type end.
//
// Who may speak in which conversation is for [Options.Authorize] to say: without it, nobody may. Only who it says is an
// agent speaks as one.
package web
