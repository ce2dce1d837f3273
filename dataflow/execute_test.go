package dataflow_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal/memory"
)

// Execute is Start and Wait: a run that has ended is no error, and one that fails or cannot start is (law F1).
func TestExecute(t *testing.T) {
	rt := fermata.MustNew(fermata.Options{Store: memory.New()})
	defer rt.Close()
	g := dataflow.Must(dataflow.New("read", dataflow.Unary("read", "text", "age", dataflow.PlainErr(strconv.Atoi))))
	if res, err := g.Execute(t.Context(), rt, dataflow.Values{"text": "42"}); err != nil || res.Outputs["age"] != 42 {
		t.Errorf("got %+v, %v", res, err)
	}
	if res, err := g.Execute(t.Context(), rt, dataflow.Values{"text": "old"}); !errors.Is(err, strconv.ErrSyntax) || res.Status != fermata.Failed {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err := g.Execute(t.Context(), rt, dataflow.Values{}); err == nil {
		t.Error("a run without its input began")
	}
}
