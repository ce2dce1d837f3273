package plan_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// The picture of every shape is pinned, the same each time, and well-formed.
func TestPictures(t *testing.T) {
	for name, p := range shapes(t) {
		t.Run(name, func(t *testing.T) {
			picture := p.SVG()
			if name == "release" { // docs/formats.md shows it
				golden.File(t, "testdata/release.svg", picture)
			} else {
				drawn(t, name+".svg", picture)
			}
			wellFormed(t, picture)
		})
	}
}

func wellFormed(t *testing.T, picture string) {
	t.Helper()
	for dec := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// The path that a run took has colours, signs and counts.
func TestPicturesShowThePathTaken(t *testing.T) {
	d := plan.Drawing{Plan: shapes(t)["nested"], Taken: map[string]string{
		"start here": "completed", "inner": "running", "inner/prepare": "completed", "inner/draft": "running",
		"inner/draft/write": "failed", "inner/draft/good": "paused", "publish": "skipped", "give up": "odd\x1b",
	}, Went: map[plan.Way]int{{From: "", To: "start here"}: 1, {From: "start here", To: "inner"}: 2, {From: "inner", To: node.End}: 1}}
	drawn(t, "taken.svg", d.SVG())
	wellFormed(t, d.SVG())
	if !strings.Contains(d.SVG(), "×2") {
		t.Error("an edge that was taken twice does not say so")
	}
}
