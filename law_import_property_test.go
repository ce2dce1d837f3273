package fermata_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// mutated is a journal with one thing in it that is not as the run wrote it.
func mutated(r *rapid.T, list []journal.Entry) []journal.Entry {
	list = slices.Clone(list)
	i := rapid.IntRange(0, len(list)-1).Draw(r, "entry")
	j := rapid.IntRange(0, len(list)-1).Draw(r, "other")
	e := &list[i]
	switch what := rapid.SampledFrom([]string{
		"drop", "swap", "copy", "kind", "value", "node", "visit", "attempt", "op", "to", "flags", "base", "body", "member", "name", "cut and end", "time", "answerer",
	}).Draw(r, "what"); what {
	case "drop":
		list = slices.Delete(list, i, i+1)
	case "swap":
		list[i], list[j] = list[j], list[i]
	case "copy":
		list = slices.Insert(list, j, *e)
	case "kind":
		e.Kind = list[j].Kind
	case "value":
		e.Value = []byte(rapid.SampledFrom([]string{`"steal"`, `7`, `null`, `{}`, `[]`, `{"approve":"maybe"}`}).Draw(r, "value"))
	case "node":
		e.Node = list[j].Node
	case "visit":
		e.Visit += uint32(rapid.IntRange(0, 2).Draw(r, "visit")) - 1
	case "attempt":
		e.Attempt += uint16(rapid.IntRange(0, 2).Draw(r, "attempt")) - 1
	case "op":
		e.Op = list[j].Op
	case "to":
		e.To = rapid.SampledFrom([]string{list[j].Node, list[j].To, node.End, node.Stop, "nowhere"}).Draw(r, "to")
	case "flags":
		e.Flags ^= 1 << rapid.IntRange(0, 7).Draw(r, "flag")
	case "base":
		e.Base = uint64(j)
	case "body":
		e.Body = list[j].Body
	case "member", "name":
		var body map[string]any
		if json.Unmarshal(e.Body, &body) != nil || len(body) == 0 {
			return list
		}
		names := make([]string, 0, len(body))
		for name := range body {
			names = append(names, name)
		}
		slices.Sort(names)
		name := rapid.SampledFrom(names).Draw(r, "member")
		if body[name] = any("x\u202e\n"); what == "member" {
			body[name] = rapid.SampledFrom([]any{nil, "completed", "answered", 7.0, true, []any{"x"}}).Draw(r, "to what")
		}
		e.Body, _ = json.Marshal(body) //nolint:errchkjson // it was read as JSON
	case "time":
		e.At += rapid.Int64Range(-1e9, 1e9).Draw(r, "later")
	case "answerer":
		if e.Kind == journal.InterruptResolved {
			e.Body = fmt.Appendf(nil, `{"state":"answered","by":%q}`, rapid.SampledFrom([]string{"", "Eve", "Ada"}).Draw(r, "by"))
		}
	case "cut and end":
		body := fmt.Appendf(nil, `{"status":%q}`, rapid.SampledFrom([]string{"completed", "failed", "cancelled"}).Draw(r, "status"))
		list = append(list[:j+1:j+1], journal.Entry{Kind: journal.RunFinished, At: list[j].At, Body: body})
	}
	for i := range list {
		list[i].Seq = uint64(i) + 1
	}
	return list
}

// Whatever is changed in the journal of a run, in a file that is sealed again: it is refused, or it is one that the run's plan
// could have written. It can be shown, exported and resumed then, nothing says that it is damaged, every answer fits its
// question, and nobody has answered who may not.
func TestJ6_WhatIsTakenInIsWhatARunCouldHaveWritten(t *testing.T) {
	var all []*original
	for _, c := range withUndos {
		all = append(all, finished(t, c))
	}
	refused, taken, whole := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		o := all[rapid.IntRange(0, len(all)-1).Draw(r, "run")]
		from := memory.New()
		list := mutated(r, o.journal[:rapid.IntRange(1, len(o.journal)).Draw(r, "until")])
		row := journal.RunRow{ID: drivenID, Status: "running"}
		if len(list) == 0 || from.Append(t.Context(), journal.Batch{Run: drivenID, Entries: list, Row: &row}) != nil {
			return
		}
		a, b := newRuntime(t, fermata.Options{Store: from}), newRuntime(t, fermata.Options{Store: memory.New()})
		var file bytes.Buffer
		if a.Export(t.Context(), drivenID, &file) != nil {
			return
		}
		_, err := b.Import(t.Context(), bytes.NewReader(file.Bytes()), fermata.ImportOptions{
			Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return o.plan, nil },
		})
		if err != nil {
			door, ok := errors.AsType[*fermata.Error](err)
			if refused++; !ok || door.Code != fermata.CodeInvalid {
				r.Errorf("refused for another reason: %v", err)
			}
			return
		}
		taken++
		if bytes.Equal(file.Bytes(), exports(t, o.clean.inner, drivenID)) {
			whole++
		}
		standsUp(r, b, o.plan)
	})
	t.Logf("%d were refused and %d taken in, of which %d had not changed", refused, taken, whole)
	if refused < (refused+taken)/5 || taken == 0 {
		t.Errorf("%d were refused and %d taken in: the test changes too little, or too much", refused, taken)
	}
}

// standsUp looks at a run in every way.
func standsUp(r *rapid.T, rt *fermata.Runtime, p *plan.Plan) {
	bad := func(what string, err error) {
		if errors.Is(err, journal.ErrCorrupt) {
			r.Errorf("%s: %v", what, err)
		}
	}
	ctx := context.Background()
	res, err := rt.Result(ctx, drivenID, p)
	bad("its result", err)
	last := int64(math.MinInt64)
	for e, err := range rt.History(ctx, drivenID) {
		bad("its history", err)
		if e.Entry.At < last {
			r.Errorf("law J12: entry %d is earlier than the one before", e.Entry.Seq)
		}
		last = e.Entry.At
	}
	bad("its export", rt.Export(ctx, drivenID, &bytes.Buffer{}))
	outlook, err := rt.CanResume(ctx, journal.RunFilter{ID: drivenID}, fermata.ResumeCheck{
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return p, nil },
	})
	bad("resuming it", err)
	for _, o := range outlook {
		if strings.Contains(o.Reason, journal.ErrCorrupt.Error()) {
			r.Errorf("resuming it: %s: %s", o.Verdict, o.Reason)
		}
	}
	asked, err := rt.Inbox(ctx, journal.InboxFilter{Run: drivenID, All: true})
	bad("its questions", err)
	for _, q := range asked {
		if q.IsOpen() && res.Status.Ended() {
			r.Errorf("it is %s, and %s is open", res.Status, q.ID)
		}
		if q.State != journal.Answered {
			continue
		}
		if len(q.ResponseSchema) > 0 {
			if s, err := schema.Parse(q.ResponseSchema); err != nil || s.Check(q.Answer) != nil {
				r.Errorf("law H2: %s was answered with %s, and takes %s", q.ID, q.Answer, q.ResponseSchema)
			}
		}
		if q.Deadline == 0 && !fermata.SamePerson(q.Assignee, q.AnsweredBy) && q.Assignee != "" {
			r.Errorf("law H7: %s is for %s, and was answered by %s", q.ID, q.Assignee, q.AnsweredBy)
		}
		if slices.ContainsFunc(q.NotBy, func(id string) bool { return fermata.SamePerson(id, q.AnsweredBy) }) {
			r.Errorf("law H6: %s was answered by %s", q.ID, q.AnsweredBy)
		}
	}
}
