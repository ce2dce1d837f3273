// Package server is the HTTP handler of a runtime: events, the state of runs, and open questions. It streams the events
// of runs as they happen (server-sent events) and accepts answers to the questions.
//
//	rt, err := fermata.New(fermata.Options{Store: sqlite.MustOpen("triage.db")})
//	err = http.ListenAndServe("127.0.0.1:8080", server.New(rt, server.Options{}))
//
// It starts no runs, knows no plans and no stores, and does not listen: the caller does, on which address and with
// which limits it likes. Without [Options.Authorize], everyone who reaches the handler may read and answer everything,
// in any name and role: bind it to the loopback interface, or authorise. Only runs that are stored are shown.
//
// # Events
//
// The right to read is decided when a stream is opened, at each event about a question or about how the run stands, and
// at intervals ([Options.Recheck]); events of questions that the reader may not read are left out of it.
//
// GET /runs/{run}/events is a stream of server-sent events, each with the event's envelope as its data
// (docs/formats.md). It begins after the seq that the header Last-Event-ID or the parameter after names, or with the
// run's first event, and goes on until the run has ended or, with follow=false, to the end of what is stored.
//
//	id: 42
//	data: {"v":1,"seq":42,"sub":0,"type":"node.finished",…}
//
// Events that are stored have their seq as their id. Transient ones (text while it is written) have none, so a client
// that comes back names the last stored event that it saw, and misses nothing (law E1). Text that was shown in the
// meantime comes as one delta with the member soFar.
//
// The last event of a stream that has come to its end is of type end, and that of one that failed is of type error:
//
//	event: end
//	data: {"run":"run_…","seq":43,"status":"completed"}
//
//	event: error
//	data: {"error":"the store failed","code":"store"}
//
// After end a client has nothing to come back for; one that does is told so with status 204, at which EventSource stops
// by itself. A stream that is cut without either, or with an error, can be resumed. Silence is broken by comments
// ([Options.Heartbeat]). A client that reads nothing for [Options.WriteTimeout] is disconnected; the run never waits
// for a client (law E3).
//
// # Questions
//
//	GET  /runs/{run}               how it stands: status, outputs, open questions
//	GET  /interrupts               what waits for people, the oldest first; ?role= only for that role, ?run= of that run, ?skip=dialogue without those of users
//	POST /interrupts/{id}/answer   {"value": …, "note": "why", "by": "Ada", "role": "editor", "token": "…"}
//	POST /interrupts/{id}/claim    {"by": "Ada", "role": "editor"}, and /release
//	POST /interrupts/{id}/reassign {"to": "Bob", "toRole": "editor", "note": "on holiday", "by": "Ada", "role": "editor"}, and /escalate
//	POST /runs/{run}/messages/{name}  the message; Idempotency-Key: its id, ?wait=30s: the reply
//
// An answer that is accepted, or has been given before, is 200. One that does not fit is 422 with its problems, and
// leaves the question open (law H2); a different answer than the one given is 409, one that comes too late 410, one in
// the wrong role or with the wrong token 403; a body that is no JSON 400, one that is a form or another type 415. Then the run goes on, where this runtime knows its plan.
//
// Every refusal is {"error": "…", "code": "…"}. Bodies are bounded, pages of other origins are refused unless
// [Options.Origins] lists them, and what is logged holds neither answers nor tokens (law H5).
package server
