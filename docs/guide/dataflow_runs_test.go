package guide_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// terminal prints, and says when the first line is there.
type terminal struct{ wrote func(text string) }

func (t terminal) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p)
	t.wrote(string(p))
	return n, err
}

func Example_flowStream() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	reading, shown := make(chan struct{}), make(chan struct{})
	begun, all := sync.OnceFunc(func() { close(reading) }), sync.OnceFunc(func() { close(shown) })
	out := terminal{func(text string) {
		if begun(); strings.HasSuffix(text, "it?") {
			all()
		}
	}}
	words := func(text string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			<-reading // nothing is said before somebody listens: the example shows all of it
			for word := range strings.SplitAfterSeq(text, " ") {
				if !yield(word, nil) {
					return
				}
			}
			<-shown // nor is it at its end: whoever reads what is stored until then gets the whole at once
		}
	}
	// [guide: flow stream]
	tell := dataflow.Stream("tell", "reply", func(_ node.Context, in Mail) iter.Seq2[string, error] {
		return words("You ask: " + in.Letter) // or whatever a model's client yields
	}, dataflow.Join())
	count := dataflow.Unary("count", "reply", "words", dataflow.Plain(func(reply string) int {
		return len(strings.Fields(reply))
	}))
	g := dataflow.Must(dataflow.New("tell", tell, count))
	run, err := g.Start(ctx, rt, dataflow.Values{"letter": "Where is it?"})
	check(err)
	for e, err := range run.Events(ctx, 0) {
		check(err)
		switch e.Type() {
		case "node.started":
			fmt.Fprintln(out, e.Task())
		case "text.delta":
			fmt.Fprint(out, e.Entry.To) // as it comes
		case "text.end":
			fmt.Fprintln(out)
		}
	}
	res, err := run.Wait(ctx)
	check(err)
	fmt.Fprintf(out, "%q has %d words\n", res.Outputs["reply"], res.Outputs["words"])
	// [guide: end]

	// Output:
	// tell#1
	// You ask: Where is it?
	// count#1
	// "You ask: Where is it?" has 5 words
}

// [guide: flow letters]

// Verdict is what an editor says about a reply.
type Verdict struct {
	Send   bool
	Advice string `json:",omitempty"`
}

// Job says what to write; there is a verdict from the second round on.
type Job struct {
	Letter  string
	Verdict Verdict `json:",omitzero"`
}

func reply(_ node.Context, in Job) (string, error) {
	return strings.TrimSpace("Dear " + in.Letter + "! " + in.Verdict.Advice), nil
}

func letters() *dataflow.Graph {
	return dataflow.Must(dataflow.New(
		"letters",
		dataflow.Func("reply", "reply", reply),
		dataflow.Interrupt[string, Verdict]("edit", "reply", "verdict", node.Prompt("Send it?"), node.Role("editor")),
		dataflow.Branch("fine", func(_ node.Context, in struct{ Verdict Verdict }) (bool, error) {
			return in.Verdict.Send, nil
		}, "send", "reply"),
		dataflow.Unary("send", "reply", "sent", dataflow.Plain(func(reply string) string { return "sent: " + reply })),
	))
}

// [guide: end]

func Example_flowAsk() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: flow ask]
	run, err := letters().Start(ctx, rt, dataflow.Values{"letter": "Ann"})
	check(err)
	for {
		res, err := run.Wait(ctx)
		check(err)
		if res.Pause == nil {
			fmt.Println(res.Status, res.Outputs["sent"])
			break
		}
		shown, err := dataflow.Question[string](res.Pause)
		check(err)
		fmt.Println(res.Status, "at", res.Pause.Name, "with", shown)
		verdict := Verdict{Advice: "We are sorry."}
		if strings.Contains(shown, "sorry") {
			verdict = Verdict{Send: true}
		}
		check(run.Answer(ctx, verdict, fermata.AsRole("editor"), fermata.AsPerson("Bo")))
	}
	// [guide: end]

	// Output:
	// paused at edit with Dear Ann!
	// paused at edit with Dear Ann! We are sorry.
	// completed sent: Dear Ann! We are sorry.
}

func Example_flowHandle() {
	ctx := context.Background()
	// [guide: flow handle]
	_, err := letters().Run(ctx, dataflow.Values{"letter": "Ann"})
	fmt.Println(err)

	hasty := dataflow.Must(letters().With(dataflow.Handle("edit", func(_ node.Context, reply string) (Verdict, error) {
		return Verdict{Send: true}, nil
	})))
	res, err := hasty.Run(ctx, dataflow.Values{"letter": "Ann"})
	check(err)
	fmt.Println(res.Outputs["sent"])
	// [guide: end]

	// Output:
	// dataflow "letters": the graph has to wait for people, and nothing keeps it: "edit" asks; start it on a runtime, or give it a handler (see Handle)
	// sent: Dear Ann!
}

func Example_flowAskInside() {
	ctx := context.Background()
	// [guide: flow ask inside]
	pay := dataflow.Func("pay", "receipt", func(ctx node.Context, in struct{ Amount int }) (string, error) {
		if in.Amount > 100 {
			granted, err := node.Interrupt[bool](ctx, in.Amount, node.ID("grant"), node.Prompt("Pay it back?"))
			if err != nil || !granted {
				return "refused", err
			}
		}
		return fmt.Sprint("paid ", in.Amount), nil
	})
	g := dataflow.Must(dataflow.New("refund", pay))
	res, err := g.Run(ctx, dataflow.Values{"amount": 80})
	check(err)
	fmt.Println(res.Outputs["receipt"])
	_, err = g.Run(ctx, dataflow.Values{"amount": 120})
	fmt.Println(err)
	// [guide: end]

	// Output:
	// paid 80
	// run run: the run has to wait, and nothing keeps it: start it on a Runtime
}

func Example_flowDurable() {
	ctx := context.Background()
	dir, remove := scratch()
	defer remove()
	file := filepath.Join(dir, "letters.db")
	// [guide: flow durable]
	store := sqlite.MustOpen(file)
	rt, err := fermata.New(fermata.Options{Store: store})
	check(err)
	run, err := letters().Start(ctx, rt, dataflow.Values{"letter": "Ann"}, fermata.WithID("letter_7"))
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, "at", res.Pause.Name)

	check(rt.Close()) // the process ends here, on purpose or not
	check(store.Close())

	store = sqlite.MustOpen(file) // and another begins, on another day
	rt, err = fermata.New(fermata.Options{Store: store})
	check(err)
	run, err = letters().Resume(ctx, rt, "letter_7")
	check(err)
	check(run.Answer(ctx, Verdict{Send: true}, fermata.AsRole("editor")))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.Outputs["sent"])
	fmt.Println(visits(ctx, run)) // in both processes
	// [guide: end]
	check(rt.Close())
	check(store.Close())

	// Output:
	// paused at edit
	// completed sent: Dear Ann!
	// [reply#1 edit#1 fine#1 send#1]
}

// [guide: flow child]

// Piece is one letter, to be answered in a tone.
type Piece struct {
	Letter string
	Tone   string `default:"kind"`
}

func answers() *dataflow.Graph {
	return dataflow.Must(dataflow.New(
		"answers",
		dataflow.Func("answer", "reply", func(_ node.Context, in Piece) (string, error) {
			if in.Letter == "" {
				return "", errors.New("the letter is empty")
			}
			return "a " + in.Tone + " word to " + in.Letter, nil
		}),
	))
}

// [guide: end]

func Example_flowSub() {
	ctx := context.Background()
	// [guide: flow sub]
	inner := answers().As("inner", dataflow.RenameOutput("reply", "text"))
	press := dataflow.Unary("print", "text", "page", dataflow.Plain(strings.ToUpper))
	g := dataflow.Must(dataflow.New("press", inner, press))
	res, err := g.Run(ctx, dataflow.Values{"letter": "Ann"})
	check(err)
	fmt.Println(res.Outputs["page"])
	_, err = g.Run(ctx, dataflow.Values{"letter": ""})
	fmt.Println(err)
	// [guide: end]

	// Output:
	// A KIND WORD TO ANN
	// run run, task inner/answer#1: the letter is empty
}

func Example_flowMap() {
	ctx := context.Background()
	// [guide: flow map]
	each := answers().Map("each", []string{"letter"}, dataflow.Limit(4))
	g := dataflow.Must(dataflow.New("post", each.With(dataflow.RenameInput("letter", "letters"))))
	res, err := g.Run(ctx, dataflow.Values{"letters": []string{"Ann", "Bo"}, "tone": "short"})
	check(err)
	fmt.Printf("%q\n", res.Outputs["reply"])

	all := answers().Map("all", []string{"letter", "tone"}, dataflow.Product())
	g = dataflow.Must(dataflow.New("post", all))
	res, err = g.Run(ctx, dataflow.Values{"letter": []string{"Ann", "Bo"}, "tone": []string{"short", "kind"}})
	check(err)
	fmt.Printf("%q\n", res.Outputs["reply"])
	// [guide: end]

	// Output:
	// ["a short word to Ann" "a short word to Bo"]
	// ["a short word to Ann" "a kind word to Ann" "a short word to Bo" "a kind word to Bo"]
}

func Example_flowKeepFailures() {
	ctx := context.Background()
	// [guide: flow keep failures]
	letters := []string{"Ann", "", "Bo"}
	strict := dataflow.Must(dataflow.New("post", answers().Map("each", []string{"letter"})))
	_, err := strict.Run(ctx, dataflow.Values{"letter": letters})
	fmt.Println(err)

	lenient := dataflow.Must(dataflow.New("post", answers().Map("each", []string{"letter"}, dataflow.KeepFailures("failed"))))
	res, err := lenient.Run(ctx, dataflow.Values{"letter": letters})
	check(err)
	fmt.Printf("%q\n%q\n", res.Outputs["reply"], res.Outputs["failed"])
	// [guide: end]

	// Output:
	// run run, task each#1.2/answer#1: the letter is empty
	// ["a kind word to Ann" "" "a kind word to Bo"]
	// ["" "the letter is empty" ""]
}

func Example_flowBind() {
	ctx := context.Background()
	// [guide: flow bind]
	brief, err := desk().Bind(dataflow.Values{"top_k": 1})
	check(err)
	res, err := brief.Call(ctx, dataflow.Values{"letter": "Where is my parcel?"})
	check(err)
	fmt.Println(res.Outputs["reply"])

	finder, err := desk().Select("passages")
	check(err)
	fmt.Println(finder.Describe().Nodes)

	writer, err := desk().Entry("write")
	check(err)
	fmt.Println(writer.Describe().Nodes)
	res, err = writer.Call(ctx, dataflow.Values{"letter": "Why?", "passages": []string{"Nobody knows."}})
	check(err)
	fmt.Println(res.Outputs["reply"])
	// [guide: end]

	// Output:
	// You wrote "Where is my parcel?". Parcels take three days.
	// [classify look_up]
	// [write]
	// You wrote "Why?". Nobody knows.
}

func Example_flowCache() {
	ctx := context.Background()
	dir, remove := scratch()
	defer remove()
	store := sqlite.MustOpen(filepath.Join(dir, "letters.db"))
	defer store.Close()
	// [guide: flow cache]
	asked := 0
	search := func(ctx node.Context, in Wanted) ([]string, error) { asked++; return lookUp(ctx, in) }
	desk := dataflow.Must(dataflow.New(
		"desk",
		dataflow.Unary("classify", "letter", "topic", dataflow.Plain(topicOf)),
		dataflow.Func("look_up", "passages", search, dataflow.Cache("shelf of May")),
		dataflow.Func("write", "reply", write),
	))
	rt, err := fermata.New(fermata.Options{Store: store, Cache: fermata.NewStoreCache(store, nil)})
	check(err)
	for _, letter := range []string{"Where is my parcel?", "A parcel, for me?"} {
		run, err := desk.Start(ctx, rt, dataflow.Values{"letter": letter})
		check(err)
		for e, err := range run.Events(ctx, 0) {
			check(err)
			if e.Type() == "node.finished" || e.Type() == "node.cached" {
				fmt.Println(e.Task(), e.Type())
			}
		}
	}
	fmt.Println("asked", asked, "time")
	// [guide: end]
	check(rt.Close())

	// Output:
	// classify#1 node.finished
	// look_up#1 node.finished
	// write#1 node.finished
	// classify#1 node.finished
	// look_up#1 node.cached
	// write#1 node.finished
	// asked 1 time
}

// [guide: flow test]

func TestWrite(t *testing.T) {
	got, err := write(node.Context{}, Brief{Letter: "Why?", Passages: []string{"Nobody knows."}})
	if err != nil || got != `You wrote "Why?". Nobody knows.` {
		t.Errorf("got %q, %v", got, err)
	}
}

// [guide: end]

// [guide: flow test crash]

func TestLettersSurviveCrashes(t *testing.T) {
	g := letters()
	input := func() any {
		in, err := g.Input(dataflow.Values{"letter": "Ann"})
		check(err)
		return in
	}
	editor := fermatatest.Answers(map[string][]any{"edit": {Verdict{Advice: "We are sorry."}, Verdict{Send: true}}})
	report := fermatatest.Crash(t, g.Plan(), input, editor)
	t.Logf("%d crashes around %d appends", report.Crashes, len(report.Appends))
}

// [guide: end]

// [guide: flow test orders]

func TestDesksInAnyOrder(t *testing.T) {
	g := desks()
	report := fermatatest.Schedules(t, g.Plan(), func() any {
		in, err := g.Input(dataflow.Values{"letter": "parcels and money"})
		check(err)
		return in
	})
	t.Logf("%d orders beside the declared one", report.Orders)
}

// [guide: end]

func Example_flowFork() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	run, err := letters().Start(ctx, rt, dataflow.Values{"letter": "Ann"}, fermata.WithID("letter_7"))
	check(err)
	_, err = run.Wait(ctx)
	check(err)
	check(run.Answer(ctx, Verdict{Send: true}, fermata.AsRole("editor")))
	_, err = run.Wait(ctx)
	check(err)
	// [guide: flow fork]
	for m, err := range rt.History(ctx, "letter_7") {
		check(err)
		if m.Entry.Kind == journal.NodeFinished && m.Value != nil {
			fmt.Println(m.Entry.Seq, m.Entry.Node, string(m.Value))
		}
	}

	dear, err := letters().Fork(ctx, rt, "letter_7", fermata.ForkOptions{
		ID: "letter_dear", At: 10, // edited, and not sent yet
		Of: "reply", Set: map[string]json.RawMessage{"reply": json.RawMessage(`"Dearest Ann!"`)},
	})
	check(err)
	res, err := dear.Wait(ctx)
	check(err)
	fmt.Println(res.Outputs["sent"])

	again, err := letters().Fork(ctx, rt, "letter_7", fermata.ForkOptions{
		ID: "letter_again", AskAgain: []string{"edit#1"}, // back to where it was open
	})
	check(err)
	res, err = again.Wait(ctx)
	check(err)
	fmt.Println(res.Status, "at", res.Pause.Name)
	// [guide: end]

	// Output:
	// 3 reply {"reply":"Dear Ann!"}
	// 10 edit {"verdict":{"Send":true}}
	// 15 send {"sent":"sent: Dear Ann!"}
	// sent: Dearest Ann!
	// paused at edit
}
