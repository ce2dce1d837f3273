package dialoguetest

import (
	"maps"
	"slices"

	"github.com/fermata-go/fermata/dialogue"
)

// Coverage is what of a dialogue its tests have reached.
type Coverage struct {
	Flows, Steps, Patterns int      // how many there are; of the patterns those that the dialogue says itself
	FlowsMissed            []string // that no test begins
	StepsMissed            []string // "transfer/ok"; not of flows that no test begins
	PatternsMissed         []string // "cancel", "transfer/cancel"
}

// covered collects what tests reach.
type covered struct {
	flows    []string
	steps    map[string][]string // of a flow
	patterns []string
	talks    map[string]bool // patterns that say something
	visited  map[string]bool
	said     map[string]bool
}

func newCoverage(d *dialogue.Dialogue) *covered {
	c := &covered{steps: make(map[string][]string), talks: make(map[string]bool), visited: make(map[string]bool), said: make(map[string]bool)}
	def := d.Definition()
	c.own("", def.Patterns)
	for i := range def.Flows {
		f := &def.Flows[i]
		c.flows = append(c.flows, f.Name)
		c.steps[f.Name] = stepsOf(f.Name, f.Steps)
		c.own(f.Name+"/", f.Patterns)
	}
	return c
}

// own adds patterns that say something.
func (c *covered) own(prefix string, patterns map[dialogue.PatternName]dialogue.Pattern) {
	for _, name := range slices.Sorted(maps.Keys(patterns)) {
		if patterns[name].Message != "" {
			c.patterns = append(c.patterns, prefix+string(name))
		}
	}
}

func stepsOf(flow string, steps []dialogue.Step) []string {
	var all []string
	for i := range steps {
		all = append(all, flow+"/"+steps[i].ID)
		all = append(all, stepsOf(flow, steps[i].Steps)...)
	}
	return all
}

// add adds what a test has reached.
func (c *covered) add(r *Result) {
	maps.Copy(c.visited, r.visited)
	for _, x := range r.Talk {
		for _, s := range x.Said {
			if s.Pattern != "" {
				c.said[string(s.Pattern)] = true
				c.said[s.Flow+"/"+string(s.Pattern)] = true
			}
		}
	}
}

func (c *covered) coverage() Coverage {
	out := Coverage{Flows: len(c.flows), Patterns: len(c.patterns)}
	for _, flow := range c.flows {
		out.Steps += len(c.steps[flow])
		if !c.visited[flow] {
			out.FlowsMissed = append(out.FlowsMissed, flow)
			continue
		}
		for _, step := range c.steps[flow] {
			if !c.visited[step] {
				out.StepsMissed = append(out.StepsMissed, step)
			}
		}
	}
	for _, name := range c.patterns {
		if !c.said[name] {
			out.PatternsMissed = append(out.PatternsMissed, name)
		}
	}
	return out
}
