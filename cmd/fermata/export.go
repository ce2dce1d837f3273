package main

import (
	"bufio"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/plan"
)

func (m *Main) runsExportCommand() *cobra.Command {
	var file string
	c := m.onRun(&cobra.Command{
		Use:   "export RUN",
		Short: "Write a run to a file, to move it or to keep it",
		Long: "Write a run to a file: its journal, entry for entry, the recipe that it runs, and a checksum, as lines of JSON. `runs " +
			"import` reads it into a store of any kind. The run stays in its store, too: of a run that is moved, resume only one.",
		Example: `fermata runs export run_01939f2e -o refund.jsonl
fermata runs export run_01939f2e | fermata --store other.db runs import -`,
	}, func(ctx context.Context, h *house, info fermata.RunInfo) error {
		if err := m.export(ctx, h, info.ID, file); err != nil {
			return err
		}
		if file != "" && !m.global.quiet {
			m.err.Println("exported " + info.ID + " to " + file)
		}
		return nil
	})
	c.Flags().StringVarP(&file, "output", "o", "", "a new `file` (default standard output)")
	return c
}

// export writes a run to a new file, or to standard output. A file that could not be written whole is removed.
func (m *Main) export(ctx context.Context, h *house, run, file string) (err error) {
	if file == "" || file == "-" {
		return h.Export(ctx, run, m.Stdout)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file))
		}
	}()
	w := bufio.NewWriter(f)
	return errors.Join(h.Export(ctx, run, w), w.Flush(), f.Sync(), f.Close())
}

// importedLine is a run that was taken in, in `runs import --json`.
type importedLine struct {
	Type string `json:"type"`
	runLine
}

func (m *Main) runsImportCommand() *cobra.Command {
	var o fermata.ImportOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Import a run from a file",
		Long: "Import a run from a file that `runs export` has written; - is standard input. Its journal stays the same, to the byte. It " +
			"keeps its id and its questions; with --id it is a run of its own, with other questions. The file holds the recipe, which " +
			"runs when the run is resumed, or at once if a worker claims an unfinished run: import only files that you would run.",
		Example: `fermata runs import refund.jsonl
fermata runs import refund.jsonl --id run_again`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("expected a FILE that `%s` has written, or - for standard input", m.command("runs", "export"))
			}
			return m.importRun(c.Context(), args[0], o, asJSON)
		},
	}
	c.Flags().StringVar(&o.ID, "id", "", "another `id`; one that exists is a conflict (default its own)")
	c.Flags().BoolVar(&asJSON, "json", false, "write the run as JSON")
	return c
}

func (m *Main) importRun(ctx context.Context, file string, o fermata.ImportOptions, asJSON bool) error {
	from := m.Stdin
	if o.Name = file; file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it is only read
		from = f
	}
	h, err := m.open(ctx, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	o.Plans = func(ctx context.Context, run fermata.RunInfo) (*plan.Plan, error) {
		return m.planOf(ctx, h, run, "") // of a program's run only what holds for every plan is checked
	}
	info, err := h.Import(ctx, from, o)
	if err := errors.Join(err, h.Close()); err != nil {
		return err
	}
	if asJSON {
		m.writeLine(importedLine{"import", lineOf(&info, nil)})
		return nil
	}
	s := m.out
	s.Println("imported " + info.ID + ": " + term.OneLine(info.Plan) + ", " + info.Status)
	if fermata.Status(info.Status).Ended() || m.global.quiet {
		return nil
	}
	m.err.Println("")
	m.hints(hintTo("its state", "runs", "show", idFor(m.err, info.ID, nil)),
		hintTo("resume it", "resume", idFor(m.err, info.ID, nil)))
	return nil
}
