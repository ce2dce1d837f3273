package node

import (
	"strings"
	"unicode"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// watch follows a reply of the model as it comes.
func (t *reasoner) watch(ctx Context) watcher {
	s := &shown{ctx: ctx}
	if t.Schema == nil {
		return s
	}
	f := &follower{t: t, texts: s, parsed: t.Schema.Stream(), shows: t.data(DataPatch)}
	if f.shows.Whole = f.whole; t.Stream == StreamSnapshot {
		f.shows.Mode = DataSnapshot
	}
	return f
}

// moveOn says that the answer which was shown so far is none, where this pass has shown it.
func (t *reasoner) moveOn(reason string) error {
	if !t.drafted {
		return nil
	}
	t.drafted = false
	d := t.data(DataDropped)
	d.Value = []byte(reason)
	return t.outer.host.Data(t.outer.pass, t.op, d)
}

// follower shows a typed answer while the model writes it. What comes in front of its JSON is shown as text, and the
// fence that models like to put around JSON is not shown at all.
type follower struct {
	t      *reasoner
	texts  *shown
	parsed *schema.Stream
	shows  Data // what is said of each piece

	held    string // text in front that may turn out to be a fence
	began   bool   // the JSON has begun
	broken  bool   // what comes is not followed any more
	refused int    // places that were not shown
}

// mostRefused is how many places that are not shown a reply is given diagnostics for: they are stored.
const mostRefused = 10

func (f *follower) see(chunk *model.Chunk) error {
	if chunk.Reasoning != "" {
		if err := f.texts.see(&model.Chunk{Reasoning: chunk.Reasoning}); err != nil {
			return err
		}
	}
	if chunk.Text == "" || f.broken {
		return nil
	}
	text := chunk.Text
	if !f.began {
		f.held += text
		start := strings.IndexAny(f.held, f.t.starts())
		if start < 0 {
			return f.front(false)
		}
		text, f.held = f.held[start:], f.held[:start]
		if err := f.front(true); err != nil {
			return err
		}
		f.began = true
	}
	d, err := f.parsed.Write(text)
	return f.step(d, err)
}

// front shows what came in front of the JSON, but not what may be a fence, nor the spaces before that.
func (f *follower) front(whole bool) error {
	shown := f.held
	if i := strings.IndexByte(shown, '`'); i >= 0 {
		shown = shown[:i]
	}
	shown = strings.TrimRightFunc(shown, unicode.IsSpace)
	f.held = f.held[len(shown):]
	if whole {
		f.held = ""
	}
	if shown == "" {
		return nil
	}
	return f.texts.see(&model.Chunk{Text: shown})
}

// step shows what a piece has added, and says what it had that cannot be shown.
func (f *follower) step(d schema.Delta, malformed error) error {
	if len(d.Patch) > 0 {
		data := f.shows
		if data.Mode == DataSnapshot {
			data.Value = f.parsed.JSON()
		} else {
			data.Value = d.Patch.AppendJSON(make([]byte, 0, 128))
		}
		f.t.drafted = true
		if err := f.t.outer.host.Data(f.t.outer.pass, f.t.op, data); err != nil {
			return err
		}
	}
	for _, p := range d.Refused {
		if err := f.refuse(p); err != nil {
			return err
		}
	}
	if malformed != nil {
		if f.broken = true; f.parsed.Whole() { // models say something behind it
			return nil
		}
		return f.refuse(schema.Problem{Message: malformed.Error()})
	}
	return nil
}

func (f *follower) whole() []byte { return f.parsed.JSON() }

// refuse reports to the operator which parts were not shown.
func (f *follower) refuse(p schema.Problem) error {
	if f.refused++; f.refused > mostRefused {
		return nil
	}
	return Emit(f.texts.ctx, EventDiagnostic, refusal(f.t.DataType, p))
}

// refusal is a diagnostic about a place of a value that was not shown.
func refusal(dataType string, p schema.Problem) any {
	return struct {
		Code     string `json:"code"`
		DataType string `json:"dataType,omitempty"`
		schema.Problem
	}{"data_refused", dataType, p}
}

func (f *follower) close() error {
	if f.began && !f.broken {
		d, err := f.parsed.Close()
		if failed := f.step(d, err); failed != nil {
			return failed
		}
	}
	return f.texts.close()
}
