package question

import (
	"encoding/json"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// InterruptEntry returns an entry about a question, with its body as JSON. It belongs to the task that asked.
func InterruptEntry(q *journal.Interrupt, kind journal.Kind, now int64, body any) journal.Entry {
	path, visit := nodehost.CutTask(q.Task)
	data, _ := json.Marshal(body) //nolint:errchkjson // bodies are strings and numbers
	return journal.Entry{Kind: kind, At: now, Node: path, Visit: uint32(visit), Op: q.ID, Body: data}
}
