package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	command = "./cmd/fermata"
	own     = "github.com/fermata-go/fermata"
)

// goTool runs the go command with more environment and gives what it prints.
func goTool(ctx context.Context, env []string, args ...string) ([]byte, *os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go %s: %w\n%s", args[0], err, errs.Bytes())
	}
	return out, cmd.ProcessState, nil
}

// listed is the weight with the packages and modules that are linked on Linux.
func listed(ctx context.Context) (*weight, error) {
	out, _, err := goTool(ctx, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"},
		"list", "-deps", "-f", "{{if .Module}}{{.Module.Path}}{{else}}"+standard+"{{end}} {{.ImportPath}}", command)
	if err != nil {
		return nil, err
	}
	w := &weight{packages: make(map[string]string), modules: make(map[string]*module)}
	for line := range strings.Lines(string(out)) {
		name, pkg, _ := strings.Cut(strings.TrimSpace(line), " ")
		w.packages[pkg] = name
		if w.modules[name] == nil {
			w.modules[name] = &module{name: name}
		}
		w.modules[name].packages++
	}
	return w, nil
}

// build builds the command with what is in the build cache and gives its size.
func build(ctx context.Context, file, linker string) (int64, error) {
	if _, _, err := goTool(ctx, nil, "build", "-ldflags", linker, "-o", file, command); err != nil {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// asTool is the first argument where this program runs a tool of the go command, and logFile is the variable with the
// file in which it says what the tool took.
const (
	asTool  = "-as-tool"
	logFile = "FERMATA_WEIGHT_LOG"
)

// buildClean builds the command as it is released, without anything in the build cache, and measures that. What the
// measuring itself takes is left out.
func (w *weight) buildClean(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, file := filepath.Join(dir, "log"), filepath.Join(dir, "fermata")
	_, state, err := goTool(ctx, []string{"GOCACHE=" + filepath.Join(dir, "cache"), logFile + "=" + log},
		"build", "-toolexec", self+" "+asTool, "-trimpath", "-ldflags", "-s -w", "-o", file, command)
	if err != nil {
		return err
	}
	w.cpu, w.memory = state.UserTime()+state.SystemTime(), peak(state)
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	w.size = info.Size()
	data, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		var pkg string
		var cpu, ours time.Duration
		var memory int64
		if _, err := fmt.Sscanf(line, "%s %d %d %d", &pkg, &cpu, &memory, &ours); err != nil {
			return fmt.Errorf("%s: %q: %w", log, line, err)
		}
		w.cpu -= ours
		if m := w.modules[w.packages[pkg]]; m != nil {
			m.cpu += cpu
			m.memory = max(m.memory, memory)
		}
	}
	return nil
}

// runTool runs a tool of the go command and notes what it took for which package. It gives the exit status.
func runTool(ctx context.Context, args []string) int {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the go command says what it wants run
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		return 1
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	line := fmt.Sprintf("%s %d %d %d\n", cmp.Or(os.Getenv("TOOLEXEC_IMPORTPATH"), "-"), cpu, peak(cmd.ProcessState), ownTime())
	f, err := os.OpenFile(os.Getenv(logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line)
		_ = f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// readSymbols counts the bytes of machine code of each module in a binary that has its symbols.
func (w *weight) readSymbols(ctx context.Context, file string) error {
	if _, err := build(ctx, file, ""); err != nil {
		return err
	}
	out, _, err := goTool(ctx, nil, "tool", "nm", "-size", file)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Fields(lines.Text()) // address, size, kind, name
		if len(fields) < 4 || !strings.EqualFold(fields[2], "t") {
			continue
		}
		size, err := strconv.ParseInt(fields[1], 10, 64)
		if m := w.modules[w.packages[w.packageOf(fields[3])]]; err == nil && m != nil {
			m.size += size
		}
	}
	return lines.Err()
}

// packageOf is the linked package that a symbol is of, "" for none of them.
func (w *weight) packageOf(symbol string) string {
	for _, prefix := range []string{"type:.eq.", "type:.hash.", "type:*", "type:", "go:itab.*", "go:itab."} {
		symbol = strings.TrimPrefix(symbol, prefix)
	}
	symbol, _, _ = strings.Cut(symbol, "[")
	slash := strings.LastIndex(symbol, "/") + 1
	dot := strings.Index(symbol[slash:], ".")
	if dot < 0 {
		return ""
	}
	name := strings.ReplaceAll(symbol[:slash+dot], "%2e", ".")
	if name == "main" {
		name = own + "/cmd/fermata"
	}
	if _, ok := w.packages[name]; ok {
		return name
	}
	return ""
}
