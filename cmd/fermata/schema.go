package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/recipe"
)

//go:generate gzip -9 -n -k -f event.schema.json

//go:embed event.schema.json.gz
var packedEventSchema []byte // for the weight of the command (ADR 060)

// eventSchema is the JSON Schema of events.
func eventSchema() []byte { return document.Unpacked(packedEventSchema) }

var schemaNames = []string{"recipe", "dialogue", "translation", "event", "trace"}

func (m *Main) schemaCommand() *cobra.Command {
	c := &cobra.Command{
		Use:               "schema NAME",
		Short:             "Show the JSON Schema of a format: recipe, dialogue, translation, event or trace",
		Long:              "Show the JSON Schema (2020-12) of recipes, of dialogues and their translations, of the event envelope or of traces, for editors and for programs.",
		Example:           "fermata schema recipe > recipe.schema.json",
		Args:              atMostOne,
		ValidArgsFunction: cobra.FixedCompletions(schemaNames, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("expected the name of a schema: %s", strings.Join(schemaNames, ", "))
			}
			doc, err := schemaNamed(args[0])
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := json.Indent(&b, doc, "", "  "); err != nil {
				return err
			}
			m.out.Println(strings.Split(strings.TrimRight(b.String(), "\n"), "\n")...)
			return nil
		},
	}
	return c
}

func schemaNamed(name string) ([]byte, error) {
	switch name {
	case "recipe":
		return recipe.Schema(), nil
	case "event":
		return eventSchema(), nil
	case "trace":
		return recipe.TraceSchema(), nil
	case "dialogue":
		return dialogue.Schema(), nil
	case "translation":
		return dialogue.TranslationSchema(), nil
	}
	return nil, usagef("unknown schema %q; there are %s%s", name, strings.Join(schemaNames, ", "), nearest.Hint(name, schemaNames))
}
