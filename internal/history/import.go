package history

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
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// ImportOptions configure an import. The zero value keeps the run as it was exported.
type ImportOptions struct {
	// ID gives the run another id. It is then a run of its own with an origin, as a fork is. Its questions get
	// new ids, and old resume tokens are refused. Defaults to the run's own id: the same run in another place,
	// for which old ids and tokens are valid.
	ID string
	// By is who imports the run, on record where ID gives it another id. Defaults to the name of the runtime.
	By string
	// Name names the data in errors: a file's name. Defaults to none.
	Name string
	// Plans returns the run's plan, with which its journal is folded before it is stored. A journal that this
	// plan cannot have written is refused. The definition is already in the store. Defaults to the plans that
	// the runtime knows, and Options.Plans. Without a plan, only rules for every plan are checked.
	Plans func(ctx context.Context, run runtype.RunInfo) (*plan.Plan, error)
	// Admit refuses the run with the error that it returns, before anything is stored. Defaults to taking in every run.
	Admit func(run runtype.RunInfo) error
	// MaxBytes limits the data, and its size in memory. Defaults to 1 GiB. A line, which is an entry or a text,
	// has 256 MiB at most. docs/formats.md lists derived limits.
	MaxBytes int64
}

const (
	maxImportLine = 1 << 28 // of a line of an exported run: one entry with its value, or one text
	maxImport     = 1 << 30 // of all lines, unless ImportOptions.MaxBytes is set
)

// Import stores a run written by [Runtime.Export], and returns its row. The journal is stored byte for byte,
// and open questions and timers are rebuilt from it (law J6). An unfinished run then has no owner. It rests
// until it is resumed, or answered if Options.Plans knows its plan; a worker on the store takes it at once (law
// J10). To only inspect a run, import it into a store without workers.
//
// Damaged, truncated or foreign data is CodeInvalid with a *journal.StoreError that names the line and seq
// (journal.ErrCorrupt, journal.ErrNewer); nothing is stored then. The same holds for entries that no run
// writes, such as a second end, a delta of a missing value, or an answer that four eyes forbid (law H6). A run
// that exists is a conflict. If the run's plan is known, the journal is folded with it; see
// ImportOptions.Plans. The definitions come with the run and are executed when it is resumed, so import only
// files that you would run.
func (h *History) Import(ctx context.Context, r io.Reader, o ImportOptions) (runtype.RunInfo, error) {
	if err := printable.Check("the run's id", o.ID); err != nil {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	if err := printable.Check("who imports the run", o.By); err != nil {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	in := importer{sum: sha256.New(), possible: newPossible(h.CheckRecorded), most: o.MaxBytes}
	if in.most <= 0 {
		in.most = maxImport
	}
	err := in.read(r)
	if late := in.possible.late; err == nil && late != nil {
		in.line, in.wrong = int(in.possible.lateSeq)+1, in.possible.lateSeq // after the header
		err = corruptf("%w", late)
	}
	if err == nil {
		in.possible = nil
		err = in.unfold()
	}
	if err != nil {
		seq := cmp.Or(in.wrong, uint64(len(in.entries)))
		if errors.Is(err, journal.ErrCorrupt) && in.header.Run != "" && !in.ended {
			seq++ // the expected one
		}
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeInvalid, Run: in.header.Run, Err: &journal.StoreError{
			Op: "import", File: o.Name, Run: in.header.Run, Seq: seq, Err: fmt.Errorf("line %d: %w", in.line, err),
		}}
	}
	run := in.header.Run
	if err := printable.Check("the run's id", run); err != nil && o.ID == "" {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("%w, or give the run another id", err)}
	}
	if o.ID != "" && o.ID != run {
		f := fork{
			from: run, entries: in.entries, now: h.Storage.Now(), s: &runstate.State{Env: h.Env, ID: o.ID},
			options: ForkOptions{At: uint64(len(in.entries)), By: cmp.Or(o.By, h.Options.Name)},
		}
		if err := f.own(); err != nil {
			return runtype.RunInfo{}, err
		}
		run = o.ID
	}
	return h.takeIn(ctx, run, &in, &o)
}

// takeIn stores an imported run.
func (h *History) takeIn(ctx context.Context, run string, in *importer, o *ImportOptions) (runtype.RunInfo, error) {
	b, err := projected(run, in.entries)
	if err != nil {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeInvalid, Run: run, Err: err}
	}
	if o.Admit != nil {
		if err := o.Admit(*b.Row); err != nil {
			return runtype.RunInfo{}, err
		}
	}
	for _, t := range in.texts {
		if err := h.SaveText(ctx, t.ID, t.Kind, []byte(t.Text)); err != nil {
			return runtype.RunInfo{}, err
		}
	}
	if err := h.foldsAs(ctx, &b, in, o); err != nil {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeInvalid, Run: run, Err: &journal.StoreError{Op: "import", File: o.Name, Run: run, Err: err}}
	}
	err = h.Store.Append(context.WithoutCancel(ctx), b)
	if errors.Is(err, runtype.ErrConflict) {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeConflict, Run: run, Err: fmt.Errorf("%w: there is a run with this id already", runtype.ErrConflict)}
	}
	if err != nil {
		return runtype.RunInfo{}, h.StoreError(run, err)
	}
	for i := range b.Timers {
		h.Live.Due(b.Timers[i].Due)
	}
	h.Live.Notify(run)
	return h.Info(ctx, run)
}

// importer reads an exported run.
type importer struct {
	header  exportHeader    // of the file
	entries []journal.Entry // read so far
	texts   []exportText    // read so far
	sum     hash.Hash       // over all lines before the end
	line    int             // number of the last line
	wrong   uint64          // seq of the entry with a wrong value, found after reading; 0 for none
	ended   bool            // the end was read

	possible   *possible // checks the order of entries
	size, most int64     // of the data: bytes read, and their limit
}

// Some data takes more memory than its bytes in the file. Its limits are shares of the limit of all data.
const (
	entryShare  = 256     // so many bytes for each entry
	leastMost   = 1 << 16 // but so many entries at least
	listedShare = 64      // for each option of a question, and each person and node that may not answer it
	frameShare  = 18      // for each byte of a frame, which may stand for so many
	bodyShare   = 16      // a body that is read is at most such a part
)

// bounded checks an entry against the limits of data that takes more memory than its bytes.
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

// wholeLines splits lines and keeps their breaks, which the checksum covers.
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

// strictly decodes one value and refuses unknown members.
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
	var h exportHeader // later versions may add members
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

// text checks that a text has its digest as its id.
func (in *importer) text(t *exportText) error {
	want := storage.DefinitionID(t.Kind, []byte(t.Text))
	if t.Kind == runstate.OutlineKind {
		sum := sha256.Sum256([]byte(t.Text))
		want = storage.OutlineID(hex.EncodeToString(sum[:16]))
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
