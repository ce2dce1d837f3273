package recipe

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/document"
)

// newReport makes a report for a recipe and the files beside it.
func newReport() *document.Report { return &document.Report{Expected: "a recipe", Meant: meant} }

// otherWords are what other formats call a key, and what it is called here.
var otherWords = map[string][]string{
	"from": {"source"}, "to": {"target"}, "if": {"when"}, "timeout": {"timeout_seconds"}, "role": {"required_role"},
	"retries": {"max_retries"}, "every": {"cron"}, "timezone": {"time_zone"}, "zone": {"time_zone"}, "jitter": {"jitter_seconds"}, "steps": {"nodes", "max_steps"}, "concurrency": {"limit"}, "max_concurrency": {"limit"},
	"items": {"in"}, "default": {"default_route"}, "question": {"prompt"}, "message": {"prompt"}, "name": {"id"}, "agent": {"agent_ref"},
	"start": {"entry_point"}, "exec_mode": {"execution_mode"}, "mode": {"execution_mode"}, "cmd": {"command"}, "args": {"command"}, "inputs": {"inputs_map"}, "outputs": {"outputs_map"},

	// types of nodes
	"person": {typeHuman}, "user": {typeHuman}, "people": {typeHuman}, "approval": {typeHuman}, "switch": {typeRouter}, "branch": {typeRouter},
	"wait": {typeReceive}, "signal": {typeReceive}, "event": {typeReceive}, "webhook": {typeReceive},
	"gate": {typeRouter}, "task": {typeAgent}, "function": {typeAgent}, "tool": {typeAgent},
}

// meant is the end of a message about a word that is not known: what it is called here, or where it belongs; "" where that
// cannot be told.
func meant(found string, known []string) string {
	for _, word := range otherWords[found] {
		if slices.Contains(known, word) {
			return fmt.Sprintf("; did you mean %q?", word)
		}
	}
	if slices.Contains(known, "topology") && slices.Contains(topologyKeys, found) {
		return "; it belongs into topology"
	}
	return ""
}
