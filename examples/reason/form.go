package main

import (
	"cmp"
	"fmt"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// Outage is a report to be written, and what people have noted.
type Outage struct {
	Notes  string `json:"notes"`
	Report Report `json:"report,omitzero"`
}

// Report is the form.
type Report struct {
	Title    string   `json:"title"`
	Severity string   `json:"severity" enum:"low,medium,high"`
	Affected []string `json:"affected" jsonschema:"names of services"`
	Timeline []Moment `json:"timeline"`
	Lesson   string   `json:"lesson" jsonschema:"what to do differently, a sentence"`
}

// Moment is a line of the timeline.
type Moment struct {
	At   string `json:"at" jsonschema:"like 14:05"`
	What string `json:"what"`
}

// newForm shows the report while the model writes it: as patches, which observers apply to what they have.
func newForm() *graph.Graph[Outage] {
	return graph.Of("form", func(ctx node.Context, o Outage) (Outage, error) {
		var err error
		o.Report, err = node.Reason[Report](ctx, node.Reasoning{
			System: "Write the report about an outage.",
			Prompt: o.Notes,
			Stream: node.StreamPatch,
		})
		return o, err
	}).MustCompile()
}

func (o Outage) String() string { return fmt.Sprintf("%s: %s", o.Report.Title, o.Report.Lesson) }

// lines draws the report as far as it has come.
func (r *Report) lines() []string {
	lines := []string{
		"│ title     " + r.Title,
		"│ severity  " + r.Severity,
	}
	for i, name := range r.Affected {
		lines = append(lines, label(i, "affected")+name)
	}
	for i, m := range r.Timeline {
		lines = append(lines, label(i, "timeline")+m.At+"  "+m.What)
	}
	return append(lines, "│ lesson    "+r.Lesson)
}

// label is the name of a list in front of its first item, and as much space before the others.
func label(i int, name string) string {
	if i > 0 {
		name = ""
	}
	return fmt.Sprintf("│ %-10s", name)
}

// form is the report's graph.
func form() part {
	p := newPart(
		"form", newForm(), func(text string) Outage {
			return Outage{Notes: cmp.Or(text, "14:02 checkout slow, 14:09 payments too, 14:20 old index put back, all fine 14:26. It was the new index.")}
		},
		script{"Write the report": {says(`{"title":"Checkout was slow","severity":"high","affected":["checkout","payments"],` +
			`"timeline":[{"at":"14:02","what":"Checkout takes ten seconds."},{"at":"14:09","what":"Payments time out."},` +
			`{"at":"14:20","what":"The old index is put back."},{"at":"14:26","what":"All is well."}],` +
			`"lesson":"Try a new index on a copy of the data."}`)}},
	)
	p.draw = drawn((*Report).lines)
	return p
}
