package schema

import (
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// objects compares what is asked of objects: which properties they have, and what is in them.
func (c *comparison) objects(w written, r *jsonschema.Schema, path string) {
	for _, name := range r.Required {
		if w.requires(name) {
			continue
		}
		c.changed(w, path+pointer([]string{name}), c.presence(w, name), "required")
	}
	c.sizes(w, r, path)
	c.around(w, func() {
		for _, name := range named(append(slices.Clip(w.parts), r)) {
			for _, inner := range propertyOf(r, name) {
				if inner != nil {
					c.sub(w.property(name), inner, path+pointer([]string{name}))
				}
			}
		}
		c.others(w, r, path+"/*")
	})
	c.names(w, r, path)
	c.dependent(w, r, path)
	if r.UnevaluatedProperties != nil || len(r.Dependencies) > 0 {
		c.cannotTell(path, "properties, by keywords of another draft or by unevaluatedProperties")
	}
}

// presence says whether a property that is not required is there.
func (c *comparison) presence(w written, name string) string {
	if len(c.expand(w.property(name))) == 0 {
		return "not allowed"
	}
	return "optional"
}

// named lists the properties that any of the schemas names, sorted.
func named(all []*jsonschema.Schema) []string {
	names := make(map[string]bool)
	for _, s := range all {
		for name := range s.Properties {
			names[name] = true
		}
	}
	return sortedKeys(names)
}

// others compares properties that neither names: those that match a pattern, and those that match none.
func (c *comparison) others(w written, r *jsonschema.Schema, path string) {
	known := make(map[string]bool)
	for _, pattern := range patterns(r) {
		known[pattern.String()] = true
		c.sub(w.matching(pattern.String()), r.PatternProperties[pattern], path)
	}
	extra := additional(r)
	if extra == nil {
		return
	}
	for _, s := range w.parts {
		for _, pattern := range patterns(s) {
			if !known[pattern.String()] {
				c.sub(w.matching(pattern.String()), extra, path)
			}
		}
	}
	c.sub(w.matching(""), extra, path)
}

// sizes compares how many properties there may be.
func (c *comparison) sizes(w written, r *jsonschema.Schema, path string) {
	required := make(map[string]bool)
	most := w.most(func(s *jsonschema.Schema) *int { return s.MaxProperties })
	for _, s := range w.parts {
		for _, name := range s.Required {
			required[name] = true
		}
		if n := len(s.Properties); isClosed(s) && (most < 0 || n < most) {
			most = n
		}
	}
	least := max(w.least(func(s *jsonschema.Schema) *int { return s.MinProperties }), len(required))
	c.counts(w, path, "property", least, r.MinProperties, most, r.MaxProperties)
}

// isClosed reports that there are no properties but those that are named.
func isClosed(s *jsonschema.Schema) bool {
	extra := additional(s)
	return extra != nil && extra.Bool != nil && !*extra.Bool && len(s.PatternProperties) == 0
}

// names compares what is asked of the names of properties.
func (c *comparison) names(w written, r *jsonschema.Schema, path string) {
	asked := namesOf(r)
	if asked == nil {
		return
	}
	var own []*jsonschema.Schema
	for _, s := range w.parts {
		if !isClosed(s) {
			own = append(own, namesOf(s))
			continue
		}
		for _, name := range sortedKeys(s.Properties) {
			if asked.Validate(name) != nil && len(c.expand(w.property(name))) > 0 {
				c.gone(w, path+pointer([]string{name}), "this name")
			}
		}
		return
	}
	trial := &comparison{shared: c.shared, forward: c.forward}
	for _, inner := range c.expand(own) {
		trial.one(inner.of(aString), asked, "")
	}
	for _, p := range trial.broken {
		c.note(w, path, "the names of properties: "+p.String())
	}
	for _, p := range trial.unclear {
		c.cannotTell(path, "the names of properties: %s", p)
	}
}

func namesOf(s *jsonschema.Schema) *jsonschema.Schema {
	for _, e := range s.Extensions {
		if names, ok := e.(nameCheck); ok {
			return names.schema
		}
	}
	return nil
}

// dependent compares what is asked for where a property is there.
func (c *comparison) dependent(w written, r *jsonschema.Schema, path string) {
	never := func(name string) bool { return len(c.expand(w.property(name))) == 0 }
	for _, present := range sortedKeys(r.DependentRequired) {
		if never(present) {
			continue
		}
		for _, name := range r.DependentRequired[present] {
			if w.requires(name) || slices.ContainsFunc(w.parts, func(s *jsonschema.Schema) bool {
				return slices.Contains(s.DependentRequired[present], name)
			}) {
				continue
			}
			c.changed(w, path+pointer([]string{name}), c.presence(w, name), fmt.Sprintf("required where %q is present", present))
		}
	}
	for _, present := range sortedKeys(r.DependentSchemas) {
		asked := r.DependentSchemas[present]
		if never(present) || c.fits(w, asked) || slices.ContainsFunc(w.parts, func(s *jsonschema.Schema) bool {
			return s.DependentSchemas[present] != nil && c.same(s.DependentSchemas[present], asked)
		}) {
			continue
		}
		c.cannotTell(path, "what is asked for where %s is present", show(present))
	}
}
