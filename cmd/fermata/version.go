package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
)

// versionLine is `version --json`.
type versionLine struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Events   int    `json:"events"` // version of the event envelope
}

func (m *Main) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Show which version this is",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion()
			if asJSON {
				m.writeLine(v)
				return nil
			}
			parts := []string{"fermata " + v.Version}
			if v.Commit != "" {
				parts = append(parts, v.Commit[:min(12, len(v.Commit))])
			}
			m.out.Println(strings.Join(append(parts, v.Go, v.Platform), " "))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write it as JSON")
	return c
}

// buildVersion reads what the Go tool wrote into the binary.
func buildVersion() versionLine {
	v := versionLine{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Events: fermata.EventVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
