package postgres

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
)

// Kind is this package's kind of store. Its addresses are postgres://… and those with keywords, host=….
type Kind struct{}

// About implements [storekind.Kind].
func (Kind) About() storekind.About {
	return storekind.About{
		Name: "postgres", Schemes: []string{"postgresql"}, Place: storekind.Server, Address: "postgres://USER@HOST/DATABASE",
		Variable: "FERMATA_POSTGRES", Password: "PGPASSWORD or ~/.pgpass", Secrets: []string{"PGPASSWORD"},
		Public: []string{
			"schema", "user", "host", "hostaddr", "port", "dbname", "sslmode", "sslrootcert", "sslcert", "sslnegotiation", "channel_binding",
			"target_session_attrs", "application_name", "connect_timeout", "options", "search_path", "pool_max_conns", "pool_min_conns",
			"pool_max_conn_lifetime", "pool_max_conn_idle_time", "pool_health_check_period", "default_query_exec_mode",
		},
	}
}

// keywords begin an address as libpq knows it.
var keywords = regexp.MustCompile(`(?i)^\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode|application_name|connect_timeout)\s*=`)

// Claims implements [storekind.Claimer].
func (Kind) Claims(text string) bool { return keywords.MatchString(text) }

// Open implements [storekind.Kind].
func (Kind) Open(address string, _ storekind.Options) (journal.Store, error) {
	s, err := Open(address)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Inspect implements [storekind.Inspector].
func (Kind) Inspect(ctx context.Context, address string, _ storekind.Options) (found []storekind.Finding, ready bool, err error) {
	r, err := Inspect(ctx, address, Options{})
	if err != nil {
		return nil, false, err
	}
	found = []storekind.Finding{{
		Check: "server",
		Found: fmt.Sprintf("PostgreSQL %s, answers in %v, synchronous_commit %s", r.Server, r.Latency.Round(10*time.Microsecond), r.Commit),
	}}
	schema := storekind.Finding{Check: "schema", Found: fmt.Sprintf("version %d", r.Version)}
	switch {
	case r.Version == r.Current:
		ready = true
	case !r.Growth:
		schema.Level, schema.Found = storekind.Bad, fmt.Sprintf("version %d of %d, and this user may make nothing", r.Version, r.Current)
		schema.Advice = "GRANT CREATE ON DATABASE … TO …, or let a user who may run something first"
	case r.Version == 0:
		schema.Absent, schema.Found = true, "not there yet: the first run makes it"
	default:
		schema.Found = fmt.Sprintf("version %d; the next run brings it to %d", r.Version, r.Current)
	}
	return append(found, schema), ready, nil
}
