package fermata_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// written is a journal as a file: its first entry is there already.
func written(t *testing.T, started string, more ...journal.Entry) []byte {
	t.Helper()
	entries := append([]journal.Entry{{Kind: journal.RunStarted, Value: []byte(`{"n":1}`), Body: []byte(started)}}, begun(more)...)
	for i := range entries {
		entries[i].Seq = uint64(i) + 1
		if entries[i].At == 0 {
			entries[i].At = int64(i) + 1
		}
	}
	s := memory.New()
	row := journal.RunRow{ID: "run_x", Status: "running"}
	if err := s.Append(t.Context(), journal.Batch{Run: "run_x", Entries: entries, Row: &row}); err != nil {
		t.Fatal(err)
	}
	return exports(t, s, "run_x")
}

const startedOnly = `{"plan":"p","planKind":"graph","fingerprint":"f","by":"Ada"}`

func startedBy(who string) string { return strings.Replace(startedOnly, "Ada", who, 1) }

func factOf(kind journal.Kind, op, body string) journal.Entry {
	return journal.Entry{Kind: kind, Op: op, Body: []byte(body)}
}

func opens(id, task, apart string) journal.Entry {
	e := factOf(journal.InterruptOpened, id, fmt.Sprintf(`{"requestId":%q,"run":"run_x","task":%q,"op":"ask %s","opened":1,"state":"open"%s}`, id, task, id, apart))
	path, visit := node.CutTask(task)
	e.Node, e.Visit, e.Attempt = path, uint32(visit), 1
	return e
}

// begun puts the beginning of each task that asks in front of its first question.
func begun(list []journal.Entry) []journal.Entry {
	var all []journal.Entry
	begun := map[string]bool{}
	for _, e := range list {
		if e.Kind == journal.InterruptOpened && !begun[e.Node] {
			begun[e.Node] = true
			all = append(all, journal.Entry{Kind: journal.NodeStarted, Node: e.Node, Visit: e.Visit, Attempt: 1})
		}
		all = append(all, e)
	}
	return all
}

func ofTask(kind journal.Kind, attempt uint16) journal.Entry {
	return journal.Entry{Kind: kind, Node: "a", Visit: 1, Attempt: attempt}
}

func waitsFor(call string) journal.Entry {
	e := ofTask(journal.NodeSuspended, 1)
	e.Op = call
	return e
}

func saidBy(id, by string) journal.Entry {
	e := factOf(journal.InterruptResolved, id, fmt.Sprintf(`{"state":"answered","by":%q}`, by))
	e.Value = []byte(`true`)
	return e
}

func saidIn(id, by, role string) journal.Entry {
	e := saidBy(id, by)
	e.Body = fmt.Appendf(nil, `{"state":"answered","by":%q,"role":%q}`, by, role)
	return e
}

func hands(body string) journal.Entry { return factOf(journal.InterruptUpdated, "int_1", "{"+body+"}") }

func atTime(e journal.Entry, at int64) journal.Entry {
	e.At = at
	return e
}

func byDefault(answer string) journal.Entry {
	e := factOf(journal.InterruptResolved, "int_1", `{"state":"answered","default":true}`)
	e.Value = []byte(answer)
	return e
}

func endsAs(status string) journal.Entry {
	e := factOf(journal.RunFinished, "", fmt.Sprintf(`{"status":%q}`, status))
	if status == "completed" {
		e.Base = 1
	}
	return e
}

// endsOf completes a run with the value of an earlier entry.
func endsOf(base uint64) journal.Entry {
	e := endsAs("completed")
	e.Base = base
	return e
}

func goesOn(reason string) journal.Entry {
	return factOf(journal.RunResumed, "", fmt.Sprintf(`{"reason":%q}`, reason))
}

func leaves(flags uint8, base uint64, value string) journal.Entry {
	return journal.Entry{Kind: journal.RunResumed, Body: []byte(`{"reason":"replan"}`), Flags: flags, Base: base, Value: []byte(value)}
}

// Entries that cannot follow those before them are refused with the seq of the first that cannot, and nothing is stored.
func TestJ6_ImpossibleJournalsAreRefused(t *testing.T) {
	claim := factOf(journal.InterruptUpdated, "int_1", `{"do":"claim","by":"Bo"}`)
	message := factOf(journal.Message, "", `{}`)
	for name, tc := range map[string]struct {
		more []journal.Entry // the last is the one that is refused
		says string
	}{
		"two beginnings":           {[]journal.Entry{factOf(journal.RunStarted, "", startedOnly)}, "begins a second time"},
		"two ends":                 {[]journal.Entry{endsAs("failed"), endsAs("failed")}, "run.finished behind the end of the run, which is failed"},
		"a message behind the end": {[]journal.Entry{endsAs("completed"), message}, "message behind the end"},
		"a completed run retried":  {[]journal.Entry{endsAs("completed"), goesOn("retry")}, `for the reason "retry" behind the end`},
		"a completed run forked":   {[]journal.Entry{endsAs("completed"), goesOn("fork")}, `for the reason "fork" behind the end`},
		"an ended run recovered":   {[]journal.Entry{endsAs("failed"), goesOn("recovered")}, `for the reason "recovered" behind the end`},
		"a base that is not there": {[]journal.Entry{leaves(journal.FlagBase, 9, `{"n":2}`)}, "a delta of the value of entry 9, and there is no value"},
		"itself as base":           {[]journal.Entry{leaves(journal.FlagBase, 2, "")}, "a delta of the value of entry 2, and there is no value"},
		"a base without a value":   {[]journal.Entry{message, leaves(journal.FlagBase, 2, "")}, "a delta of the value of entry 2, and there is no value"},
		"a delta that does not go": {[]journal.Entry{leaves(journal.FlagBase, 1, `17`)}, "its delta of the value of entry 1: "},
		"opened twice":             {[]journal.Entry{opens("int_1", "a#1", ""), opens("int_1", "a#1", "")}, "int_1 is opened a second time"},
		"closed twice": {
			[]journal.Entry{opens("int_1", "a#1", ""), saidBy("int_1", "Bo"), saidBy("int_1", "Bo")},
			"int_1, which is answered already",
		},
		"claimed when closed":           {[]journal.Entry{opens("int_1", "a#1", ""), saidBy("int_1", "Bo"), claim}, "int_1, which is answered already"},
		"answered, never asked":         {[]journal.Entry{saidBy("int_1", "Bo")}, "int_1, which was never opened"},
		"claimed, never asked":          {[]journal.Entry{claim}, "int_1, which was never opened"},
		"closed by another state":       {[]journal.Entry{opens("int_1", "a#1", ""), factOf(journal.InterruptResolved, "int_1", `{"state":"open"}`)}, `the state "open"`},
		"answered by the starter":       {[]journal.Entry{opens("int_1", "a#1", `,"notBy":["Ada"]`), saidBy("int_1", " ADA")}, "who did not start the run"},
		"answered by nobody":            {[]journal.Entry{opens("int_1", "a#1", `,"notBy":["Ada"]`), saidBy("int_1", "")}, "without a name"},
		"an answer that does not fit":   {[]journal.Entry{opens("int_1", "a#1", `,"responseSchema":{"enum":["approve"]}`), saidBy("int_1", "Bo")}, "an answer that does not fit"},
		"answered without an answer":    {[]journal.Entry{opens("int_1", "a#1", ""), factOf(journal.InterruptResolved, "int_1", `{"state":"answered"}`)}, "without an answer"},
		"a default that nobody set":     {[]journal.Entry{opens("int_1", "a#1", `,"notBy":["Ada"]`), byDefault("true")}, "by its deadline, before it"},
		"another default":               {[]journal.Entry{opens("int_1", "a#1", `,"deadline":4,"atDeadline":{"do":"default","answer":false}`), byDefault("true")}, "which says something else"},
		"expired without a deadline":    {[]journal.Entry{opens("int_1", "a#1", ""), factOf(journal.InterruptResolved, "int_1", `{"state":"expired"}`)}, "has no deadline"},
		"an end with an open question":  {[]journal.Entry{opens("int_1", "a#1", ""), endsAs("completed")}, "1 of its questions are open"},
		"completed, and of no value":    {[]journal.Entry{factOf(journal.RunFinished, "", `{"status":"completed"}`)}, "has no value"},
		"completed with a message":      {[]journal.Entry{message, endsOf(2)}, "has no value"},
		"completed, and not done":       {[]journal.Entry{ofTask(journal.NodeStarted, 1), endsAs("completed")}, "the task a#1 is not"},
		"a role that acts":              {[]journal.Entry{opens("int_1", "a#1", `,"requiredRole":"x\u001b[8m"`)}, "control character"},
		"an end that is none":           {[]journal.Entry{endsAs("running")}, `the status "running"`},
		"a task that never began":       {[]journal.Entry{ofTask(journal.NodeFinished, 1)}, "a#1, which is not open"},
		"a second beginning":            {[]journal.Entry{ofTask(journal.NodeStarted, 1), ofTask(journal.NodeStarted, 1)}, "begins a second time"},
		"a later visit first":           {[]journal.Entry{{Kind: journal.NodeStarted, Node: "a", Visit: 2, Attempt: 1}}, "expected visit 1"},
		"another attempt":               {[]journal.Entry{ofTask(journal.NodeStarted, 1), ofTask(journal.NodeFinished, 2)}, "which is at attempt 1"},
		"an attempt without a failure":  {[]journal.Entry{ofTask(journal.NodeStarted, 1), ofTask(journal.NodeStarted, 2)}, "which is ready at attempt 1"},
		"finished twice":                {[]journal.Entry{ofTask(journal.NodeStarted, 1), ofTask(journal.NodeFinished, 1), ofTask(journal.NodeFinished, 1)}, "which is done"},
		"finished while it waits":       {[]journal.Entry{opens("int_1", "a#1", ""), waitsFor("ask int_1"), ofTask(journal.NodeFinished, 1)}, "which is waiting"},
		"routed while it waits":         {[]journal.Entry{opens("int_1", "a#1", ""), waitsFor("ask int_1"), ofTask(journal.RouteTaken, 1)}, "which is waiting"},
		"done by a run that is blocked": {[]journal.Entry{factOf(journal.RunBlocked, "", `{"code":"diverged","error":"e"}`), ofTask(journal.NodeStarted, 1)}, "that is blocked"},
		"a time before the last":        {[]journal.Entry{message, atTime(message, 1)}, "no entry is earlier than the entry before it"},
		"answered in no role":           {[]journal.Entry{opens("int_1", "a#1", `,"requiredRole":"m"`), saidBy("int_1", "Bo")}, `asks for role "m", found no role`},
		"answered in another role": {
			[]journal.Entry{opens("int_1", "a#1", `,"requiredRole":"m"`), saidIn("int_1", "Bo", "n")}, `asks for role "m", found "n"`,
		},
		"answered by another person": {[]journal.Entry{opens("int_1", "a#1", `,"assignee":"Bo"`), saidBy("int_1", "Eve")}, "for Bo, found Eve"},
		"answered behind a claim":    {[]journal.Entry{opens("int_1", "a#1", ""), claim, saidBy("int_1", "Eve")}, "by Bo"},
		"answered behind a reassignment": {
			[]journal.Entry{opens("int_1", "a#1", `,"assignee":"Bo"`), hands(`"do":"reassign","by":"Bo","assignee":"Cy"`), saidBy("int_1", "Bo")}, "for Cy, found Bo",
		},
		"answered behind an escalation": {
			[]journal.Entry{
				opens("int_1", "a#1", `,"requiredRole":"m","deadline":4,"atDeadline":{"do":"escalate","role":"boss"}`),
				hands(`"do":"escalate","requiredRole":"boss"`), saidIn("int_1", "Bo", "m"),
			}, `asks for role "boss", found "m"`,
		},
		"answered too late":       {[]journal.Entry{opens("int_1", "a#1", `,"deadline":4`), saidBy("int_1", "Bo")}, "answered after its deadline"},
		"expired too early":       {[]journal.Entry{opens("int_1", "a#1", `,"deadline":9`), factOf(journal.InterruptResolved, "int_1", `{"state":"expired"}`)}, "by its deadline, before it"},
		"claimed by another":      {[]journal.Entry{opens("int_1", "a#1", `,"assignee":"Cy"`), claim}, "for Cy, found Bo"},
		"claimed by the starter":  {[]journal.Entry{opens("int_1", "a#1", `,"notBy":["Ada","Bo"]`), claim}, "who did not start the run"},
		"claimed twice":           {[]journal.Entry{opens("int_1", "a#1", ""), claim, claim}, "claimed already"},
		"released by another":     {[]journal.Entry{opens("int_1", "a#1", ""), claim, hands(`"do":"release","by":"Eve"`)}, "by Bo"},
		"taken by another":        {[]journal.Entry{opens("int_1", "a#1", `,"assignee":"Cy"`), hands(`"do":"reassign","by":"Eve","assignee":"Eve"`)}, "for Cy, found Eve"},
		"taken in no role":        {[]journal.Entry{opens("int_1", "a#1", `,"assignee":"Cy"`), hands(`"do":"reassign","by":"Eve","assignee":"Eve","override":"boss"`)}, `role "boss"`},
		"assigned to the starter": {[]journal.Entry{opens("int_1", "a#1", `,"notBy":["Ada"]`), hands(`"do":"reassign","by":"Bo","assignee":"Ada"`)}, "who did not start the run"},
		"given more time":         {[]journal.Entry{opens("int_1", "a#1", `,"deadline":9`), hands(`"do":"reassign","by":"Bo","assignee":"Cy","deadline":99`)}, "another deadline"},
		"escalated too early":     {[]journal.Entry{opens("int_1", "a#1", `,"deadline":9,"atDeadline":{"do":"escalate","role":"boss"}`), hands(`"do":"escalate","requiredRole":"boss"`)}, "before it"},
		"escalated to another":    {[]journal.Entry{opens("int_1", "a#1", `,"deadline":4,"atDeadline":{"do":"escalate","role":"boss"}`), hands(`"do":"escalate","requiredRole":"m"`)}, "says something else"},
		"something else was done": {[]journal.Entry{opens("int_1", "a#1", ""), hands(`"do":"steal","by":"Eve"`)}, `"steal" was done with it`},
		"kept from somebody else": {[]journal.Entry{opens("int_1", "a#1", `,"notBy":["Eve"]`)}, "does not say that Ada"},
		"answered by the same person": {[]journal.Entry{
			opens("int_1", "a#1", ""), opens("int_2", "b#1", `,"notByNodes":["a"]`), saidBy("int_1", "Bo"), saidBy("int_2", "bo"),
		}, "who did not answer a"},
	} {
		t.Run(name, func(t *testing.T) {
			rt, store := inMemory(t)
			_, err := rt.Import(t.Context(), bytes.NewReader(sealed(seedOf(t, tc.more))), fermata.ImportOptions{})
			n := len(begun(tc.more))
			where := fmt.Sprintf("run run_x, seq %d: line %d: ", n+1, n+2)
			if !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), where) || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("found %v\nexpected %q, and %q", err, where, tc.says)
			}
			rows, err := store.Runs(t.Context(), journal.RunFilter{})
			if err != nil || len(rows) != 0 {
				t.Errorf("stored: %+v, %v", rows, err)
			}
		})
	}
}

// possibleJournals are some that runs do write, and that look much like those that are refused.
func possibleJournals() map[string][]journal.Entry {
	return map[string][]journal.Entry{
		"retried":             {endsAs("failed"), goesOn("retry"), endsAs("expired"), goesOn("retry"), endsAs("completed")},
		"a cancelled, forked": {endsAs("cancelled"), goesOn("fork"), endsAs("completed")},
		"blocked and cancelled": {
			opens("int_1", "a#1", ""), factOf(journal.RunBlocked, "", `{"code":"diverged","error":"e"}`),
			factOf(journal.InterruptResolved, "int_1", `{"state":"withdrawn"}`), endsAs("cancelled"),
		},
		"taken over":      {factOf(journal.RunResumed, "", `{"reason":"recovered","takeover":true,"lost":["a#1"]}`), endsAs("completed")},
		"a second person": {opens("int_1", "a#1", `,"notBy":["Ada"]`), saidBy("int_1", "Bo"), opens("int_2", "b#1", `,"notByNodes":["a"]`), saidBy("int_2", "Cy")},
		"by default": {
			opens("int_1", "a#1", `,"notBy":["Ada"],"deadline":4,"atDeadline":{"do":"default","answer":true}`), byDefault("true"),
		},
		"answered in time, stamped late": {opens("int_1", "a#1", `,"deadline":4`), atTime(waitsFor("ask int_1"), 9), atTime(saidBy("int_1", "Bo"), 9)},
		"passed on": {
			opens("int_1", "a#1", `,"requiredRole":"m","assignee":"Bo","overrideRole":"boss","notBy":["Ada"],"deadline":99`),
			hands(`"do":"claim","by":"bo"`), hands(`"do":"release","by":"Eve","override":"boss"`), hands(`"do":"token","tokenHash":"x"`),
			hands(`"do":"reassign","by":"Eve","override":"boss","requiredRole":"n","assignee":"Cy","deadline":99`), hands(`"do":"claim","by":"Cy"`), saidIn("int_1", "CY", "n"),
		},
		"escalated": {
			opens("int_1", "a#1", `,"requiredRole":"m","assignee":"Bo","deadline":4,"atDeadline":{"do":"escalate","role":"boss"}`),
			hands(`"do":"escalate","requiredRole":"boss"`), saidIn("int_1", "Cy", "boss"),
		},
		"migrated": {
			opens("int_1", "a#1", ""), factOf(journal.RunResumed, "", `{"reason":"replan","nodes":{"a":"b"}}`), saidBy("int_1", "Bo"),
			opens("int_2", "c#1", `,"notByNodes":["a"]`), saidBy("int_2", "Bo"),
		},
		"deltas": {leaves(journal.FlagBase, 1, ""), leaves(0, 0, `[1]`), leaves(journal.FlagBase, 2, ""), leaves(journal.FlagBase, 3, "")},
		"deltas of one value": {
			leaves(0, 0, `[1,2,3]`), leaves(journal.FlagBase, 2, `[2,1,[]]`), leaves(journal.FlagBase, 2, `[2,3,[4]]`),
		},
	}
}

func TestJ6_JournalsThatRunsWriteAreTakenIn(t *testing.T) {
	for name, more := range possibleJournals() {
		t.Run(name, func(t *testing.T) {
			file, to := written(t, startedOnly, more...), memory.New()
			imports(t, to, file, fermata.ImportOptions{})
			if again := exports(t, to, "run_x"); !bytes.Equal(file, again) {
				t.Errorf("exported again:\n%s\nbefore:\n%s", again, file)
			}
		})
	}
	t.Run("answered before it was forked by the same person", func(t *testing.T) {
		forked := `{"plan":"p","fingerprint":"f","by":"Ada","fork":{"run":"run_y","seq":4,"by":"Bo"}}`
		file := written(t, forked, opens("int_1", "a#1", `,"notBy":["Ada","Bo"]`), saidBy("int_1", "Bo"), goesOn("fork"))
		imports(t, memory.New(), file, fermata.ImportOptions{})
	})
}

// Who forked a run answers no question of the fork that is for another person, in a file either (law H6).
func TestH6_AnImportedForkIsNotAnsweredByWhoForkedIt(t *testing.T) {
	forked := `{"plan":"p","fingerprint":"f","by":"Ada","fork":{"run":"run_y","seq":3,"by":"Bo"}}`
	file := written(t, forked, opens("int_1", "a#1", `,"notBy":["Ada","Bo"]`), goesOn("fork"), saidBy("int_1", "bo"))
	rt, _ := inMemory(t)
	_, err := rt.Import(t.Context(), bytes.NewReader(file), fermata.ImportOptions{})
	if !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), "who did not start the run") {
		t.Errorf("found %v", err)
	}
}

// Data without an end is refused before all of it is read.
func TestJ6_ImportsAreBounded(t *testing.T) {
	file := written(t, startedOnly, leaves(0, 0, `"`+strings.Repeat("x", 9000)+`"`))
	for _, most := range []int{1, 100, 9000, len(file) - 1} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			rt, _ := inMemory(t)
			_, err := rt.Import(t.Context(), bytes.NewReader(file), fermata.ImportOptions{MaxBytes: int64(most)})
			door, ok := errors.AsType[*fermata.Error](err)
			says := fmt.Sprintf("the data has more than %d bytes; set ImportOptions.MaxBytes", most)
			if !ok || door.Code != fermata.CodeInvalid || !strings.Contains(fmt.Sprint(err), says) {
				t.Errorf("found %v, expected %q", err, says)
			}
		})
	}
	for _, most := range []int64{int64(len(file)), math.MaxInt64} {
		imports(t, memory.New(), file, fermata.ImportOptions{MaxBytes: most})
	}
	for name, tc := range map[string]struct{ first, then string }{
		"a line":  {"", "x"},
		"entries": {string(file[:bytes.IndexByte(file, '\n')+1]), "\n"},
	} {
		t.Run("without an end, "+name, func(t *testing.T) {
			rt, _ := inMemory(t)
			from := &endless{first: tc.first, then: tc.then[0]}
			_, err := rt.Import(t.Context(), from, fermata.ImportOptions{MaxBytes: 1 << 20})
			if err == nil || from.read > 4<<20 {
				t.Errorf("it read %d bytes: %v", from.read, err)
			}
		})
	}
}

// endless is data without an end.
type endless struct {
	first string
	then  byte
	read  int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.first)
	e.first = e.first[n:]
	for ; n < len(p); n++ {
		p[n] = e.then
	}
	e.read += n
	return n, nil
}

// sealed gives lines the end that fits them, so that damage is found by more than the checksum.
func sealed(lines []byte) []byte {
	lines = bytes.TrimSuffix(lines, []byte("\n"))
	if i := bytes.LastIndexByte(lines, '\n'); i >= 0 && bytes.HasPrefix(lines[i+1:], []byte(`{"end"`)) {
		lines = lines[:i]
	}
	lines = append(bytes.Clone(lines), '\n')
	n := bytes.Count(lines, []byte("\n{\"entry\":"))
	return fmt.Appendf(lines, "{\"end\":{\"entries\":%d,\"sha256\":\"%x\"}}\n", n, sha256.Sum256(lines))
}

// The reader takes any data without a panic. All values of what it takes can be read, and written it is taken again, as
// the same bytes.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"format":"fermata-run","version":1,"run":"r"}`+"\n"+`{"entry":{"seq":1,"frame":"AAAA"}}`), true)
	f.Add([]byte("\n"), false)
	for _, more := range possibleJournals() {
		f.Add(seedOf(f, more), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealed(data)
		}
		a, b := newRuntime(t, fermata.Options{Store: memory.New()}), newRuntime(t, fermata.Options{Store: memory.New()})
		info, err := a.Import(t.Context(), bytes.NewReader(data), fermata.ImportOptions{})
		if err != nil {
			return
		}
		for _, err := range a.History(t.Context(), info.ID) {
			if err != nil {
				t.Fatalf("what was taken in does not fold: %v", err)
			}
		}
		var first, second bytes.Buffer
		if err := a.Export(t.Context(), info.ID, &first); err != nil {
			t.Fatalf("what was taken in cannot be written: %v", err)
		}
		if _, err := b.Import(t.Context(), bytes.NewReader(first.Bytes()), fermata.ImportOptions{}); err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, first.Bytes())
		}
		if err := b.Export(t.Context(), info.ID, &second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%v; it was\n%s\nand is\n%s", err, first.Bytes(), second.Bytes())
		}
	})
}

// seedOf is a journal as lines, without the end.
func seedOf(f testing.TB, more []journal.Entry) []byte {
	f.Helper()
	file := []byte(`{"format":"fermata-run","version":1,"run":"run_x","plan":"p"}` + "\n" +
		`{"entry":{"seq":1,"at":"1970-01-01T00:00:00.000001Z","kind":"run.started","value":{"n":1},"body":` + startedOnly + `}}` + "\n")
	more = begun(more)
	for i := range more {
		e := &more[i]
		at := time.UnixMicro(cmp.Or(e.At, int64(i)+2)).UTC().Format(time.RFC3339Nano)
		line := map[string]any{
			"seq": i + 2, "at": at, "kind": e.Kind.String(), "op": e.Op, "node": e.Node,
			"visit": e.Visit, "attempt": e.Attempt, "flags": e.Flags, "base": e.Base,
		}
		for name, data := range map[string][]byte{"value": e.Value, "body": e.Body} {
			if len(data) > 0 {
				line[name] = json.RawMessage(data)
			}
		}
		data, err := json.Marshal(map[string]any{"entry": line})
		if err != nil {
			f.Fatal(err)
		}
		file = append(append(file, data...), '\n')
	}
	return file
}
