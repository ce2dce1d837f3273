package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/schema"
)

type (
	invoice     struct{ Amount float64 }
	page[T any] struct{ Items []T }
	versioned   struct{ N int }
	pointed     struct{ N int }
	onlyVersion struct{ N int }
	anxious     struct{ N *int }
)

func (versioned) SchemaIdentity() schema.Identity {
	return schema.Identity{ID: "acme/thing", Version: "3"}
}
func (*pointed) SchemaIdentity() schema.Identity { return schema.Identity{ID: "acme/pointed"} }
func (onlyVersion) SchemaIdentity() schema.Identity {
	return schema.Identity{Version: "v7"}
}

func (a anxious) SchemaIdentity() schema.Identity {
	return schema.Identity{Version: string(rune(*a.N))}
}

type outer struct {
	Shared
	More string
}

// Shared says what it is.
type Shared struct{ N int }

// SchemaIdentity is promoted to who embeds it.
func (Shared) SchemaIdentity() schema.Identity { return schema.Identity{ID: "shared", Version: "1"} }

func TestIdentity(t *testing.T) {
	parsed := func(doc string) func() (*schema.Schema, error) {
		return func() (*schema.Schema, error) { return schema.Parse([]byte(doc)) }
	}
	tests := []struct {
		name string
		make func() (*schema.Schema, error)
		want schema.Identity // DIGEST and DIGITS stand for what comes from the digest
	}{
		{"type", schema.For[invoice], schema.Identity{ID: "invoice", Version: "DIGITS"}},
		{"pointer", schema.For[*invoice], schema.Identity{ID: "invoice", Version: "DIGITS"}},
		{"generic", schema.For[page[invoice]], schema.Identity{ID: "page[invoice]", Version: "DIGITS"}},
		{"generics", schema.For[page[map[string]*page[[]schema.Problem]]], schema.Identity{
			ID: "page[map[string]*page[[]Problem]]", Version: "DIGITS",
		}},
		{"generic of a literal", schema.For[page[struct{ A int }]], schema.Identity{ID: "DIGEST", Version: "DIGITS"}},
		{"says", schema.For[versioned], schema.Identity{ID: "acme/thing", Version: "3"}},
		{"pointer receiver", schema.For[pointed], schema.Identity{ID: "acme/pointed", Version: "DIGITS"}},
		{"version", schema.For[onlyVersion], schema.Identity{ID: "onlyVersion", Version: "v7"}},
		{"promoted", schema.For[outer], schema.Identity{ID: "outer", Version: "DIGITS"}},
		{"predeclared", schema.For[string], schema.Identity{ID: "string", Version: "DIGITS"}},
		{"slice", schema.For[[]string], schema.Identity{ID: "DIGEST", Version: "DIGITS"}},
		{"literal", schema.For[struct{ A int }], schema.Identity{ID: "DIGEST", Version: "DIGITS"}},
		{"any", schema.For[any], schema.Identity{ID: "DIGEST", Version: "DIGITS"}},
		{"id", parsed(`{"$id":"https://acme.example/order","title":"Order","x-version":"2.1"}`), schema.Identity{
			ID: "https://acme.example/order", Version: "2.1",
		}},
		{"title", parsed(`{"title":"Order","x-version":2}`), schema.Identity{ID: "Order", Version: "2"}},
		{"other versions", parsed(`{"title":"Order","x-version":[2]}`), schema.Identity{ID: "Order", Version: "DIGITS"}},
		{"plain", parsed(`{"type":"string"}`), schema.Identity{ID: "DIGEST", Version: "DIGITS"}},
		{"boolean", parsed(`true`), schema.Identity{ID: "DIGEST", Version: "DIGITS"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := tt.make()
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			want.ID = strings.ReplaceAll(want.ID, "DIGEST", s.ID())
			want.Version = strings.ReplaceAll(want.Version, "DIGITS", s.ID()[len("sha256:"):][:12])
			if diff := cmp.Diff(want, s.Identity()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A type that cannot say its identity is an error and no panic.
func TestIdentity_panics(t *testing.T) {
	_, err := schema.For[anxious]()
	want := "anxious: the method SchemaIdentity is called on a zero value and panics: "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// The same name with another version says that the contract has changed.
func TestIdentity_versionFollowsTheDocument(t *testing.T) {
	before, err := schema.Parse([]byte(`{"title":"Order","type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	spaced, err := schema.Parse([]byte(`{ "type": "object", "title": "Order" }`))
	if err != nil {
		t.Fatal(err)
	}
	after, err := schema.Parse([]byte(`{"title":"Order","type":"object","required":["id"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if before.Identity() != spaced.Identity() {
		t.Errorf("spelling changes the identity: %v and %v", before.Identity(), spaced.Identity())
	}
	if a, b := before.Identity(), after.Identity(); a.ID != b.ID || a.Version == b.Version {
		t.Errorf("expected one ID and two versions, found %v and %v", a, b)
	}
}

func TestWith(t *testing.T) {
	s, err := schema.For[invoice]()
	if err != nil {
		t.Fatal(err)
	}
	was := s.Identity()
	named := schema.With(schema.With(s, schema.Identity{ID: "acme/invoice"}), schema.Identity{Version: "5"})
	if diff := cmp.Diff(schema.Identity{ID: "acme/invoice", Version: "5"}, named.Identity()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Identity() != was || named.ID() != s.ID() || string(named.JSON()) != string(s.JSON()) {
		t.Errorf("naming a schema changes it: %v, %s", s.Identity(), named.JSON())
	}
	if err := named.Check([]byte(`{"Amount":"x"}`)); err == nil {
		t.Error("a schema with another identity checks nothing")
	}
}
