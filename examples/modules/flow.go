package main

import (
	"time"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// newFlow makes the dataflow. Nobody draws an edge: whoever reads a value follows whoever writes it.
//
// Cached are the nodes whose work takes longer than to look up what came of it. The go command's list of packages is not
// among them: it depends on every file of the module.
func newFlow() (*dataflow.Graph, error) {
	counting, err := newCounting()
	if err != nil {
		return nil, err
	}
	ranking, err := newRanking()
	if err != nil {
		return nil, err
	}
	return dataflow.New(
		"modules",
		dataflow.Node("module", findModule, dataflow.Timeout(time.Minute)),
		dataflow.Func("list", "listing", listPackages, dataflow.Timeout(10*time.Minute)),
		dataflow.Func("requirements", "graph", listRequirements, dataflow.Timeout(10*time.Minute), dataflow.Cache("1")),
		dataflow.Node("parse_packages", func(_ node.Context, in struct{ Listing string }) (Listing, error) {
			return parsePackages(in.Listing)
		}),
		dataflow.Unary("parse_requirements", "graph", "asks", func(_ node.Context, graph string) ([]Ask, error) {
			return parseRequirements(graph)
		}),
		dataflow.Func("sources", "sources", findSources),
		counting.Map("count", []string{"source"}, dataflow.Limit(8)).
			With(dataflow.RenameInput("source", "sources"), dataflow.RenameOutput("lines", "counts")),
		dataflow.Node("group", dataflow.Plain(group)),
		dataflow.Unary("weigh", "packages", "links", dataflow.Plain(weigh)),
		ranking.As("ranking"),
		dataflow.Unary("trace", "packages", "through", dataflow.Plain(trace)),
		dataflow.Func("unused", "unused", dataflow.Plain(findUnused)),
		dataflow.Func("drop", "drops", dataflow.Plain(drop)),
		dataflow.Func("select", "report", dataflow.Plain(selectRows)),
		dataflow.Unary("table", "report", "table", dataflow.Plain(table)),
		dataflow.Select("report", "table"),
		dataflow.FailFast(), // when one go command has failed, nobody waits for the other
	)
}

// newCounting counts the lines of one module. It runs once for each, and each is cached by itself.
func newCounting() (*dataflow.Graph, error) {
	return dataflow.New("counting", dataflow.Unary("lines", "source", "lines", countLines, dataflow.Cache("1")))
}

// next is where the loop of the ranking goes on.
type next string

const (
	again next = "rank"
	done  next = dataflow.End
)

// newRanking is the loop: rank moves the weights, measure looks at what has changed, and the gate goes round until
// nothing does. rank and measure read what they have written in the round before: that does not start them again, the
// gate does (laws D2 and D12).
func newRanking() (*dataflow.Graph, error) {
	return dataflow.New(
		"ranking",
		dataflow.Node("rank", dataflow.Plain(rank)),
		dataflow.Node("measure", dataflow.Plain(measure)),
		dataflow.Route("gate", dataflow.Plain(gate), again, done),
		dataflow.Select("weights", "order", "round", "change", "settled"),
	)
}
