package telemetry

import (
	"strings"

	"github.com/fermata-go/fermata/node"
)

// around is the step that a call was made inside of, whichever try of it; "" for none.
func around(op string) string { return node.CallUntried(node.CallScope(op)) }

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
