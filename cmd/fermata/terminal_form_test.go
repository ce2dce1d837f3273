//go:build linux

package main

import "testing"

const order = `
metadata: {name: order}
interface: {outputs: {order: {}}}
entry_point: order
nodes:
  - type: human
    id: order
    prompt: "What, and how is it paid?"
    response:
      type: object
      required: [lines, payment]
      properties:
        lines:
          type: array
          minItems: 1
          items: {type: object, required: [sku, n], properties: {sku: {type: string, pattern: "^[a-z]+$"}, n: {type: integer, minimum: 1}}}
        payment:
          oneOf:
            - {title: by card, type: object, required: [card], properties: {card: {type: string}}}
            - {title: in cash, type: object, additionalProperties: false}
            - {title: by transfer, type: object, required: [kind, account], properties: {kind: {const: transfer},
               account: {type: object, required: [bank, number], properties: {bank: {type: object, required: [name], properties: {name: {type: string}}}, number: {type: integer}}}}}
`

// A list of objects, alternatives and objects within objects are filled in on a terminal, and nobody writes JSON.
func TestTerminalParts(t *testing.T) {
	t.Parallel()
	s := sit(t, place(t, order), "run", ".")
	s.sees("lines: 0")
	s.types(enter)
	s.sees("lines 1: sku")
	s.types("0", enter)
	s.sees("expected at least 1, found 0")
	s.types("\x7f", "2", enter)
	s.types("X", enter)
	s.sees("expected a string that matches ^[a-z]+$")
	s.types("\x7f", "ink", enter)
	s.sees("lines: 1")
	s.types(down, enter)
	s.sees("lines 2: sku")
	s.types("1", enter, "pen", enter)
	s.sees("lines: 2")
	s.sees("remove 2: 1, pen")
	s.types(down, down, down, down)
	s.sees("❯ remove 1: 2, ink")
	s.types(enter)
	s.sees("lines: 1")
	s.sees("❯ done")
	s.types(enter)
	s.sees("1 by card")
	s.types("b", "y", enter)
	s.sees(`"by" may be by card or by transfer: type more`)
	s.types(" ", "t")
	s.sees("❯ 3 by transfer")
	s.types(enter)
	s.sees("payment: account.bank.name")
	s.types("GLS", enter)
	s.types("7", enter)
	s.ends(exitCompleted)
	s.sees("pen")
	s.sees("transfer")
	s.sees("GLS")
}
