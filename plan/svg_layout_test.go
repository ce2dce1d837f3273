package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever leads where, boxes and labels do not lie on one another, links lead down but for those of loops, and equal
// sheets have equal layouts.
func TestLayoutsDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "boxes")
		var a, b sheet
		for range n {
			one := box{w: 2 * rapid.IntRange(5, 120).Draw(t, "w"), h: rapid.IntRange(10, 200).Draw(t, "h")}
			a.boxes = append(a.boxes, one)
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "links") {
			l := link{from: rapid.IntRange(0, n-1).Draw(t, "from"), to: rapid.IntRange(0, n-1).Draw(t, "to"), w: rapid.IntRange(0, 80).Draw(t, "label")}
			a.links = append(a.links, l)
		}
		b.boxes, b.links = slices.Clone(a.boxes), slices.Clone(a.links)
		a.layout()
		b.layout()
		if !slices.Equal(a.boxes, b.boxes) {
			t.Fatalf("two layouts differ:\n%+v\n%+v", a.boxes, b.boxes)
		}
		for i, v := range a.boxes {
			if v.x-v.w/2 < 0 || v.x+v.w/2 > a.w+1 || v.y+v.h/2 > a.h+1 {
				t.Errorf("box %d is outside of the sheet of %d times %d: %+v", i, a.w, a.h, v)
			}
			for j, w := range a.boxes[:i] {
				if abs(v.x-w.x) < (v.w+w.w)/2 && abs(v.y-w.y) < (v.h+w.h)/2 {
					t.Errorf("boxes %d and %d lie on one another: %+v, %+v", i, j, v, w)
				}
			}
		}
		for _, l := range a.links {
			if top, bottom := l.ends(); top != bottom && a.boxes[top].y >= a.boxes[bottom].y {
				t.Errorf("a link leads up, and is not said to: %+v", l)
			}
		}
	})
}

func abs(n int) int { return max(n, -n) }
