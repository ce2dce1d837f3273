package scripted_test

import (
	"reflect"
	"testing"

	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/scripted"
)

// Words that are alike have one direction, and no others have.
func TestEmbedder(t *testing.T) {
	e := scripted.NewEmbedder("parcel package", "broken smashed")
	v, err := e.Embed(t.Context(), []string{"My parcel is broken", "my PACKAGE is smashed!", "my parcel is late", ""})
	if err != nil || len(v) != 4 {
		t.Fatal(len(v), err)
	}
	if !reflect.DeepEqual(v[0], v[1]) {
		t.Error("words that are alike are not")
	}
	if reflect.DeepEqual(v[0], v[2]) || len(v[3]) != len(v[0]) {
		t.Error("other words are alike, or vectors have different lengths")
	}
	if len(e.Texts()) != 4 {
		t.Errorf("it remembers %q", e.Texts())
	}
	modeltest.TestEmbedder(t, func(*testing.T) modeltest.Embedder { return scripted.NewEmbedder() }, nil)
}
