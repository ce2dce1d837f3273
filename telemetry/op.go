package telemetry

import (
	"strings"

	"github.com/fermata-go/fermata/node"
)

// The identity of a call is its kind, the step that it was made inside of, its key and its occurrence:
// "step:" + "step:charge#1" + node.Inside + "fee#1".

// kindOf is the kind of a call: "step".
func kindOf(op string) string {
	kind, _, _ := strings.Cut(op, ":")
	return kind
}

// around is the step that a call was made inside of, "" for none.
func around(op string) string {
	_, rest, _ := strings.Cut(op, ":")
	if cut := strings.LastIndex(rest, node.Inside); cut >= 0 {
		return untried(rest[:cut])
	}
	return ""
}

// untried is the identity of reasoning without which try it is: "reason:plan#1" of "reason:plan#1~2". All tries have one
// outcome in the end.
func untried(op string) string {
	if cut := strings.LastIndexByte(op, '~'); cut > strings.LastIndexByte(op, '#') && kindOf(op) == string(node.KindReason) {
		return op[:cut]
	}
	return op
}

// keyOf is the key of a call: "fee".
func keyOf(op string) string {
	_, key, _ := strings.Cut(op, ":")
	if cut := strings.LastIndex(key, node.Inside); cut >= 0 {
		key = key[cut+len(node.Inside):]
	}
	if cut := strings.LastIndexByte(key, '#'); cut >= 0 {
		key = key[:cut]
	}
	return key
}

// readable is an identity as people see it: "step:step:charge#1/fee#1".
func readable(op string) string {
	return strings.ReplaceAll(op, node.Inside, "/")
}
