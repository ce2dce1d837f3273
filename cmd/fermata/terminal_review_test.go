//go:build linux

package main

import "testing"

const draft = `
metadata: {name: letter}
interface: {inputs: {}}
state: {properties: {draft: {type: string, maxLength: 20}, check: {type: object, default: {action: approve, note: ""}}}}
agents:
  write: {kind: expr, set: {draft: "'Dear all' + check.note"}}
  send: {kind: expr, set: {sent: draft}}
entry_point: write
nodes:
  - {type: agent, id: write, agent_ref: write}
  - {type: human, id: check, prompt: "Send it?", review: {value: draft, send_back: write}}
  - {type: agent, id: send, agent_ref: send}
edges: [{source: write, target: check}, {source: check, target: send}]
`

// A review on a terminal: sent back with a note, which it insists on, and then edited where it stands.
func TestTerminalReview(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, draft), "run", ".")
	s.sees("1 approve")
	s.types("s")
	s.sees("❯ 4 send_back")
	s.types(enter)
	s.sees("note: what is to be done")
	s.types("!", enter)
	s.sees("value  Dear all!")
	s.sees("1 approve")
	s.types(down, down)
	s.sees("❯ 2 edit")
	s.types(enter)
	s.sees("ctrl+e")
	s.types("?", enter)
	s.ends(exitCompleted)
	s.sees("sent   Dear all!?")
}
