package guide_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// [guide: test node]

func TestReviewGrants(t *testing.T) {
	c := fermatatest.NewContext(t).Answer("grant", true)
	got, err := fermatatest.Run(c, review, Claim{Amount: 120})
	if err != nil || !got.Granted {
		t.Errorf("got %+v, %v", got, err)
	}
	if q := c.Questions()[0]; q.Role != "manager" {
		t.Errorf("it asks a %q", q.Role)
	}
	c.Replay() // on what is recorded, it does nothing again and ends the same way
}

// [guide: end]

// [guide: test messages]

func TestAPurchaseIsPaidInParts(t *testing.T) {
	c := fermatatest.NewContext(t).
		Message("payments", Deposit{60}, fermata.MessageID("evt_1")).
		Message("payments", Deposit{60}, fermata.MessageID("evt_1")) // sent again: no effect
	if _, err := fermatatest.Run(c, collect, Purchase{Total: 100}); !errors.Is(err, node.ErrSuspended) {
		t.Errorf("it does not wait for the rest: %v", err)
	}
	got, err := fermatatest.Run(c.NoMessage("payments"), collect, Purchase{Total: 100}) // a week passes
	if err != nil || got.Status != "abandoned" {
		t.Errorf("got %+v, %v", got, err)
	}
	c.Replay()
}

// [guide: end]

// [guide: test crash]

func TestPayOnceSurvivesCrashes(t *testing.T) {
	bank := &bank{}
	report := fermatatest.Crash(t, payOnce().Plan(), func() any { return &Claim{Amount: 120} },
		fermatatest.Answers(map[string][]any{"settle": {"receipt for 120"}}),
		fermatatest.WithOptions(fermata.Options{Services: []any{bank}}),
		fermatatest.Effects(func() map[string]int { return map[string]int{"transfer": len(bank.keys)} }),
		fermatatest.OnlyOnce("transfer"))
	if report.Result.Status != fermata.Completed { // paused, where an answer is missing
		t.Errorf("the run is %s", report.Result.Status)
	}
	t.Logf("%d crashes around %d appends", report.Crashes, len(report.Appends))
}

// [guide: end]

// [guide: test orders]

func TestBookingIsTheSameInAnyOrder(t *testing.T) {
	report := fermatatest.Schedules(t, booking().MustCompile().Plan(), func() any { return &Offer{To: "Porto"} },
		fermatatest.WithCrashes())
	t.Logf("%d orders beside the declared one, %d crashes", report.Orders, report.Crashes)
}

// [guide: end]

// printed is a t that prints what is wrong, for tests that are to fail.
type printed struct {
	testing.TB
	name string
}

func (printed) Helper()                           {}
func (t printed) Name() string                    { return t.name }
func (printed) Context() context.Context          { return context.Background() }
func (printed) Output() io.Writer                 { return io.Discard }
func (printed) TempDir() string                   { return os.TempDir() }
func (printed) Error(args ...any)                 { fmt.Println(args...) }
func (printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printed) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func Example_schedules() {
	t := printed{name: "TestTags"}
	// [guide: test orders broken]
	ann := func(_ node.Context, o Offer) (Offer, error) {
		o.Tags["room"] = "sea view" // in place, although the graph promises not to
		return o, nil
	}
	bo := func(_ node.Context, o Offer) (Offer, error) {
		o.Notes = append(o.Notes, "room: "+o.Tags["room"])
		return o, nil
	}
	g := graph.New[Offer]("tags").Immutable()
	g.Node("ann", ann).Node("bo", bo).Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "ann", "bo").Edge("ann", "confirm").Edge("bo", "confirm")
	fermatatest.Schedules(t, g.MustCompile().Plan(), func() any { // t of your test
		return &Offer{Tags: map[string]string{"room": "any"}}
	})
	// [guide: end]

	// Output:
	// law D11: the order in which tasks come to their end makes a difference
	// first order (-):  ann#1 before bo#1
	// second order (+): bo#1 before ann#1
	// task bo#1 was given the same, and did something else:
	//   - gives {"Flight":"","Hotel":"","Notes":["room: sea view"],"Price":0,"Tags":{"room":"any"},"To":""}
	//   + gives {"Flight":"","Hotel":"","Notes":["room: any"],"Price":0,"Tags":{"room":"any"},"To":""}
	// likely: it reads what is not its input: memory that another branch writes (law N9: a pointer, a map or a counter outside of the state), the time, or randomness. Put it into the state, or read it in a node.Step before the fork
	// to see it again: fermatatest.Seed(11963381447977320832), which finds it in order 1
}

// [guide: test golden]

func TestARefundIsPaid(t *testing.T) {
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	refund := refundsPaid()
	decided(t.Context(), rt, refund, "run_7", true) // run it to its end
	fermatatest.Golden(t, rt, refund.Plan(), "run_7")
}

// [guide: end]

func Example_golden() {
	data, err := os.ReadFile("testdata/TestARefundIsPaid.golden")
	check(err)
	fmt.Print(string(data))

	// Output:
	// plan refund
	//   given {"Amount":120,"Granted":false,"Receipt":""}
	// review#1
	//   given {"Amount":120,"Granted":false,"Receipt":""}
	//   asks interrupt:grant#1 "Pay it back?" "manager" about {"Amount":120,"Granted":false,"Receipt":""}; answered by Ada: true
	//   gives {"Amount":120,"Granted":true,"Receipt":""}
	// pay#1
	//   given {"Amount":120,"Granted":true,"Receipt":""}
	//   gives {"Amount":120,"Granted":true,"Receipt":"paid 120"}
	// completed
	//   gives {"Amount":120,"Granted":true,"Receipt":"paid 120"}
}
