package machine

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// copied is the machine that the snapshot of a machine is restored to, and what is different in it.
func copied(m *Machine) (again *Machine, diff string) {
	data, err := m.Snapshot()
	if err == nil {
		again, err = Restore(m.plan, data)
	}
	if err != nil {
		return again, err.Error()
	}
	if wrong := again.audit(); wrong != "" {
		return nil, "it has counted wrong (-there is +counted): " + wrong
	}
	return again, gocmp.Diff(m.dump(), again.dump())
}

// copiedAnywhere makes a snapshot behind every entry of a journal, and folds the rest of the journal into what it is restored
// to. It says what is different then.
func copiedAnywhere(p *plan.Plan, entries []journal.Entry) string {
	m, whole := New(p), New(p)
	for i := range entries {
		if err := whole.Apply(&entries[i]); err != nil {
			return err.Error()
		}
	}
	want := whole.dump()
	for k := range entries {
		again, diff := copied(m)
		if diff != "" {
			return fmt.Sprintf("a snapshot at %d (-machine +restored): %s", k, diff)
		}
		for i := k; i < len(entries); i++ {
			if err := again.Apply(&entries[i]); err != nil {
				return fmt.Sprintf("a snapshot at %d, and then entry %d: %v", k, i+1, err)
			}
		}
		if diff := gocmp.Diff(want, again.dump()); diff != "" {
			return fmt.Sprintf("a snapshot at %d and the entries after it (-journal +restored): %s", k, diff)
		}
		if err := m.Apply(&entries[k]); err != nil {
			return err.Error()
		}
	}
	return ""
}

// A snapshot of a loop is as large as what is open in it, however often it went round.
func TestJ6_ASnapshotIsAsLargeAsWhatIsOpen(t *testing.T) {
	sizes := make(map[int]int)
	for _, nodes := range []int{1_000, 100_000} {
		m := New(loopPlan(t))
		if err := m.Begin(0, &journal.StartedBody{Plan: "loop", Fingerprint: m.plan.Fingerprint()}, []byte("0")); err != nil {
			t.Fatal(err)
		}
		for m.started < nodes {
			work, err := m.Next(0)
			if err != nil {
				t.Fatal(err)
			}
			task, o := work.Start[0].Task, Outcome{Value: Value{Changed: true, Data: []byte("1")}}
			if m.Flat(task).Route != nil {
				o.Choice = "work"
			}
			if err := m.Finish(0, task, o); err != nil {
				t.Fatal(err)
			}
		}
		m.Flush()
		data, err := m.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		sizes[nodes] = len(data)
	}
	if small, large := sizes[1_000], sizes[100_000]; large > small+16 {
		t.Errorf("a snapshot has %d bytes after 1,000 nodes, and %d after 100,000", small, large)
	}
}

// What does not fit is refused, so that the journal is read.
func TestJ6_ASnapshotThatDoesNotFitIsRefused(t *testing.T) {
	p := fuzzPlan(t)
	m := New(p)
	if err := m.Begin(0, &journal.StartedBody{Plan: "fuzz", Fingerprint: p.Fingerprint()}, []byte("0")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Snapshot(); !errors.Is(err, ErrSnapshot) {
		t.Errorf("of a machine whose entries are not appended: %v", err)
	}
	m.Flush()
	data, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(why string, p *plan.Plan, data []byte) {
		t.Helper()
		if _, err := Restore(p, data); !errors.Is(err, ErrSnapshot) {
			t.Errorf("%s: %v", why, err)
		}
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x10
		refused(fmt.Sprintf("byte %d is damaged", i), p, damaged)
		refused(fmt.Sprintf("cut short at %d", i), p, data[:i])
	}
	newer := slices.Clone(data[:len(data)-4])
	newer[0]++
	refused("another format", p, sealed(newer))
	refused("more than there is", p, sealed(append(slices.Clone(data[:len(data)-4]), 0)))
	refused("another plan", loopPlan(t), data)
	scripts := &session{t: t}
	one, other := New(scripts.parsePlan("a -> b", "")), scripts.parsePlan("b -> a", "")
	if err := one.Begin(0, &journal.StartedBody{Plan: "one", Fingerprint: one.plan.Fingerprint()}, []byte("0")); err != nil {
		t.Fatal(err)
	}
	one.Flush()
	alike, err := one.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	refused("a plan with as many nodes, of other names", other, alike)
	if _, err := Restore(p, data); err != nil {
		t.Errorf("the whole of it: %v", err)
	}
}

// What a snapshot of this format is, bit by bit. Where it changes, old snapshots would be read as something else: count
// snapshotFormat up, so that they are refused, and then write the golden anew with -update.
func TestJ9_TheBytesOfASnapshotHaveAFormat(t *testing.T) {
	s := &session{t: t, plans: make(map[string]*plan.Plan)}
	s.plans["send"] = s.parsePlan("x -> y", "send")
	s.plans[""] = s.parsePlan("a -> b, c\nb -> d\nc -> d\nd & all\nm = send map 2\nd -> m\nm -> e", "")
	s.m = New(s.plans[""])
	s.play(`
> begin
> step a#1 step:draft#1 = 3
> finish a#1 = 1
> ask b#1 interrupt:ok#1 by int_1 role editor digest d1
> suspend b#1 interrupt:ok#1
> finish c#1 = 2
`)
	flow, err := readSketch(t, "n1() -> v1\nn2(v1) -> v2\nn3(v2) chooses one of n1, n4\nn4(v2)").wire()
	if err != nil {
		t.Fatal(err)
	}
	d := New(flow)
	if err := d.Begin(0, &journal.StartedBody{Plan: "flow", Fingerprint: flow.Fingerprint()}, []byte("0")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Next(0); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, m := range []*Machine{s.m, d} {
		data, err := m.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(hex.Dump(data))
		got.WriteByte('\n')
	}
	const transcript = "testdata/snapshot.golden"
	golden.File(t, transcript, got.String()) // other bytes need another snapshotFormat
}

// sealed are the bytes of a snapshot with their check.
func sealed(data []byte) []byte { return binary.LittleEndian.AppendUint32(data, checksum(data)) }

// Whatever a snapshot says, it is refused or restored. Nothing panics, and neither does what looks at the outcome.
func FuzzRestore(f *testing.F) {
	var plans []*plan.Plan
	for _, text := range []string{"a -> b\nb ? a, END", "a -> b, c\nb -> d\nc -> d\nd & all"} {
		s := &session{t: f}
		plans = append(plans, s.parsePlan(text, ""))
	}
	plans = append(plans, fuzzPlan(f))
	for which, p := range plans {
		m := New(p)
		if err := m.Begin(0, &journal.StartedBody{Plan: "fuzz", Fingerprint: p.Fingerprint()}, []byte("0")); err != nil {
			f.Fatal(err)
		}
		for range 12 {
			work, err := m.Next(0)
			if err != nil {
				f.Fatal(err)
			}
			data, err := m.Snapshot()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(byte(which), data[1+layoutSize:len(data)-4])
			for _, start := range slices.Clone(work.Start) {
				if start.Do == Run {
					o := Outcome{Value: Value{Changed: true, Data: []byte("1")}}
					if to := m.Flat(start.Task).Choices; len(to) > 0 {
						o.Choice = to[0].Name
					}
					_ = m.Finish(0, start.Task, o)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, state []byte) {
		p := plans[int(which)%len(plans)]
		layout := layoutOf(p)
		m, err := Restore(p, sealed(append(append([]byte{snapshotFormat}, layout[:]...), state...)))
		if err != nil {
			if !errors.Is(err, ErrSnapshot) {
				t.Fatal(err)
			}
			return
		}
		_, _, _, _ = m.Due(), m.TimeLeft(), m.Underway(), m.dump()
		_, _, _, _ = m.Holds(), m.Refs(), m.Standings(), m.Reads()
		if m.Fits() == "" {
			_, _ = m.Next(1000)
		}
		m.Flush()
		if _, err := m.Snapshot(); err != nil {
			t.Fatalf("what was restored has no snapshot: %v", err)
		}
	})
}
