package fermatatest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// Recorded is a model that replays the transcript in a file. It calls no other model and needs no key. With
// FERMATA_UPDATE=1 it calls the real model and rewrites the transcript; commit it with the test.
//
//	m := fermatatest.Recorded(t, "testdata/refund.jsonl", func() model.Model { return real })
//
// A request that is not in the transcript is an error that shows the nearest one and where they part.
func Recorded(t testing.TB, file string, real func() model.Model) model.Model {
	t.Helper()
	if os.Getenv(updateVariable) != "" {
		return recording(t, file, real())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; FERMATA_UPDATE=1 records it", err)
	}
	m, err := scripted.Replay(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return m
}

func recording(t testing.TB, file string, real model.Model) model.Model {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return scripted.Record(real, f)
}
