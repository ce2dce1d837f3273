package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// Level is how safely a server keeps what it has acknowledged.
type Level uint8

// Levels, the strongest first. A server that does not say how it keeps things is at Memory.
const (
	Always      Level = iota // appendonly yes, appendfsync always: on disk before it is acknowledged (law J2)
	EverySecond              // appendonly yes, appendfsync everysec: a crash of the machine may lose about two seconds
	Snapshots                // appendfsync no, or save: a crash may lose all since the last time the server wrote
	Memory                   // nothing is kept when the server stops, or nothing is known of it
)

// ErrPromise is that a server promises less than Options accept.
var ErrPromise = errors.New("the server promises less than is asked for")

func (l Level) String() string {
	if names := levelNames(); int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

func levelNames() []string { return []string{"always", "everysec", "snapshots", "memory"} }

func parseLevel(name string) (Level, error) {
	for l, n := range levelNames() {
		if n == name {
			return Level(l), nil
		}
	}
	return 0, fmt.Errorf("accept=%s: expected one of %s", name, strings.Join(levelNames(), ", "))
}

// Promises is what a server said of itself when the store was opened.
type Promises struct {
	Level    Level
	Known    bool   // false: the server does not let this user read its configuration
	Evicts   bool   // keys may be thrown away when memory is full
	Policy   string // maxmemory-policy; "" when it is not known
	AOF      string // appendonly and appendfsync, "yes everysec"; "" when they are not known
	Save     string // when snapshots are written, as in the configuration; "" for never
	Replicas int    // how many replicas were connected, -1 when it is not known
}

// Promises is what the server can and cannot promise.
func (s *Store) Promises() Promises { return s.promises }

// String says it in words, a sentence for each promise.
func (p Promises) String() string {
	var said []string
	switch {
	case !p.Known:
		said = append(said, "The server does not say how it keeps data (CONFIG GET is not allowed): it is taken to keep nothing.")
	case p.Level == Always:
		said = append(said, "What is acknowledged is on disk (appendfsync always).")
	case p.Level == EverySecond:
		said = append(said, "A crash of the machine may lose about the last two seconds (appendfsync everysec).")
	case p.Level == Snapshots && p.Save != "":
		said = append(said, fmt.Sprintf("A crash may lose all since the last snapshot (save %q).", p.Save))
	case p.Level == Snapshots:
		said = append(said, "A crash of the machine may lose what the system had not written yet (appendfsync no).")
	default:
		said = append(said, "Nothing is kept when the server stops (appendonly no, no save).")
	}
	switch {
	case p.Policy == "":
		said = append(said, "Whether keys are thrown away when memory is full is not known.")
	case p.Evicts:
		said = append(said, fmt.Sprintf("Keys may be thrown away when memory is full (maxmemory-policy %s): a journal may be lost.", p.Policy))
	default:
		said = append(said, "When memory is full, appends fail and nothing is thrown away.")
	}
	if p.Replicas > 0 {
		said = append(said, "Replicas are written after the acknowledgement: a failover may lose the last appends, and while two servers "+
			"both believe that they are the primary, the fence of one does not hold on the other (law J3).")
	}
	return strings.Join(said, " ")
}

// ask asks the server what it promises, and compares it with what will do.
func (s *Store) ask(ctx context.Context) error {
	ping := func() error {
		_, err := s.client.Do(ctx, "PING")
		return err
	}
	if _, err := s.call(ctx, ping); err != nil {
		return err
	}
	var info string
	_, err := s.call(ctx, func() (err error) {
		info, _, err = resp.Text(s.client.Do(ctx, "INFO"))
		return err
	})
	if _, refused := errors.AsType[resp.Error](err); err != nil && !refused {
		return err
	}
	facts := fields(info)
	if facts["cluster_enabled"] == "1" {
		return errors.New("the server is in cluster mode: a batch writes a run and the projections of all runs in one script, and their " +
			"keys are in different slots; use a server without cluster mode")
	}
	if s.promises, err = s.configuration(ctx, facts); err != nil {
		return err
	}
	switch p := s.promises; {
	case p.Level > s.options.Accept:
		return fmt.Errorf("%w: it is at %q, asked for is %q. %v Let the server have appendonly yes and appendfsync always "+
			"(redis-cli CONFIG SET, and CONFIG REWRITE to keep it), or accept what it does with ?accept=%v in the address or Options.Accept", ErrPromise, p.Level, s.options.Accept, p, p.Level)
	case p.Evicts && !s.options.AcceptEviction:
		return fmt.Errorf("%w: its maxmemory-policy is %s, expected noeviction. Set that (redis-cli CONFIG SET maxmemory-policy noeviction), or Options.AcceptEviction", ErrPromise, p.Policy)
	}
	return nil
}

// configuration reads what the server is told to do. Not to be allowed to read it is no error.
func (s *Store) configuration(ctx context.Context, facts map[string]string) (Promises, error) {
	p := Promises{Level: Memory, Replicas: -1, Policy: facts["maxmemory_policy"]}
	if n := facts["connected_slaves"]; n != "" {
		_, _ = fmt.Sscan(n, &p.Replicas)
	}
	config := make(map[string]string)
	for _, name := range []string{"appendonly", "appendfsync", "save", "maxmemory-policy"} {
		var found []string // the name and the value
		_, err := s.call(ctx, func() (err error) {
			found, err = resp.Strings(s.client.Do(ctx, "CONFIG", "GET", name))
			return err
		})
		if _, refused := errors.AsType[resp.Error](err); refused {
			continue
		} else if err != nil {
			return p, err
		}
		if len(found) == 2 {
			config[name] = found[1]
		}
	}
	if policy := config["maxmemory-policy"]; policy != "" {
		p.Policy = policy
	}
	p.Evicts = p.Policy != "" && p.Policy != "noeviction"
	only, sync := config["appendonly"], config["appendfsync"]
	if p.Known = only != "" && sync != ""; !p.Known {
		return p, nil
	}
	p.AOF, p.Save = only+" "+sync, config["save"]
	switch {
	case only == "yes" && sync == "always":
		p.Level = Always
	case only == "yes" && sync == "everysec":
		p.Level = EverySecond
	case only == "yes" || p.Save != "":
		p.Level = Snapshots
	}
	return p, nil
}

// fields reads an answer to INFO, lines of name:value.
func fields(info string) map[string]string {
	found := make(map[string]string)
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			found[name] = value
		}
	}
	return found
}
