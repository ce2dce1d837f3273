// Package api is an HTTP handler with which clients start, show, answer, cancel and retry runs.
//
//	rt, err := fermata.New(fermata.Options{Store: sqlite.MustOpen("orders.db")})
//	handler, err := api.New(rt, api.Options{Definitions: []api.Definition{{Plan: orders.Plan()}}})
//	err = http.ListenAndServe("127.0.0.1:8080", handler)
//
// It adds starting to package server, whose routes it serves below /api. It does not listen, and executes nothing but what the
// runtime does. Without [server.Options.Authorize], everyone who reaches the handler may do everything: bind it to the loopback
// interface, or authorise.
//
//	GET  /api/definitions                  what runs can be started of
//	GET  /api/definitions/{name}           one of them, with the JSON Schema of its inputs
//	GET  /api/definitions/{name}/graph.svg its drawing
//	POST /api/runs                         {"definition": "refund", "input": {"amount": 120}}, see below
//	POST /api/runs/{run}/cancel            {"reason": "ordered twice", "by": "Ada"}
//	POST /api/runs/{run}/retry             {}
//	POST /api/runs/{run}/fork              {"askAgain": ["review#1"], "dryRun": true}
//	GET  /api/runs/{run}/state             ?at=SEQ: the state when that entry was stored
//	GET  /api/runs/{run}/graph.svg         ?at=SEQ: the drawing, with the path that the run took
//	GET  /api/runs/{run}/diff              ?at=SEQ&with=RUN&withAt=SEQ: what differs
//	GET  /api/runs/{run}/export            the run as a file
//	GET  /api/runs, /api/interrupts, …     as package server describes them
//	GET  /api/schedules                    rules, next occurrences and newest runs
//	GET  /api/audit                        who has done what
//	GET  /openapi.json                     all of this as an OpenAPI 3.1 document
//	GET  /healthz                          200 while the process serves
//	GET  /readyz                           200 while the store answers; else 503
//
// # Starting
//
// A start is answered with 201, the run's id and its address in Location. With the header Idempotency-Key it takes effect once:
// the id of the run is made from the key and from who asks ([RunID]), so the same request again is answered with 200, the same
// run, and Idempotency-Replayed: true. A key that was used for another definition or another input is status 422. The promise
// lasts as long as the run is stored. A run can be given an id instead; one that exists is status 409.
//
// # Refusals
//
// Every refusal is a problem document (RFC 9457, application/problem+json) with the members of [Problem]. Its code is one of
// fermata.Code. Bodies are bounded ([Options.MaxBody]), and pages of other origins and requests that name an unknown host are
// refused (see server.Options).
package api
