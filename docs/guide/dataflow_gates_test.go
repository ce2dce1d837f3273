package guide_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// [guide: flow mail]

// Mail is what the gates of these chapters read.
type Mail struct{ Letter string }

// says is a node that reads the letter and writes one value.
func says(name, output string) *dataflow.NodeDef {
	return dataflow.Unary(name, "letter", output, dataflow.Plain(func(letter string) string {
		return name + " says: " + letter
	}))
}

// [guide: end]

func isUrgent(_ node.Context, in Mail) (bool, error) { return strings.HasSuffix(in.Letter, "!"), nil }

func Example_flowBranch() {
	ctx := context.Background()
	// [guide: flow branch]
	isUrgent := func(_ node.Context, in Mail) (bool, error) { return strings.HasSuffix(in.Letter, "!"), nil }
	phone, post := says("phone", "reply"), says("post", "reply")
	g := dataflow.Must(dataflow.New("desk", dataflow.Branch("urgent", isUrgent, phone, post), phone, post))
	for _, letter := range []string{"Hurry!", "No hurry."} {
		res, err := g.Run(ctx, dataflow.Values{"letter": letter})
		check(err)
		fmt.Println(res.Outputs["reply"])
	}

	_, err := dataflow.New("desk", phone, post) // both would write it
	fmt.Println(err)
	fmt.Println(errors.Is(err, dataflow.ErrConflict))
	// [guide: end]

	// Output:
	// phone says: Hurry!
	// post says: No hurry.
	// dataflow "desk":
	//   node "post": it writes "reply", and so does "phone": two nodes may write one value only when a gate chooses between them, and no gate does
	// true
}

func Example_flowRoute() {
	ctx := context.Background()
	// [guide: flow route]
	type next string
	const (
		parcels next = "parcels"
		money   next = "money"
		bin     next = dataflow.End
	)
	sort := dataflow.Route("sort", func(_ node.Context, in Mail) (next, error) {
		switch {
		case strings.Contains(in.Letter, "parcel"):
			return parcels, nil
		case strings.HasPrefix(in.Letter, "You have won"):
			return bin, nil
		}
		return "", nil // whatever the fallback is
	}, parcels, bin).With(dataflow.Fallback(money))
	g := dataflow.Must(dataflow.New("desk", sort, says("parcels", "reply"), says("money", "reply")))
	for _, letter := range []string{"Where is my parcel?", "Where is my money?", "You have won!"} {
		res, err := g.Run(ctx, dataflow.Values{"letter": letter})
		check(err)
		fmt.Println(res.Outputs)
	}
	// [guide: end]

	// Output:
	// map[reply:parcels says: Where is my parcel?]
	// map[reply:money says: Where is my money?]
	// map[]
}

// [guide: flow route many]

// Replies are those of the desks that were asked.
type Replies struct {
	AboutParcels string `json:",omitempty"`
	AboutMoney   string `json:",omitempty"`
}

func desks() *dataflow.Graph {
	sort := func(_ node.Context, in Mail) ([]string, error) {
		var chosen []string
		for _, desk := range []string{"parcels", "money"} {
			if strings.Contains(in.Letter, desk) {
				chosen = append(chosen, desk)
			}
		}
		return chosen, nil
	}
	join := func(_ node.Context, in Replies) (string, error) {
		return fmt.Sprintf("%q and %q", in.AboutParcels, in.AboutMoney), nil
	}
	return dataflow.Must(dataflow.New(
		"desks",
		dataflow.RouteMany("sort", sort, "parcels", "money").With(dataflow.Fallback(dataflow.End)),
		says("parcels", "about_parcels"),
		says("money", "about_money"),
		dataflow.Func("join", "reply", join),
	))
}

// [guide: end]

func Example_flowRouteMany() {
	ctx := context.Background()
	// [guide: flow route many used]
	for _, letter := range []string{"parcels and money", "money", "hello"} {
		res, err := desks().Run(ctx, dataflow.Values{"letter": letter})
		check(err)
		fmt.Println(res.Outputs["reply"])
	}
	// [guide: end]

	// Output:
	// "parcels says: parcels and money" and "money says: parcels and money"
	// "" and "money says: money"
	// "" and ""
}

func Example_flowSkipped() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: flow skipped]
	g := dataflow.Must(dataflow.New(
		"desk",
		dataflow.Branch("urgent", isUrgent, "phone", dataflow.End),
		says("phone", "said"),
		dataflow.Unary("file", "said", "record", dataflow.Plain(strings.ToUpper)),
	))
	run, err := g.Start(ctx, rt, dataflow.Values{"letter": "No hurry."})
	check(err)
	for e, err := range run.Events(ctx, 0) {
		check(err)
		if e.Type() == "node.skipped" {
			data, err := e.Data()
			check(err)
			fmt.Println(e.Task(), string(data))
		}
	}
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.Outputs)
	// [guide: end]

	// Output:
	// phone#1 {"reason":"gate \"urgent\" did not choose it"}
	// file#1 {"reason":"it needs \"said\", and \"phone\" was skipped"}
	// completed map[]
}

func Example_flowStuck() {
	ctx := context.Background()
	// [guide: flow stuck]
	g := dataflow.Must(dataflow.New(
		"parcels",
		dataflow.RouteMany("counter", func(node.Context, struct{ Parcel string }) ([]string, error) {
			return []string{"send"}, nil // it forgets "print", which writes what "send" needs
		}, "print", "send"),
		dataflow.Unary("print", "parcel", "label", dataflow.Plain(strings.ToUpper)),
		dataflow.Unary("send", "label", "sent", dataflow.Plain(strings.ToLower)),
	))
	_, err := g.Run(ctx, dataflow.Values{"parcel": "a book"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, fermata.ErrStuck))
	// [guide: end]

	// Output:
	// run run: the run cannot go on:
	//   node "send" cannot run: it was chosen, and it waits for "label": "print" was skipped
	// true
}

// [guide: flow loop]

// Order says what to write.
type Order struct {
	Letter string
	Advice string `default:"answer"` // until somebody writes one
}

func compose(_ node.Context, in Order) (string, error) { return in.Advice + ": " + in.Letter, nil }

// Judged is what is thought of a reply, and what to do better.
type Judged struct {
	Score  int
	Advice string
}

func judge(_ node.Context, in struct{ Reply string }) (Judged, error) {
	switch {
	case !strings.Contains(in.Reply, "kindly"):
		return Judged{40, "answer kindly"}, nil
	case !strings.Contains(in.Reply, "briefly"):
		return Judged{70, "answer kindly and briefly"}, nil
	}
	return Judged{Score: 95}, nil
}

// Scored is what the gate decides by.
type Scored struct {
	Score     int
	Threshold int `default:"90"`
}

func isGood(_ node.Context, in Scored) (bool, error) { return in.Score >= in.Threshold, nil }

func refine() *dataflow.Graph {
	return dataflow.Must(dataflow.New(
		"refine",
		dataflow.Func("compose", "reply", compose),
		dataflow.Node("judge", judge),
		dataflow.Branch("good", isGood, dataflow.End, "compose"),
		dataflow.Limits(plan.Limits{Tasks: 20}),
	))
}

// [guide: end]

// [guide: flow visits]

// visits are the tasks of a run, as they finish.
func visits(ctx context.Context, run *dataflow.Run) (tasks []string) {
	for e, err := range run.Events(ctx, 0) {
		check(err)
		if e.Type() == "node.finished" {
			tasks = append(tasks, e.Task())
		}
	}
	return tasks
}

// [guide: end]

func Example_flowRounds() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: flow rounds]
	run, err := refine().Start(ctx, rt, dataflow.Values{"letter": "Where is my parcel?"})
	check(err)
	fmt.Println(visits(ctx, run))
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Outputs["score"], res.Outputs["reply"])

	res, err = refine().Call(ctx, dataflow.Values{"letter": "Where?", "threshold": 0}) // good enough at once
	check(err)
	fmt.Println(res.Outputs["score"], res.Outputs["reply"])

	_, err = refine().Call(ctx, dataflow.Values{"letter": "Where?", "threshold": 100}) // never good enough
	fmt.Println(err)
	// [guide: end]

	// Output:
	// [compose#1 judge#1 good#1 compose#2 judge#2 good#2 compose#3 judge#3 good#3]
	// 95 answer kindly and briefly: Where is my parcel?
	// 40 answer: Where?
	// run run, task good#7: the run's limit of tasks (20) was reached
}

func Example_flowChat() {
	ctx := context.Background()
	// [guide: flow chat]
	type chat struct{ Messages []string }
	type said struct {
		Messages []string
		Reply    string
	}
	talk := dataflow.Func("talk", "reply", func(_ node.Context, in chat) (string, error) {
		return fmt.Sprint("reply ", len(in.Messages)), nil
	})
	remember := dataflow.Func("remember", "messages", func(_ node.Context, in said) ([]string, error) {
		return append(in.Messages, in.Reply), nil // it reads what it writes
	})
	enough := dataflow.Branch("enough", func(_ node.Context, in chat) (bool, error) {
		return len(in.Messages) >= 4, nil
	}, dataflow.End, talk)
	g := dataflow.Must(dataflow.New("chat", talk, remember, enough))
	res, err := g.Run(ctx, dataflow.Values{"messages": []string{"Hello!"}})
	check(err)
	fmt.Printf("%q\n", res.Outputs["messages"])
	// [guide: end]

	// Output: ["Hello!" "reply 1" "reply 2" "reply 3"]
}

func Example_flowNested() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: flow nested]
	type outlining struct {
		Subject  string
		Critique string `default:"none yet"`
	}
	type drafting struct {
		Outline string
		Typos   int `default:"2"`
	}
	type drafted struct{ Draft string }
	type proven struct {
		Draft string
		Typos int
	}
	type reviewed struct{ Draft, Critique string }
	g := dataflow.Must(dataflow.New(
		"essay",
		dataflow.Func("outline", "outline", func(_ node.Context, in outlining) (string, error) {
			return in.Subject + " (" + in.Critique + ")", nil
		}),
		dataflow.Func("draft", "draft", func(_ node.Context, in drafting) (string, error) {
			return in.Outline + strings.Repeat(" teh", in.Typos), nil
		}),
		dataflow.Func("proofread", "typos", func(_ node.Context, in drafted) (int, error) {
			return max(0, strings.Count(in.Draft, "teh")-1), nil // it mends one at a time
		}),
		dataflow.Branch("clean", func(_ node.Context, in proven) (bool, error) {
			return in.Typos == 0, nil
		}, "review", "draft"), // the inner loop
		dataflow.Func("review", "critique", func(_ node.Context, in drafted) (string, error) {
			return "with bees", nil
		}),
		dataflow.Branch("done", func(_ node.Context, in reviewed) (bool, error) {
			return strings.Contains(in.Draft, in.Critique), nil
		}, dataflow.End, "outline"), // the outer loop
	))
	outer := g.Describe().Loops[0]
	inner := outer.Inner[0]
	fmt.Println(outer.Head, "begins", outer.Nodes)
	fmt.Println(inner.Head, "begins", inner.Nodes)
	run, err := g.Start(ctx, rt, dataflow.Values{"subject": "Honey"})
	check(err)
	fmt.Println(visits(ctx, run))
	// [guide: end]

	// Output:
	// outline begins [outline draft proofread clean review done]
	// draft begins [draft proofread clean]
	// [outline#1 draft#1 proofread#1 clean#1 draft#2 proofread#2 clean#2 review#1 done#1 outline#2 draft#3 proofread#3 clean#3 review#2 done#2]
}

func Example_flowDrawing() {
	// [guide: flow drawing]
	fmt.Print(refine().Plan().Text())
	// [guide: end]

	// Output:
	// refine
	//
	//    ○ inputs   letter, threshold?
	//
	//  ╭▸● compose  letter; advice? ↺ judge    → reply
	//  │ ● judge    reply ← compose            → score, advice
	//  │ ◇ good     score ← judge; threshold?
	//  │ ├─ true → END
	//  ╰ └─ false ↺ compose
	//
	//    ◎ result   reply, score, advice
}

func Example_flowMermaid() {
	fmt.Print(refine().Plan().Mermaid())
	// Output:
	// flowchart TD
	//   in_0(["letter"])
	//   in_1(["threshold?"])
	//   n0["compose"]
	//   n1["judge"]
	//   n2{"good"}
	//   finish([END])
	//   out_0(["reply, score, advice"])
	//   in_0 --> n0
	//   in_1 --> n2
	//   n1 -.->|"advice"| n0
	//   n0 -->|"reply"| n1
	//   n1 -->|"score"| n2
	//   n2 -->|"true"| finish
	//   n2 -.->|"false"| n0
	//   finish --> out_0
	//   linkStyle 5,6 stroke:#a67c00,color:#a67c00
	//   linkStyle 0,1,7 stroke:#a9a9b2
	//   classDef value fill:#f3f3f4,stroke:#a9a9b2,color:#4d4d57
	//   class in_0,in_1,out_0 value
}

func Example_flowConcurrency() {
	ctx := context.Background()
	// [guide: flow concurrency]
	page := dataflow.Func("page", "page", func(_ node.Context, in struct{ Site string }) (string, error) {
		return "page of " + in.Site, nil
	})
	prices := dataflow.Func("prices", "prices", func(_ node.Context, in struct{ Site string }) (string, error) {
		return "prices of " + in.Site, nil
	})
	g := dataflow.Must(dataflow.New("read", page, prices,
		dataflow.Concurrency(1))) // the site bears one request at a time
	res, err := g.Run(ctx, dataflow.Values{"site": "example.com"})
	check(err)
	fmt.Println(res.Outputs["page"], "and", res.Outputs["prices"])
	// [guide: end]

	// Output:
	// page of example.com and prices of example.com
}

func Example_flowAfter() {
	ctx := context.Background()
	// [guide: flow after]
	charge := dataflow.Func("charge", "receipt", func(_ node.Context, in struct{ Amount int }) (string, error) {
		return fmt.Sprint("paid ", in.Amount), nil
	})
	mail := dataflow.Func("mail", "sent", func(_ node.Context, in struct{ To string }) (string, error) {
		return "thanks to " + in.To, nil
	}, dataflow.After(charge)) // it reads no receipt, and mails nobody before the money is there
	order, err := dataflow.New("order", charge, mail)
	check(err)
	res, err := order.Run(ctx, dataflow.Values{"amount": 120, "to": "Ada"})
	check(err)
	fmt.Println(res.Outputs["receipt"], res.Outputs["sent"])
	// [guide: end]

	// Output:
	// paid 120 thanks to Ada
}
