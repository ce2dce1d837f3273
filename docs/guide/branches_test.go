package guide_test

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// [guide: offer]

// Offer says, field by field, what becomes of it where branches meet.
type Offer struct {
	To     string            // one branch may change it; two are a conflict
	Flight string            // likewise
	Hotel  string            // likewise
	Price  int               `merge:"sum"`    // the base, and what each branch added to it
	Notes  []string          `merge:"append"` // the base, and what each branch added behind it
	Tags   map[string]string `merge:"union"`  // member by member
}

func flight(_ node.Context, o Offer) (Offer, error) {
	o.Flight, o.Price = "TP 571", o.Price+180
	o.Notes = append(o.Notes, "flight found")
	return o, nil
}

func hotel(_ node.Context, o Offer) (Offer, error) {
	o.Hotel, o.Price = "Casa do Rio", o.Price+240
	o.Notes = append(o.Notes, "hotel found")
	return o, nil
}

func confirm(_ node.Context, o Offer) (Offer, error) {
	o.Notes = append(o.Notes, fmt.Sprint("in all ", o.Price))
	return o, nil
}

// [guide: end]

func Example_routeFromStart() {
	ctx := context.Background()
	// [guide: route from start]
	g := graph.New[Offer]("trip")
	g.Route(graph.Start, func(_ node.Context, o Offer) (string, error) {
		if o.Flight != "" {
			return "hotel", nil // it is booked already
		}
		return "flight", nil
	}, "flight", "hotel")
	g.Node("flight", flight)
	g.Node("hotel", hotel)
	g.Edge("flight", "hotel")
	// [guide: end]
	o, err := g.MustCompile().Run(ctx, Offer{Flight: "BA 500"})
	check(err)
	fmt.Println(o.Notes)

	// Output:
	// [hotel found]
}

// booking forks and joins.
func booking() *graph.Builder[Offer] {
	return graph.New[Offer]("booking").
		Node("flight", flight).Node("hotel", hotel).Node("confirm", confirm, graph.All()).
		Edge(graph.Start, "flight", "hotel").Edge("flight", "confirm").Edge("hotel", "confirm")
}

func Example_fork() {
	ctx := context.Background()
	// [guide: fork]
	g := graph.New[Offer]("booking")
	g.Node("flight", flight)
	g.Node("hotel", hotel)
	g.Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "flight", "hotel")
	g.Edge("flight", "confirm")
	g.Edge("hotel", "confirm")
	booking := g.MustCompile()

	o, err := booking.Run(ctx, Offer{To: "Porto", Price: 25})
	check(err)
	fmt.Printf("%+v\n", o)
	// [guide: end]

	// Output: {To:Porto Flight:TP 571 Hotel:Casa do Rio Price:445 Notes:[flight found hotel found in all 445] Tags:map[]}
}

func Example_forkDrawn() {
	fmt.Print(booking().MustCompile().Plan().Mermaid())

	// Output:
	// flowchart TD
	//   start([START])
	//   n0["flight"]
	//   n1["hotel"]
	//   n2["confirm (all branches together)"]
	//   finish([END])
	//   start ==> n0
	//   start ==> n1
	//   n0 --> n2
	//   n1 --> n2
	//   n2 --> finish
}

func Example_unsaid() {
	// [guide: unsaid]
	_, err := graph.New[Offer]("booking").
		Node("flight", flight).Node("hotel", hotel).Node("confirm", confirm).
		Edge(graph.Start, "flight", "hotel").
		Edge("flight", "confirm").Edge("hotel", "confirm").
		Compile()
	fmt.Println(err)
	// [guide: end]

	// Output: plan "booking": node "confirm": branches of the entry meet here (from "flight" and "hotel"): say whether the node fires for each of them (Each), or once with all of them merged (All)
}

func Example_each() {
	ctx := context.Background()
	// [guide: each]
	g := graph.New[Offer]("booking")
	g.Node("flight", flight)
	g.Node("hotel", hotel)
	g.Node("mail", func(_ node.Context, o Offer) (Offer, error) {
		o.Notes = append(o.Notes, "told about "+o.Flight+o.Hotel)
		return o, nil
	}, graph.Each())
	g.Edge(graph.Start, "flight", "hotel")
	g.Edge("flight", "mail")
	g.Edge("hotel", "mail")
	o, err := g.MustCompile().Run(ctx, Offer{To: "Porto"})
	check(err)
	for _, note := range o.Notes {
		fmt.Println(note)
	}
	// [guide: end]

	// Output:
	// flight found
	// told about TP 571
	// hotel found
	// told about Casa do Rio
}

func Example_conflict() {
	ctx := context.Background()
	// [guide: conflict]
	to := func(city string) graph.Func[Offer] {
		return func(_ node.Context, o Offer) (Offer, error) { o.To = city; return o, nil }
	}
	g := graph.New[Offer]("undecided")
	g.Node("ann", to("Porto"))
	g.Node("bo", to("Oslo"))
	g.Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "ann", "bo")
	g.Edge("ann", "confirm").Edge("bo", "confirm")
	_, err := g.MustCompile().Run(ctx, Offer{})
	fmt.Println(err)
	// [guide: end]

	// Output: run run, task confirm#1: join "confirm": field "To" was changed by branches "ann" and "bo": nothing says what to take; declare a rule on the field: merge:"max|min|first|last"
}

func Example_mergeWith() {
	ctx := context.Background()
	// [guide: merge with]
	offers := func(hotel string, price int) graph.Func[Offer] {
		return func(_ node.Context, o Offer) (Offer, error) { o.Hotel, o.Price = hotel, price; return o, nil }
	}
	cheapest := func(_ Offer, offers []Offer) (Offer, error) {
		best := offers[0]
		for _, o := range offers[1:] {
			if o.Price < best.Price {
				best = o
			}
		}
		return best, nil
	}
	g := graph.New[Offer]("auction")
	g.Node("casa", offers("Casa do Rio", 240))
	g.Node("vista", offers("Boa Vista", 210))
	g.Node("confirm", confirm, graph.All(), graph.MergeWith(cheapest))
	g.Edge(graph.Start, "casa", "vista").Edge("casa", "confirm").Edge("vista", "confirm")
	o, err := g.MustCompile().Run(ctx, Offer{})
	check(err)
	fmt.Println(o.Hotel, o.Notes)
	// [guide: end]

	// Output: Boa Vista [in all 210]
}

func Example_routeMany() {
	ctx := context.Background()
	// [guide: route many]
	wanted := func(_ node.Context, o Offer) ([]string, error) {
		if o.To == "Porto" {
			return []string{"flight", "hotel"}, nil
		}
		return []string{"flight"}, nil
	}
	g := graph.New[Offer]("booking")
	g.Node("plan", func(_ node.Context, o Offer) (Offer, error) { return o, nil })
	g.Node("flight", flight)
	g.Node("hotel", hotel)
	g.Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "plan")
	g.RouteMany("plan", wanted, "flight", "hotel")
	g.Edge("flight", "confirm").Edge("hotel", "confirm")
	booking := g.MustCompile()
	for _, to := range []string{"Porto", "Oslo"} {
		o, err := booking.Run(ctx, Offer{To: to})
		check(err)
		fmt.Println(to, o.Notes)
	}
	// [guide: end]

	// Output:
	// Porto [flight found hotel found in all 420]
	// Oslo [flight found in all 180]
}

// [guide: party]

// Party travels together.
type Party struct {
	Names   []string
	Tickets []string
}

// Seat is what is booked for one of them.
type Seat struct {
	Name   string
	Ticket string
}

func seatsOf(p Party) ([]Seat, error) {
	var seats []Seat
	for _, name := range p.Names {
		seats = append(seats, Seat{Name: name})
	}
	return seats, nil
}

// [guide: end]

func Example_map() {
	ctx := context.Background()
	// [guide: map]
	book := graph.Of("book", func(_ node.Context, s Seat) (Seat, error) {
		s.Ticket = "ticket of " + s.Name
		return s, nil
	}).MustCompile()

	g := graph.New[Party]("party")
	graph.Map(g, "seats",
		seatsOf, // what there is to do
		book,    // a graph over one of them
		func(p Party, seats []Seat) (Party, error) { // what was done, in the same order
			for _, s := range seats {
				p.Tickets = append(p.Tickets, s.Ticket)
			}
			return p, nil
		},
		graph.Limit(2)) // at once
	g.Edge(graph.Start, "seats")

	p, err := g.MustCompile().Run(ctx, Party{Names: []string{"Ann", "Bo", "Cy"}})
	check(err)
	fmt.Println(p.Tickets)
	// [guide: end]

	// Output: [ticket of Ann ticket of Bo ticket of Cy]
}

func Example_mapKeep() {
	ctx := context.Background()
	// [guide: map keep]
	book := graph.Of("book", func(_ node.Context, s Seat) (Seat, error) {
		if s.Name == "Bo" {
			return s, errors.New("no passport")
		}
		s.Ticket = "ticket of " + s.Name
		return s, nil
	}).MustCompile()

	g := graph.New[Party]("party")
	graph.MapKeep(g, "seats", seatsOf, book, func(p Party, seats []graph.Item[Seat]) (Party, error) {
		for i, s := range seats {
			if s.Err != nil {
				p.Tickets = append(p.Tickets, fmt.Sprintf("none for %s: %v", p.Names[i], s.Err))
				continue
			}
			p.Tickets = append(p.Tickets, s.Value.Ticket)
		}
		return p, nil
	})
	g.Edge(graph.Start, "seats")
	p, err := g.MustCompile().Run(ctx, Party{Names: []string{"Ann", "Bo"}})
	check(err)
	for _, t := range p.Tickets {
		fmt.Println(t)
	}
	// [guide: end]

	// Output:
	// ticket of Ann
	// none for Bo: no passport
}

func Example_subDrawn() {
	pass := func(o Offer) (Offer, error) { return o, nil }
	journey := graph.New[Offer]("journey").Sub("book", booking().MustCompile()).Node("wave", confirm).
		Edge(graph.Start, "book").Edge("book", "wave").MustCompile()
	g := graph.New[Offer]("trip")
	graph.SubOf(g, "journey", journey, pass, func(_, o Offer) (Offer, error) { return o, nil })
	fmt.Print(g.Edge(graph.Start, "journey").MustCompile().Plan().Mermaid())

	// Output:
	// flowchart TD
	//   start([START])
	//   subgraph n0["journey"]
	//     start0([START])
	//     subgraph n1["book"]
	//       start1([START])
	//       n2["flight"]
	//       n3["hotel"]
	//       n4["confirm (all branches together)"]
	//       finish1([END])
	//       start1 ==> n2
	//       start1 ==> n3
	//       n2 --> n4
	//       n3 --> n4
	//       n4 --> finish1
	//     end
	//     n5["wave"]
	//     finish0([END])
	//     start0 --> n1
	//     n1 --> n5
	//     n5 --> finish0
	//   end
	//   finish([END])
	//   start --> n0
	//   n0 --> finish
}

func Example_sub() {
	ctx := context.Background()
	booking := booking().MustCompile()
	// [guide: sub]
	journey := graph.New[Offer]("journey").
		Sub("book", booking). // the same state
		Node("wave", func(_ node.Context, o Offer) (Offer, error) {
			o.Notes = append(o.Notes, "goodbye")
			return o, nil
		}).
		Edge(graph.Start, "book").Edge("book", "wave").
		MustCompile()

	g := graph.New[Trip]("trip")
	graph.SubOf(g, "journey", journey, // another state: in and out again
		func(t Trip) (Offer, error) { return Offer{To: t.To}, nil },
		func(t Trip, o Offer) (Trip, error) {
			t.Price, t.Notes = o.Price, o.Notes
			return t, nil
		})
	g.Edge(graph.Start, "journey")
	t, err := g.MustCompile().Run(ctx, Trip{To: "Porto"})
	check(err)
	fmt.Println(t.Price, t.Notes)
	// [guide: end]

	// Output: 420 [flight found hotel found in all 420 goodbye]
}

func Example_immutable() {
	ctx := context.Background()
	// [guide: immutable]
	tag := func(name string) graph.Func[Offer] {
		return func(_ node.Context, o Offer) (Offer, error) {
			o.Notes = append(o.Notes, name)            // append is allowed
			tags := maps.Clone(o.Tags)                 // a map that is to change is made anew …
			tags[name], o.Tags = "done by "+name, tags // … and assigned
			return o, nil
		}
	}
	g := graph.New[Offer]("tags").Immutable()
	g.Node("ann", tag("ann"))
	g.Node("bo", tag("bo"))
	g.Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "ann", "bo").Edge("ann", "confirm").Edge("bo", "confirm")
	o, err := g.MustCompile().Run(ctx, Offer{Tags: map[string]string{}})
	check(err)
	fmt.Println(o.Notes, o.Tags)
	// [guide: end]

	// Output: [ann bo in all 0] map[ann:done by ann bo:done by bo]
}
