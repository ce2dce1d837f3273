package postgres_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// What is asked about is not made by asking.
func TestInspect(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(database(t))
	if err != nil || u.Host == "" {
		t.Skip("the address of the server is not an URL")
	}
	schema := newSchema(t)
	q := u.Query()
	q.Set("schema", schema)
	u.RawQuery = q.Encode()
	look := func(want postgres.Report) {
		t.Helper()
		got, err := postgres.Inspect(t.Context(), u.String(), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Server == "" || got.Latency <= 0 || got.Commit == "" || got.Address == "" || got.Current < 1 {
			t.Errorf("found %+v", got)
		}
		if want.Version != 0 {
			want.Version = got.Current
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(got, "Server", "Latency", "Commit", "Address", "Current")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	look(postgres.Report{Growth: true})
	look(postgres.Report{Growth: true})
	s, err := postgres.Open(u.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Runs(t.Context(), journal.RunFilter{}); err != nil {
		t.Error(err)
	}
	closeIt(t, s)
	look(postgres.Report{Growth: true, Version: 1})
}
