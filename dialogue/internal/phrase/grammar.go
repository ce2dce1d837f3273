package phrase

import (
	"math"
	"slices"
	"strings"
)

// alternatives reads up to a closing bracket: every way to read what is there.
func (c *compiler) alternatives(closing byte) ([][]element, error) {
	var all [][]element
	start := c.at
	for {
		ways, err := c.sequence()
		if err != nil {
			return nil, err
		}
		all = append(all, ways...)
		if len(all) > maxVariants {
			return nil, c.fail(start, "its options and alternatives can be read in more than %d ways; make several phrases of it", maxVariants)
		}
		if c.at < len(c.text) && c.text[c.at] == '|' {
			if closing == 0 {
				return nil, c.fail(c.at, `"|" parts alternatives inside ( and ); put them around`)
			}
			c.at++
			continue
		}
		return all, nil
	}
}

func (c *compiler) sequence() ([][]element, error) {
	ways := [][]element{nil}
	for c.at < len(c.text) {
		var next [][]element
		var err error
		switch c.text[c.at] {
		case '|', ')', ']', '}':
			return ways, nil
		case '{':
			next, err = c.placeholder()
		case '[':
			if next, err = c.bracket(']'); err == nil {
				next = c.optional(next)
			}
		case '(':
			next, err = c.bracket(')')
		default:
			next = [][]element{c.literalRun()}
		}
		if err != nil {
			return nil, err
		}
		if len(ways)*len(next) > maxVariants {
			return nil, c.fail(0, "its options and alternatives can be read in more than %d ways; make several phrases of it", maxVariants)
		}
		ways = product(ways, next)
	}
	return ways, nil
}

func product(a, b [][]element) [][]element {
	all := make([][]element, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			all = append(all, slices.Concat(x, y))
		}
	}
	return all
}

func (c *compiler) bracket(closing byte) ([][]element, error) {
	open := c.at
	c.at++
	ways, err := c.alternatives(closing)
	if err != nil {
		return nil, err
	}
	if c.at >= len(c.text) || c.text[c.at] != closing {
		return nil, c.fail(open, "%q is not closed; %q is missing", c.text[open:open+1], string(closing))
	}
	c.at++
	if e, ok := c.together(ways); ok {
		return [][]element{{e}}, nil
	}
	return ways, nil
}

// together makes one element of alternatives that are all of words, so that they need not be compared one by one.
func (c *compiler) together(ways [][]element) (element, bool) {
	var forms []form
	weight, heavy := math.Inf(1), true
	for _, way := range ways {
		said, sum, about := []form{{worth: 1}}, 0.0, false
		for _, e := range way {
			if e.literal < 0 {
				return element{}, false
			}
			said = joined(said, c.m.literals[e.literal].forms, e.free)
			sum += e.weight
			about = about || e.heavy
		}
		forms = append(forms, said...)
		weight, heavy = min(weight, sum), heavy && about
	}
	forms = slices.DeleteFunc(forms, func(f form) bool { return len(f.words) == 0 })
	if len(forms) == 0 || len(forms) > maxVariants {
		return element{}, false
	}
	return element{literal: c.add(forms), slot: -1, weight: weight, heavy: heavy}, true
}

// joined is each form of one literal followed by each of another, which may be left out.
func joined(a, b []form, free bool) []form {
	var all []form
	for _, x := range a {
		if len(all) > maxVariants {
			break
		}
		for _, y := range b {
			all = append(all, form{slices.Concat(x.words, y.words), min(x.worth, y.worth)})
		}
		if free {
			all = append(all, x)
		}
	}
	return all
}

// optional is ways that may all be left out.
func (c *compiler) optional(ways [][]element) [][]element {
	if len(ways) == 1 && len(ways[0]) == 1 && ways[0][0].literal >= 0 {
		e := ways[0][0]
		e.weight, e.heavy, e.free = 0, false, true
		return [][]element{{e}}
	}
	return append(ways, nil)
}

func (c *compiler) placeholder() ([][]element, error) {
	open := c.at
	length := strings.IndexAny(c.text[open+1:], "{}[]()|")
	if length < 0 || c.text[open+1+length] != '}' {
		return nil, c.fail(open, `"{" is not closed; "}" is missing`)
	}
	name := strings.TrimSpace(c.text[open+1 : open+1+length])
	c.at = open + length + 2
	if name == "" {
		return nil, c.fail(open, "{} names no slot; write its name between the braces")
	}
	id := c.m.phrases[c.phraseAt].ID
	at, ok := c.slotOf[slotKey{id, name}]
	if !ok {
		if c.slots == nil {
			return nil, c.fail(open, "no slot %q", name)
		}
		slot, known := c.slots(id, name)
		if !known {
			return nil, c.fail(open, "no slot %q", name)
		}
		slot.Name = name
		if err := slot.check(); err != nil {
			return nil, c.fail(open, "slot %q: %s", name, err)
		}
		at = len(c.m.slots)
		c.m.sources = append(c.m.sources, c.source(slot))
		c.m.slots = append(c.m.slots, slot)
		c.slotOf[slotKey{id, name}] = at
		c.choices(slot)
	}
	weight := typedWeight
	if c.m.slots[at].inWords() {
		weight = textWeight
	}
	return [][]element{{{literal: -1, slot: at, weight: weight, heavy: c.strict}}}, nil
}
