package phrase

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// TimeZone is the kind of time zones: string, a name of the IANA database: "Europe/Berlin".
var TimeZone = &Kind{
	name: "time zone", exact: true,
	scan: func(_ Slot, of *language) scan {
		places := placesIn(of)
		return func(r *reading, i int) (found, bool) { return r.zoneAt(places, i) }
	},
}

// Zones are the words around the name of a time zone.
type Zones struct {
	Before string            // "time in"
	Behind string            // "time"
	Places map[string]string // what else zones are called in the language, by their names: "America/New_York": "eastern time"
}

// IsZone reports whether a text is the name of a time zone as values have it.
func IsZone(name string) bool { return allZones().names[name] }

// atlas is the names of zones and of the places in them in one language: each says one or several zones.
type atlas struct {
	phrases[[]string]
	before, behind phrases[bool]
}

// zoneTable is what all languages have in common.
type zoneTable struct {
	names   map[string]bool
	sayings map[string][]string // zones by what they are called, folded
}

// allZones makes the table when it is first needed.
var allZones = sync.OnceValue(func() *zoneTable {
	t := &zoneTable{names: make(map[string]bool), sayings: make(map[string][]string)}
	add := func(name, saying string) {
		key := strings.Join(foldedWords(saying), " ")
		if key != "" && !slices.Contains(t.sayings[key], name) {
			t.sayings[key] = append(t.sayings[key], name)
		}
	}
	rare := set(rarePlaces)
	for _, area := range slices.Sorted(maps.Keys(zoneNames)) {
		for name := range strings.FieldsSeq(zoneNames[area]) {
			full := area + "/" + name
			t.names[full] = true
			add(full, plainZone(full))
			if city := name[strings.LastIndexByte(name, '/')+1:]; !rare[city] {
				add(full, plainZone(city))
			}
		}
	}
	for name := range strings.FieldsSeq(shortZones) {
		t.names[name] = true
		add(name, name)
		add(name, "Etc/"+name)
	}
	for hours := -12; hours <= 14; hours++ {
		t.names[wholeHours(hours)] = true
	}
	for _, names := range slices.Sorted(maps.Keys(zonePlaces)) {
		for saying := range strings.SplitSeq(zonePlaces[names], "|") {
			for name := range strings.FieldsSeq(names) {
				add(name, saying)
			}
		}
	}
	return t
})

// plainZone is the name of a zone as people say it.
func plainZone(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == '/' || c == '-' }), " ")
}

// wholeHours is the zone that is always so many hours ahead of UTC. The database has the sign the other way round.
func wholeHours(ahead int) string {
	switch {
	case ahead == 0:
		return "UTC"
	case ahead > 0:
		return "Etc/GMT-" + strconv.Itoa(ahead)
	}
	return "Etc/GMT+" + strconv.Itoa(-ahead)
}

// inLanguages are the places as each language calls them: made once.
var inLanguages sync.Map

func placesIn(l *language) *atlas {
	if p, ok := inLanguages.Load(l.Tag); ok {
		return p.(*atlas)
	}
	p := &atlas{}
	p.before.add(true, l.Zones.Before)
	p.behind.add(true, l.Zones.Behind)
	for saying, names := range allZones().sayings {
		p.add(names, saying)
	}
	for names, sayings := range l.Zones.Places {
		p.add(strings.Fields(names), sayings)
	}
	inLanguages.Store(l.Tag, p)
	return p
}

// zoneAt reads a time zone that begins at a token: "Europe/Berlin", "Berlin time", "time in New York", "CET", "UTC+2".
func (r *reading) zoneAt(p *atlas, i int) (found, bool) {
	at := r.saying(&p.before, i)
	names, j, ok := r.offsetZone(at)
	if !ok {
		k, said := r.spokenIndex(at)
		if !said {
			return found{}, false
		}
		var n int
		if names, n = p.at(r.line, k); n == 0 || n == 1 && !r.isName(at) {
			return found{}, false
		}
		j = r.says[k+n-1] + 1
	}
	j = r.saying(&p.behind, j)
	switch len(names) {
	case 0:
		return r.refusal(because(NoZone, Args{"said": r.said(at, j)}), i, j), true
	case 1:
		return r.value(names[0], i, j, 1), true
	}
	shown := make([]string, len(names))
	for k, name := range names {
		shown[k] = r.locale.ShowZone(name)
	}
	return r.refusal(because(SeveralMeanings, Args{"said": r.said(at, j), "choices": r.language.Any(shown)}), i, j), true
}

// offsetZone reads a distance from UTC: "UTC+2", "GMT -05:00", "+02:00", and "Etc/GMT-2", which has the sign the other way round.
func (r *reading) offsetZone(i int) (names []string, j int, ok bool) {
	at, turned := i, false
	if r.folded(at) == "etc" && r.sign(at+1) == '/' {
		at, turned = at+2, true
	}
	from := at
	if f := r.folded(at); f == "utc" || f == "gmt" {
		at++
	}
	sign := 1
	switch s, w := r.sign(at), r.folded(at); {
	case s == '+', w == "plus":
	case isMinus(s), w == "minus", r.word(at) == "minus":
		sign = -1
	default:
		return nil, i, false
	}
	hours, j, ok := r.small(at + 1)
	if !ok || hours > 14 {
		return nil, i, false
	}
	minutes := 0
	if r.sign(j) == ':' {
		if minutes, j, ok = r.small(j + 1); !ok || minutes > 59 {
			return nil, i, false
		}
	} else if at == from { // "+2" by itself may be anything
		return nil, i, false
	}
	if turned {
		sign = -sign
	}
	return zonesAhead(sign * (60*hours + minutes)), j, true
}

// zonesAhead are the zones that are always so many minutes ahead of UTC.
func zonesAhead(minutes int) []string {
	if minutes%60 == 0 && minutes >= -12*60 && minutes <= 14*60 {
		return []string{wholeHours(minutes / 60)}
	}
	return strings.Fields(oddZones[minutes])
}

// isName reports whether a word is no word of every sentence, or is written in capitals: "IST" is no "ist".
func (r *reading) isName(t int) bool {
	said := r.text[r.tokens[t].start:r.tokens[t].end]
	return r.language.class(r.tokens[t].fold) == content || !strings.ContainsFunc(said, unicode.IsLower)
}
