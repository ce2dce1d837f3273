// Package console serves a web page on which people start, follow and answer runs.
//
//	handler, err := api.New(rt, api.Options{Definitions: definitions})
//	err = http.ListenAndServe("127.0.0.1:7788", console.Handler(handler))
//
// The page reads and changes runs only over the routes of package api, below /api on the same host, with the rights of
// the person who looks at it. This package never reads a run or a store: it serves files that are the same for everybody.
//
// The sources are in console/web, in TypeScript. The files that are served are built from them by "make console-build", are
// committed in console/dist, and are part of the binary. No host but the handler's own is asked for anything: no fonts, no
// scripts of others.
package console
