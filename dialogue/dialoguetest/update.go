package dialoguetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/dialogue"
)

// ErrNotWritten says that the results of a conversation could not be written. The file is as it was.
var ErrNotWritten = errors.New("the test was not written")

// Update fills in the expectations that are missing in files of tests. They are the commands that phrases have
// understood, and what was said. All else in the files stays as it is, comments too. It returns how many lines it
// has written; a person has to read them.
func Update(r *Report) (int, error) {
	adds := make(map[string]map[int]string) // of each file: the line that what is added goes behind
	flows := make(map[string]map[int]string)
	written := 0
	for i := range r.Results {
		res := &r.Results[i]
		if res.NLU != Phrases || len(res.Broken) > 0 {
			continue
		}
		for _, x := range res.Talk {
			if x.Line == nil {
				continue
			}
			block, flow := x.additions()
			if block == "" {
				continue
			}
			file := res.Test.File
			if adds[file] == nil {
				adds[file], flows[file] = make(map[int]string), make(map[int]string)
			}
			adds[file][x.Line.Line], flows[file][x.Line.Line] = block, flow
			written++
		}
	}
	for _, file := range slices.Sorted(maps.Keys(adds)) {
		if err := write(file, adds[file], flows[file]); err != nil {
			return 0, err
		}
	}
	return written, nil
}

// additions are the keys that a line has not, as lines of a block and as a part of {…}.
func (x *Exchange) additions() (block, flow string) {
	var keys []string
	if l := x.Line; l.User != "" && !l.HasCommands {
		keys = append(keys, "commands: "+CommandsText(x.Commands))
	}
	if !x.Line.HasBot {
		said := make([]string, 0, len(x.Said))
		for _, text := range x.texts() {
			said = append(said, ScalarText(text))
		}
		if len(said) == 1 {
			keys = append(keys, "bot: "+said[0])
		} else {
			keys = append(keys, "bot: ["+strings.Join(said, ", ")+"]")
		}
	}
	return strings.Join(keys, "\n"), strings.Join(keys, ", ")
}

// write adds to lines of a file, and sees to it that nothing else has changed in what it says.
func write(file string, blocks, flows map[int]string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(string(data), "\n")
	var out []string
	for i, line := range lines {
		block, ok := blocks[i+1]
		switch body := strings.TrimRight(line, " \r"); {
		case !ok:
			out = append(out, line)
		case strings.Contains(body, "- {") && strings.HasSuffix(body, "}"):
			out = append(out, strings.TrimSuffix(body, "}")+", "+flows[i+1]+"}")
		case strings.Contains(body, "- "):
			out = append(out, line)
			indent := strings.Repeat(" ", strings.Index(body, "- ")+2)
			for add := range strings.SplitSeq(block, "\n") {
				out = append(out, indent+add)
			}
		default:
			return fmt.Errorf("%w: %s:%d: expected a line that begins with - and what is said", ErrNotWritten, file, i+1)
		}
	}
	text := []byte(strings.Join(out, "\n"))
	if err := onlyMore(data, text); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNotWritten, file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, info.Mode().Perm())
}

// onlyMore checks that a text says all that another one does.
func onlyMore(before, after []byte) error {
	var was, is any
	if err := yaml.Unmarshal(before, &was); err != nil {
		return err
	}
	if err := yaml.Unmarshal(after, &is); err != nil {
		return err
	}
	if !within(was, is) {
		return errors.New("the update would change other parts of the file")
	}
	return nil
}

// within reports whether all of a value is in another one; mappings may have more keys.
func within(was, is any) bool {
	switch was := was.(type) {
	case map[string]any:
		m, ok := is.(map[string]any)
		for k := range was {
			ok = ok && within(was[k], m[k])
		}
		return ok
	case []any:
		list, ok := is.([]any)
		return ok && slices.EqualFunc(was, list, within)
	}
	return reflect.DeepEqual(was, is)
}

// CommandsText are commands as tests write them: [{type: affirm}].
func CommandsText(commands []dialogue.Command) string {
	all := make([]string, len(commands))
	for i, c := range commands {
		c.Confidence = 0
		all[i] = commandText(c)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func commandText(c dialogue.Command) string {
	data, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return err.Error()
	}
	var parts []string
	for _, key := range []string{"type", "flow_name", "slot_name", "slot_value", "slot_to_change", "options", "text", "choice", "language", "data"} {
		if v, ok := m[key]; ok {
			parts = append(parts, key+": "+flowText(v))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// flowText is a value within a mapping or list on one line.
func flowText(v any) string {
	switch v := v.(type) {
	case string:
		return ScalarText(v)
	case []any:
		all := make([]string, len(v))
		for i := range v {
			all[i] = flowText(v[i])
		}
		return "[" + strings.Join(all, ", ") + "]"
	default:
		return text(v)
	}
}

var (
	plain    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _.!?'()/@€-]*$`)
	reserved = regexp.MustCompile(`(?i)^(yes|no|y|n|on|off|true|false|null|nan|inf)$`)
)

// ScalarText is a text as YAML has it, in quotes where it must be, also within a list on one line.
func ScalarText(s string) string {
	if plain.MatchString(s) && !reserved.MatchString(s) && !strings.HasSuffix(s, " ") {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r == '\ufeff' || r >= 0x7f && r < 0xa0 { // which JSON takes as it is, and YAML does not
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
