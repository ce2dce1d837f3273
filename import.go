package fermata

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// ImportOptions say what becomes of an imported run. The zero value makes it the run that was exported.
type ImportOptions struct {
	// ID gives the run another id. It is then a run of its own, which says as forks do where it comes from: its questions
	// have other ids, and the resume tokens that were given out for them are not good here. Defaults to the run's own id,
	// with which it is the same run in another place, and answers find it by the ids and tokens that they have.
	ID string
	// Name says where the data is from, in errors: a file's name. Defaults to none.
	Name string
	// Plans finds the plan of the run, with which its journal is folded before it is stored: what that plan cannot have written is
	// refused. Its definition is in the store by then. Defaults to the plans that the runtime knows, and Options.Plans. Where
	// no plan is found, only what holds for every plan is checked.
	Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
	// MaxBytes bounds the data, and what becomes of it in memory: more is refused before it is there. Defaults to 1 GiB.
	// A line, which is an entry or a text, has 256 MiB at most. docs/formats.md has the limits that follow.
	MaxBytes int64
}

const (
	maxImportLine = 1 << 28 // bounds a line of an exported run: one entry with its value, or one text
	maxImport     = 1 << 30 // bounds all of it, unless ImportOptions.MaxBytes does
)

// Import takes in a run that [Runtime.Export] has written, and returns how it stands. Its journal is the one that was
// exported, entry for entry and byte for byte; what waits for people and for time is made of it anew (law J6). A run
// that was on its way is then one that nobody drives: it rests until it is resumed, or answered where Options.Plans knows
// its plan, and a worker on the store takes it at once (law J10). Import into a store without workers to look at it only.
//
// Data that is damaged, cut off or something else is CodeInvalid around a *journal.StoreError, which says in which line
// and of which seq (journal.ErrCorrupt, journal.ErrNewer); nothing is stored then. So are entries that no run writes, such
// as a second end, a delta of a value that is not there, or an answer that four eyes forbid (law H6). A run that is
// there already is a conflict. The journal is folded with the run's plan where that is known, see ImportOptions.Plans. Definitions come with the run: what it runs when it is resumed is what the file says, so
// take in only files that you would run.
func (rt *Runtime) Import(ctx context.Context, r io.Reader, o ImportOptions) (RunInfo, error) {
	if rt.ctx.Err() != nil {
		return RunInfo{}, &Error{Code: CodeStopped, Err: ErrClosed}
	}
	if err := printable.Check("the run's id", o.ID); err != nil {
		return RunInfo{}, &Error{Code: CodeInvalid, Err: err}
	}
	in := importer{sum: sha256.New(), possible: newPossible(rt.checkRecorded), most: o.MaxBytes}
	if in.most <= 0 {
		in.most = maxImport
	}
	err := in.read(r)
	if late := in.possible.late; err == nil && late != nil {
		in.line, in.wrong = int(in.possible.lateSeq)+1, in.possible.lateSeq // behind the header
		err = corruptf("%w", late)
	}
	if err == nil {
		in.possible = nil
		err = in.unfold()
	}
	if err != nil {
		seq := cmp.Or(in.wrong, uint64(len(in.entries)))
		if errors.Is(err, journal.ErrCorrupt) && in.header.Run != "" && !in.ended {
			seq++ // the one that was expected
		}
		return RunInfo{}, &Error{Code: CodeInvalid, Run: in.header.Run, Err: &journal.StoreError{
			Op: "import", File: o.Name, Run: in.header.Run, Seq: seq, Err: fmt.Errorf("line %d: %w", in.line, err),
		}}
	}
	run := in.header.Run
	if err := printable.Check("the run's id", run); err != nil && o.ID == "" {
		return RunInfo{}, &Error{Code: CodeInvalid, Err: fmt.Errorf("%w, or give the run another id", err)}
	}
	if o.ID != "" && o.ID != run {
		f := fork{
			rt: rt, from: run, entries: in.entries, now: rt.now(), d: &drive{id: o.ID},
			options: ForkOptions{At: uint64(len(in.entries)), By: rt.options.Name},
		}
		if err := f.own(); err != nil {
			return RunInfo{}, err
		}
		run = o.ID
	}
	return rt.takeIn(ctx, run, &in, &o)
}

// takeIn stores what was read.
func (rt *Runtime) takeIn(ctx context.Context, run string, in *importer, o *ImportOptions) (RunInfo, error) {
	b, err := projected(run, in.entries)
	if err != nil {
		return RunInfo{}, &Error{Code: CodeInvalid, Run: run, Err: err}
	}
	for _, t := range in.texts {
		if err := rt.saveText(ctx, t.ID, t.Kind, []byte(t.Text)); err != nil {
			return RunInfo{}, err
		}
	}
	if err := rt.foldsAs(ctx, &b, in, o); err != nil {
		return RunInfo{}, &Error{Code: CodeInvalid, Run: run, Err: &journal.StoreError{Op: "import", File: o.Name, Run: run, Err: err}}
	}
	err = rt.store.Append(context.WithoutCancel(ctx), b)
	if errors.Is(err, ErrConflict) {
		return RunInfo{}, &Error{Code: CodeConflict, Run: run, Err: fmt.Errorf("%w: there is a run with this id already", ErrConflict)}
	}
	if err != nil {
		return RunInfo{}, rt.storeError(run, err)
	}
	for i := range b.Timers {
		rt.alarm.set(b.Timers[i].Due)
	}
	rt.ring(run)
	return rt.Info(ctx, run)
}

// importer reads an exported run.
type importer struct {
	header  exportHeader
	entries []journal.Entry
	texts   []exportText
	sum     hash.Hash
	line    int
	wrong   uint64 // the entry whose value is wrong, which is known when all were read
	ended   bool

	possible   *possible
	size, most int64 // of the data: how much was read, and how much there may be
}

// What takes more memory than its bytes in a file has bounds of its own, as parts of what all the data may have.
const (
	entryShare  = 256     // so many bytes for each entry
	leastMost   = 1 << 16 // but so many entries at least
	listedShare = 64      // for each option of a question, and each person and node that may not answer it
	frameShare  = 18      // for each byte of a frame, which may stand for so many
	bodyShare   = 16      // a body that is read is at most such a part
)

// bounded checks an entry against the bounds of what takes more memory than its bytes.
func (in *importer) bounded(e *journal.Entry) error {
	most, what := in.most/entryShare, "entries"
	switch n := int64(len(in.entries)); {
	case n >= max(most, leastMost):
	case in.possible.listed > max(in.most/listedShare, leastMost):
		most, what = in.most/listedShare, "options and people of questions"
	case int64(len(e.Body)) > max(in.most/bodyShare, leastMost) && e.Kind != journal.Message && e.Kind != journal.StructuredData:
		most, what = in.most/bodyShare, "bytes in a body"
	default:
		return nil
	}
	return fmt.Errorf("entry %d: more than %d %s; set ImportOptions.MaxBytes to take in more", e.Seq, max(most, leastMost), what)
}

func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", journal.ErrCorrupt, fmt.Errorf(format, args...))
}

func (in *importer) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	longest := min(maxImportLine, in.most)
	lines.Buffer(nil, int(longest)+1)
	lines.Split(wholeLines)
	for lines.Scan() {
		in.line++
		if in.size += int64(len(lines.Bytes())); in.size > in.most {
			return in.tooMuch()
		}
		if err := in.take(lines.Bytes()); err != nil {
			return err
		}
	}
	in.line++
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong) && in.size+longest >= in.most:
		return in.tooMuch()
	case errors.Is(err, bufio.ErrTooLong):
		return corruptf("a line of more than %d bytes", maxImportLine)
	case err != nil:
		return err
	case in.line == 1:
		return corruptf("expected an exported run, found no data")
	case !in.ended:
		return corruptf("the file is cut off: it has %d entries, and no end", len(in.entries))
	}
	return nil
}

func (in *importer) tooMuch() error {
	return fmt.Errorf("the data has more than %d bytes; set ImportOptions.MaxBytes to take in more", in.most)
}

// wholeLines splits at line breaks, and leaves them where they are: they are covered by the checksum.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func (in *importer) take(data []byte) error {
	if in.line == 1 {
		in.sum.Write(data)
		return in.begin(data)
	}
	if in.ended {
		return corruptf("expected nothing behind the end, found %d bytes", len(data))
	}
	var line exportLine
	if err := strictly(data, &line); err != nil {
		return corruptf("expected an entry, a text or the end: %w", err)
	}
	switch {
	case line.Entry != nil && line.Text == nil && line.End == nil && len(in.texts) == 0:
		in.sum.Write(data)
		return in.entry(line.Entry)
	case line.Text != nil && line.Entry == nil && line.End == nil:
		in.sum.Write(data)
		return in.text(line.Text)
	case line.End != nil && line.Entry == nil && line.Text == nil:
		return in.end(line.End)
	}
	return corruptf("expected an entry, a text or the end: entries first, then texts, then the end, one on a line")
}

// strictly decodes one value, and takes no members that this version does not know.
func strictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more on the line")
	}
	return nil
}

func (in *importer) begin(data []byte) error {
	var h exportHeader // which a later version may have more in
	if err := json.Unmarshal(data, &h); err != nil || h.Format != exportFormat || h.Version < 1 || h.Run == "" {
		return corruptf(`expected an exported run, which begins with {"format":%q,"version":%d,"run":…}, found %s`,
			exportFormat, exportVersion, excerptOf(data))
	}
	if h.Version > exportVersion {
		return fmt.Errorf("%w: version %d of exported runs, this version reads up to %d", journal.ErrNewer, h.Version, exportVersion)
	}
	in.header = h
	return nil
}

func excerptOf(data []byte) string {
	const most = 40
	if len(data) > most {
		return fmt.Sprintf("%q…", data[:most])
	}
	return fmt.Sprintf("%q", data)
}

func (in *importer) entry(x *exportEntry) error {
	if most := max(in.most/frameShare, leastMost); int64(len(x.Frame)) > most {
		return fmt.Errorf("entry %d: a frame of more than %d bytes; set ImportOptions.MaxBytes to take in more", x.Seq, most)
	}
	e, err := x.entry()
	if err != nil {
		if errors.Is(err, journal.ErrNewer) {
			return err
		}
		return corruptf("entry %d: %w", x.Seq, err)
	}
	if want := uint64(len(in.entries)) + 1; e.Seq != want || x.Seq != want {
		return corruptf("expected the entry of seq %d, found seq %d: a journal has no gap", want, x.Seq)
	}
	if e.Seq == 1 && e.Kind != journal.RunStarted {
		return corruptf("expected that the run begins with run.started, found %s", e.Kind)
	}
	if err := in.bounded(&e); err != nil {
		return err
	}
	if err := in.possible.next(&e); err != nil {
		return corruptf("%w", err)
	}
	in.entries = append(in.entries, e)
	return nil
}

// text takes a text only under the name that it has by its digest: nobody gets another one in its place.
func (in *importer) text(t *exportText) error {
	want := definitionID(t.Kind, []byte(t.Text))
	if t.Kind == outlineKind {
		sum := sha256.Sum256([]byte(t.Text))
		want = outlineID(hex.EncodeToString(sum[:16]))
	}
	if t.ID != want {
		return corruptf("text %s: its digest is %s", t.ID, want)
	}
	in.texts = append(in.texts, *t)
	return nil
}

func (in *importer) end(end *exportEnd) error {
	sum := hex.EncodeToString(in.sum.Sum(nil))
	switch {
	case end.Entries != len(in.entries) || len(in.entries) == 0:
		return corruptf("expected %d entries, found %d", end.Entries, len(in.entries))
	case end.SHA256 != sum:
		return corruptf("the checksum of the lines above is %s, expected %s: something in them is not what was exported", sum, end.SHA256)
	}
	in.ended = true
	return nil
}
