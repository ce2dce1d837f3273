package scrape

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
)

// text writes all that was measured, sorted by names and labels, with what was observed for this reader.
func text(all []*instrument, observed map[*instrument]map[key]*series) []byte {
	slices.SortFunc(all, func(a, b *instrument) int { return strings.Compare(a.shown()+"\x00"+a.name, b.shown()+"\x00"+b.name) })
	var out bytes.Buffer
	last := ""
	for _, i := range all {
		i.mu.Lock()
		lines := i.lines(i.series)
		i.mu.Unlock()
		lines = append(lines, i.lines(observed[i])...)
		if len(lines) == 0 {
			continue
		}
		if name := i.shown(); name != last { // names that Prometheus does not tell apart share a head
			out.WriteString("# HELP " + name + " " + helpText.Replace(i.help) + "\n# TYPE " + name + " " + string(i.kind) + "\n")
			last = name
		}
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, ""))
	}
	return out.Bytes()
}

// lines has what was measured with each set of attributes.
func (i *instrument) lines(of map[key]*series) (all []string) {
	name := i.shown()
	for _, s := range of {
		if i.kind != histogram {
			all = append(all, name+labelsOf(&s.attrs, "")+" "+number(s.sum)+"\n")
			continue
		}
		var b strings.Builder
		upTo := uint64(0)
		for k, n := range s.buckets {
			upTo += n
			bound := math.Inf(1)
			if k < len(i.bounds) {
				bound = i.bounds[k]
			}
			b.WriteString(name + "_bucket" + labelsOf(&s.attrs, number(bound)) + " " + strconv.FormatUint(upTo, 10) + "\n")
		}
		b.WriteString(name + "_sum" + labelsOf(&s.attrs, "") + " " + number(s.sum) + "\n")
		b.WriteString(name + "_count" + labelsOf(&s.attrs, "") + " " + strconv.FormatUint(s.n, 10) + "\n")
		all = append(all, b.String())
	}
	return all
}

// units are the words of units in names. Units in braces, which are words for people, are left out.
var units = map[string]string{"s": "seconds", "ms": "milliseconds", "By": "bytes", "1": "ratio", "%": "percent"}

// shown is the name that Prometheus knows.
func (i *instrument) shown() string {
	name := plain(i.name)
	if i.unit != "" && !strings.HasPrefix(i.unit, "{") {
		word, known := units[i.unit]
		if !known {
			word = plain(i.unit)
		}
		name = strings.TrimSuffix(name, "_"+word) + "_" + word
	}
	if i.kind == counter {
		name = strings.TrimSuffix(name, "_total") + "_total"
	}
	return name
}

// plain is a name with letters, digits and _ alone, as Prometheus allows it.
func plain(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if clean == "" || '0' <= clean[0] && clean[0] <= '9' {
		return "_" + clean
	}
	return clean
}

var (
	helpText  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// labelsOf are the attributes of a measurement, and its bucket where it has one.
func labelsOf(set *attribute.Set, bucket string) string {
	var names []string
	values := make(map[string]string) // of keys that are one here, they are joined
	for _, a := range set.ToSlice() {
		name, value := plain(string(a.Key)), a.Value.String()
		if before, twice := values[name]; twice {
			values[name] = before + ";" + value
			continue
		}
		values[name] = value
		names = append(names, name)
	}
	for i, name := range names {
		names[i] = name + `="` + labelText.Replace(strings.ToValidUTF8(values[name], "\uFFFD")) + `"`
	}
	if bucket != "" {
		names = append(names, `le="`+bucket+`"`)
	}
	if names == nil {
		return ""
	}
	return "{" + strings.Join(names, ",") + "}"
}

// number is a value as Prometheus reads it.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
