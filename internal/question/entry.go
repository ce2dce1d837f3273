package question

import (
	"encoding/json"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Change is an entry about a question. The zero value changes nothing.
type Change struct {
	Entry journal.Entry // without its seq
	Body  any           // pointer to what the entry's body encodes
}

// IsNone reports whether nothing changes.
func (c *Change) IsNone() bool { return c.Body == nil }

// ChangeOf returns an entry about a question, with its body, given as a pointer, as JSON. It belongs to the task that asked.
func ChangeOf(q *journal.Interrupt, kind journal.Kind, now int64, body any) Change {
	path, visit := nodehost.CutTask(q.Task)
	data, _ := json.Marshal(body) //nolint:errchkjson // bodies are strings and numbers
	return Change{Entry: journal.Entry{Kind: kind, At: now, Node: path, Visit: uint32(visit), Op: q.ID, Body: data}, Body: body}
}
