package expression

import "testing"

func TestPaths(t *testing.T) {
	bb := boardOf(t, sample)
	for _, tc := range []struct {
		path, want, fails string
	}{
		{path: "n", want: "3"},
		{path: "o.a.b.0", want: "10"},
		{path: "list.2.x", want: `"y"`},
		{path: "a-b", want: "7"},
		{path: "nothing", want: "null"},
		{path: "zz?", want: "missing"},
		{path: "o.zz.y?", want: "missing"},
		{path: "itms", fails: `path "itms": nothing is called "itms" here; did you mean "items"?`},
		{path: "o.a.c", fails: `path "o.a.c": "o.a" holds no "c"`},
		{path: "list.3", fails: `path "list.3": "list" is a list of 3: it has no element 3`},
		{path: "list.x", fails: `path "list.x": "list" is a list: expected the number of an element, found "x"`},
		{path: "s.x", fails: `path "s.x": "s" is the text "text": it holds no "x"`},
		{path: "nothing.x", fails: `path "nothing.x": "nothing" is null: it holds no "x"`},
	} {
		p, err := ParsePath(tc.path)
		if err != nil {
			t.Fatal(err)
		}
		v, ok, err := p.In(bb)
		got := "missing"
		if ok {
			got = Text(v)
			if s, isText := v.(string); isText {
				got = `"` + s + `"`
			}
		}
		switch {
		case tc.fails != "" && (err == nil || err.Error() != tc.fails):
			t.Errorf("%s: %v; expected %s", tc.path, err, tc.fails)
		case tc.fails == "" && (err != nil || got != tc.want):
			t.Errorf("%s: %s, %v; expected %s", tc.path, got, err, tc.want)
		}
	}
	for _, bad := range []string{"", "?", "a..b", ".a", "a[0]", "a b", "a?.b", "{{ a }}"} {
		if _, err := ParsePath(bad); err == nil {
			t.Errorf("%q was taken as a path", bad)
		}
	}
	if p, err := ParsePath("."); err != nil || len(p.Segments) != 0 {
		t.Errorf("the whole: %v, %v", p, err)
	}
}
