package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Identity names a contract for those who see its values and not its document. Every carrier of a typed value carries
// its schema's identity, too. The same ID with another Version says that the contract has changed.
type Identity struct {
	ID      string `json:"schemaId"`
	Version string `json:"schemaVersion"`
}

// VersionKeyword holds a document's version, a string or a number: {"x-version": "2"}.
const VersionKeyword = "x-version"

// versionDigits is how much of the digest stands for the version of a contract that does not say any.
const versionDigits = 12

// Identity names the contract.
//
// The ID of a parsed document is its $id, or else its title. That of a derived schema is what the type says with a
// method SchemaIdentity() schema.Identity, or else the type's name without its package: "Invoice", "Page[Invoice]". A
// pointer is named like what it points to. The Version is that of the method, or the document's [VersionKeyword].
//
// Absent parts come from the digest (see [Schema.ID]): all of it for the ID, its first 12 digits for the Version. So a
// version that nobody keeps changes whenever the document does, be it only a description.
func (s *Schema) Identity() Identity {
	id := s.named
	if id.ID == "" {
		id.ID = s.id
	}
	if id.Version == "" {
		id.Version = strings.TrimPrefix(s.id, "sha256:")[:versionDigits]
	}
	return id
}

// With is the same schema under another identity. Empty fields of id change nothing. The document and its digest do not
// change, and s neither.
func With(s *Schema, id Identity) *Schema {
	named := *s
	if id.ID != "" {
		named.named.ID = id.ID
	}
	if id.Version != "" {
		named.named.Version = id.Version
	}
	return &named
}

// identityIn is what a document says about its own identity.
func identityIn(doc any) (id Identity) {
	object, _ := doc.(map[string]any)
	for _, keyword := range []string{"$id", "title"} {
		if text, ok := object[keyword].(string); ok && id.ID == "" {
			id.ID = text
		}
	}
	switch version := object[VersionKeyword].(type) {
	case string:
		id.Version = version
	case json.Number:
		id.Version = version.String()
	}
	return id
}

// identifier is a type that says its identity.
type identifier interface{ SchemaIdentity() Identity }

// identityOf is what a type says about its identity, and its name where it says none.
func identityOf(t reflect.Type) (Identity, error) {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	id, said, err := askType(t)
	if err != nil {
		return Identity{}, err
	}
	if said && t.Kind() == reflect.Struct { // a method may be that of an embedded struct, and then is about that one
		for f := range t.Fields() {
			if !f.Anonymous || !f.IsExported() {
				continue
			}
			if inner, ok, err := askType(f.Type); err == nil && ok && inner == id {
				id = Identity{}
			}
		}
	}
	if id.ID == "" {
		id.ID = readableName(t.Name())
	}
	return id, nil
}

// askType calls SchemaIdentity on a zero value, where the type or a pointer to it has that method.
func askType(t reflect.Type) (id Identity, said bool, err error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Interface {
		return Identity{}, false, nil
	}
	who, ok := reflect.TypeAssert[identifier](reflect.New(t))
	if !ok {
		return Identity{}, false, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: the method SchemaIdentity is called on a zero value and panics: %v", typeName(t), r)
		}
	}()
	return who.SchemaIdentity(), true, nil
}

// readableName is a type's name without the import paths and the counters that reflection puts into it: "Page[Invoice]".
// It is "" for a name with types in it that have none themselves.
func readableName(name string) string {
	if strings.ContainsAny(name, "{( \"") {
		return ""
	}
	var b strings.Builder
	for name != "" {
		n := strings.IndexAny(name, "[],*")
		word, rest := name, ""
		if n >= 0 {
			word, rest = name[:n], name[n:]
		}
		word = word[strings.LastIndexByte(word, '/')+1:]
		word = word[strings.LastIndexByte(word, '.')+1:]
		word, _, _ = strings.Cut(word, "·")
		b.WriteString(word)
		if rest != "" {
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
		name = rest
	}
	return b.String()
}
