// Package web is the HTTP face of conversations: users send messages and receive replies.
//
//	talks := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
//	handler := web.New(talks, web.Options{Authorize: whoMaySpeak})
//	http.Handle("/conversations", handler)
//	http.Handle("/conversations/", handler)
//
// There are these requests:
//
//	GET  /conversations                 the conversations that are with a person, for whom Options.Desk lets in
//	POST /conversations                 begins the conversation that Options.Open says, or finds it: {"conversation", "created", "said": […], "seq", …}
//	GET  /conversations/{id}            how it stands: {"pending": …, "handoff", "busy", "closed", "seq"}
//	POST /conversations/{id}/messages   {"id": "m1", "text": "send 50 to Ada"}, or {"commands": [{"type": "affirm"}]}
//	GET  /conversations/{id}/messages   what is said, as server-sent events; ?after= begins after a seq
//	GET  /conversations/{id}/socket     both, as a WebSocket; ?after= likewise
//	GET  /review                        a dialogue.Review, for whom Options.Review lets in
//	GET  /review/{id}                   a dialogue.Look: how each message of one was understood, and where it stands, likewise
//
// A review takes the parameters since and until (RFC 3339), flow, mark (several times), left (24h), limit (20, at most 500) and
// after, as dialogue.ReviewQuery has them. It has a path of its own, so that a server that serves users need not serve it.
//
// A message is answered with {"said": […], "pending": …, "again", "handoff", "busy", "closed", "seq"}. One whose id has
// come before counts once and is answered as it was (see dialogue.Conversations.Send), so a client that has lost the answer
// sends it again, this way or the other. 409 says that the conversation waits for another person (busy), 422 that an agent speaks while nobody has taken
// over (not_taken_over), and the message was not taken; 410 that it is over. A message that was taken is carried through, also when its client has gone. Every refusal is
// {"error": "…", "code": "…"}, where the code is busy, closed, forbidden, invalid, limit,
// not_found, not_taken_over, stopped or internal.
//
// A message may have a language ("de"): the conversation goes on in it, and a message with nothing else has what stands asked
// again in it. One that the dialogue does not have is refused (invalid). Where a dialogue has several languages, "language" says
// in which one the conversation is.
//
// A pending task has an id. A client sends it back as "question" with what its user answers: where another client has changed
// what is asked by then, the answer is not taken, and the user is asked again. Without it an answer counts for the question
// that stands when it comes. A person who has taken over sends "handoff": once the conversation was given back, their words
// answer no question of the user.
//
// An event has its seq as its id and a dialogue.Delivery as its data. A client that comes back with the header
// Last-Event-ID misses and repeats nothing (law E1). One that does not read is cut off, and the conversation never waits
// for it (law E3). The last event of a conversation that is over is of type end. Values that an action streams
// come as events of type piece, without an id: a dialogue.Piece each (law E2).
//
// # WebSockets
//
// A client sends messages as POST takes them, each as a text. It gets the same events, each as one text, in
// order; with the last id that it has seen as ?after= it misses and repeats nothing when it comes back:
//
//	{"event": "message", "id": 42, "data": {"conversation": …, "seq": 42, "said": {…}}}
//	{"event": "reply", "data": {"to": "m1", "pending": …, "seq": 47}}
//	{"event": "error", "data": {"to": "m1", "status": 409, "error": "…", "code": "busy"}}
//	{"event": "end", "data": {}}
//
// Each message has a reply or an error, with its id, which comes after everything that was said in answer. Messages wait
// for their turn, 16 of them; one more is an error with status 429, and was not taken. Those that were taken are said even
// when the connection is cut. A client that has no reply sends its message again, with the same id.
//
// The server pings, and cuts off clients that do not answer or do not read. It closes with a reason: 1000 the conversation
// is over, 1001 the server is shutting down, 1003 binary data, 1008 its user may speak no more, 1009 a message of more
// than 64 KiB, 1011 an internal error. Pages of other origins are refused unless Options.Origins lists them.
//
// [Options.Authorize] decides who may speak in which conversation; without it, nobody may. Only users whom it calls
// agents speak as agents.
package web
