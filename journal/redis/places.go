package redis

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

// Indexes by which runs and interrupts are found (law J14). A member is a place, the number of what was created, and an
// id; a place ends in a time. The scripts keep the places of each row beside it, to remove them when they change.
const (
	found = "found" // sorted set: runs by creation, update, status, plan and labels; wanted runs by turn
	asked = "asked" // sorted set: open interrupts by deadline, role, holder, and by who is asked
	asks  = "asks"  // hash: the places of interrupts
	held  = "held"  // hash: the runs that hold deduplication keys, by key
)

// Beginnings of places.
const (
	byCreated = "c\x00"
	byUpdated = "u\x00"
	byStatus  = "s\x00"
	byPlan    = "p\x00"
	byLabel   = "l\x00"
	byTurn    = "t\x00" // runs that are wanted, by priority, the highest first
	byLater   = "n\x00" // of these, the ones with a time before which they are not taken, by that time
	byDue     = "d\x00"
	byRole    = "q\x00"
	byHolder  = "h\x00"
	byGroup   = "g\x00" // each open interrupt once: of a role, else of a holder, else of a kind
)

// named is a place's name and its end. A NUL in a name would end it early; whoever reads a row looks at its names again.
func named(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(strings.ReplaceAll(name, "\x00", "\uFFFD") + "\x00")
	}
	return b.String()
}

// runPlaces are where a run is found; a definition is found nowhere.
func runPlaces(r *journal.RunRow) []string {
	if r.Kind == journal.KindDefinition {
		return nil
	}
	at := sortable(r.Created)
	places := []string{byCreated + at, byUpdated + sortable(r.Updated), byStatus + named(r.Status) + at, byPlan + named(r.Plan) + at}
	for _, key := range slices.Sorted(maps.Keys(r.Labels)) {
		places = append(places, byLabel+named(key, r.Labels[key])+at)
	}
	if r.Wanted() {
		places = append(places, byTurn+sortable(-int64(r.Priority)))
	}
	if r.Wanted() && r.NotBefore > 0 {
		places = append(places, byLater+sortable(r.NotBefore))
	}
	return places
}

// groupOf is the group of an interrupt: those who are asked.
func groupOf(role, holder, kind string) string {
	switch {
	case role != "":
		return "r" + role
	case holder != "":
		return "h" + holder
	}
	return "k" + kind
}

// askedPlaces are where an open interrupt is found, beside the inbox.
func askedPlaces(in *journal.Interrupt) []string {
	if !in.IsOpen() {
		return nil
	}
	at, due, holder := sortable(in.Opened), in.Deadline, journal.PersonKey(in.Holder())
	if due == 0 {
		due = math.MaxInt64
	}
	places := []string{byDue + sortable(due), byRole + named(in.Role) + at, byGroup + named(groupOf(in.Role, holder, in.Kind)) + at}
	if holder != "" {
		places = append(places, byHolder+named(holder)+at)
	}
	return places
}

// pack writes places for the scripts: each behind its length.
func pack(places []string) string {
	var b strings.Builder
	for _, p := range places {
		b.WriteString(strconv.Itoa(len(p)) + ":" + p)
	}
	return b.String()
}

// labelText is how the labels of a run are kept: JSON, "" for none.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	text, _ := json.Marshal(labels) //nolint:errchkjson // texts always encode
	return string(text)
}
