package scripted_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

const head = `{"fermata":"transcript","version":1}` + "\n"

// handmade is a transcript as people write it: without digests, joined of two, with an empty line.
const handmade = head + `{"request":{"messages":[{"role":"user","parts":[{"text":"Where is the Eiffel tower, and how high is it?"}]}]},` +
	`"reply":[{"at":0,"text":"Paris"},{"at":1,"finish":"stop"}]}` + "\n\n" + head +
	`{"request":{"system":"Be brief.","messages":[{"role":"user","parts":[{"text":"Where is Big Ben?"}]}],"maxTokens":9},` +
	`"reply":[{"at":0,"text":"London"},{"at":1,"finish":"stop"}]}`

// Reading says what is wrong, and on which line.
func TestReadTranscriptErrors(t *testing.T) {
	const request = `{"request":{"messages":[]},`
	tests := map[string]struct{ text, want string }{
		"nothing":          {"\n \n", `transcript: expected a first line {"fermata":"transcript","version":1}, found nothing`},
		"no header":        {"\n" + request + `"reply":[]}`, `transcript, line 2: expected {"fermata":"transcript","version":1}, found {"request":{"messages":[]},"reply":[]}`},
		"another format":   {`{"fermata":"recipe"}`, `transcript, line 1: expected {"fermata":"transcript","version":1}, found {"fermata":"recipe"}`},
		"another one, too": {head + `{"fermata":"recipe","version":1}`, `transcript, line 2: expected {"fermata":"transcript","version":1}, found {"fermata":"recipe","version":1}`},
		"of later":         {`{"fermata":"transcript","version":2,"zip":true}`, `transcript, line 1: the transcript has version 2, and this program reads version 1`},
		"cut off": {
			head + request + `"reply":[]}` + "\n" + request + `"reply":[{"at":15`,
			`transcript, line 3: it is cut off: was the recording interrupted? Delete the line to use the others`,
		},
		"no request":        {head + `{"reply":[]}`, `transcript, line 2: expected a member "request", found none`},
		"an unknown member": {head + request + `"replies":[]}`, `transcript, line 2: unknown field "replies"`},
		"one of a request":  {head + `{"request":{"promt":"x"},"reply":[]}`, `transcript, line 2: unknown field "promt"`},
		"of a wrong type":   {head + request + `"reply":[{"at":"now"}]}`, `transcript, line 2: /reply/at: found string, which it cannot be`},
		"no object":         {head + `[1]`, `transcript, line 2: expected a JSON object, found array`},
		"no JSON":           {head + `request: x`, `transcript, line 2: invalid character 'r' looking for beginning of value`},
		"two on a line":     {head + request + `"reply":[]} {}`, `transcript, line 2: expected one JSON object, found more behind it`},
		"before the request": {
			head + request + `"reply":[{"at":0},{"at":-1}]}`,
			`transcript, line 2: /reply/1/at: expected microseconds from 0 to 9223372036854775, found -1`,
		},
		"too far away": {
			head + request + `"reply":[],"error":{"retryAfter":9223372036854775807}}`,
			`transcript, line 2: /error/retryAfter: expected microseconds from 0 to 9223372036854775, found 9223372036854775807`,
		},
		"a request that was changed": {
			head + `{"digest":"00",` + request[1:] + `"reply":[]}`,
			`transcript, line 2: the digest is not that of the request, 5e4ce7b36ba37b78a5d5f9fd08e6b7b54ba6879d651aa46ec9e1d6fa24ebe30a: ` +
				`one of them was changed; leave the digest out`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := scripted.ReadTranscript(strings.NewReader(tt.text))
			if err == nil {
				t.Fatal("it was read")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, again := scripted.Replay(strings.NewReader(tt.text)); again == nil || again.Error() != err.Error() {
				t.Errorf("Replay says %v", again)
			}
		})
	}
	broken := io.MultiReader(strings.NewReader(head), iotest.ErrReader(errFull))
	if _, err := scripted.ReadTranscript(broken); !errors.Is(err, errFull) || err.Error() != "transcript, line 2: the disk is full" {
		t.Errorf("the error is %v", err)
	}
}

// A request that was not recorded is told from the nearest one that was.
func TestReplayOfAnUnknownRequest(t *testing.T) {
	brief := func(prompt string) *model.Request {
		req := model.Ask(prompt)
		req.System, req.MaxTokens = "Be brief.", 9
		return req
	}
	longer := model.Ask("Where is the Eiffel tower, and how high is it?")
	longer.Messages = append(longer.Messages, model.Says(model.Assistant, "Paris"), model.Says(model.User, "And?"))
	shorter := brief("Where is Big Ben?")
	shorter.System = ""
	tests := map[string]struct {
		req  *model.Request
		want string
	}{
		"another text": {
			model.Ask("Where is the Eiffel tower, and how old is it?"),
			`the nearest of 2 is on line 2 and differs at /messages/0/parts/0/text: ` +
				`recorded … is the Eiffel tower, and how high is it?", asked … is the Eiffel tower, and how old is it?"`,
		},
		"one text of two": {
			brief("Where is Big Bang?"),
			`the nearest of 2 is on line 5 and differs at /messages/0/parts/0/text: recorded "Where is Big Ben?", asked "Where is Big Bang?"`,
		},
		"more": {longer, `the nearest of 2 is on line 2 and differs at /messages/1/parts/0/text: recorded nothing, asked "Paris"`},
		"less": {shorter, `the nearest of 2 is on line 5 and differs at /system: recorded "Be brief.", asked nothing`},
		"no JSON": {
			&model.Request{Output: json.RawMessage(`{`)},
			`the request has no JSON form: json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := scripted.Replay(strings.NewReader(handmade))
			if err != nil {
				t.Fatal(err)
			}
			_, err = ask(t, m, tt.req)
			if !errors.Is(err, scripted.ErrNoReply) {
				t.Fatal(err)
			}
			got, _, _ := strings.Cut(err.Error(), "; the request is\n")
			if diff := cmp.Diff("the script has no reply to request 1: its transcript does not have the request: "+tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	m, err := scripted.Replay(strings.NewReader(head))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, m, model.Ask("?"))
	if want := "the script has no reply to request 1: its transcript does not have the request: it has none; the request is\n  user: ?"; err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}

// Of requests that differ in as many places, the one whose text is the same for longer is nearer, and of texts that are
// long only what is around the difference is shown.
func TestReplayFindsTheNearest(t *testing.T) {
	var out bytes.Buffer
	r := scripted.Record(scripted.Func(func(string) (string, error) { return "well", nil }), &out)
	for _, prompt := range []string{"Tell me of cats.", "Tell me of dogs, " + strings.Repeat("and then of more, ", 9), "Tell me of birds."} {
		if _, err := ask(t, r, model.Ask(prompt)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := scripted.Replay(&out)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, m, model.Ask("Tell me of dogs, please."))
	want := `the script has no reply to request 1: its transcript does not have the request: the nearest of 3 is on line 3 and differs at ` +
		`/messages/0/parts/0/text: recorded "Tell me of dogs, and then of more, and then of more, and then of more, and th…, ` +
		`asked "Tell me of dogs, please."; the request is
  user: Tell me of dogs, please.`
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}

// A transcript is part of a script like others: behind the rules and the list, and before the function.
func TestTranscriptsInScripts(t *testing.T) {
	transcript, err := scripted.ReadTranscript(strings.NewReader(handmade))
	if err != nil {
		t.Fatal(err)
	}
	const recorded = "Where is the Eiffel tower, and how high is it?"
	script := scripted.Script{
		Rules: []scripted.Rule{{Contains: "song", Reply: scripted.Reply{Text: "la"}}}, Replies: []scripted.Reply{{Text: "first"}},
		Transcript: transcript, Func: func(*model.Request) (scripted.Reply, error) { return scripted.Reply{Text: "else"}, nil },
	}
	m := scripted.New(script)
	var got []string
	for _, prompt := range []string{recorded, recorded, "a song", "what?"} {
		r, err := ask(t, m, model.Ask(prompt))
		got = append(got, fmt.Sprint(r.Text(), " ", err))
	}
	if diff := cmp.Diff([]string{"first <nil>", "Paris <nil>", "la <nil>", "else <nil>"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A transcript that can be read says what it has, and the recording of that is the same transcript.
func FuzzReadTranscript(f *testing.F) {
	f.Add([]byte(handmade))
	f.Add([]byte(head + `{"request":{"messages":null,"output":null,"tools":[{"name":"a","input":{"b":1e2,"b":2}}]},"reply":[{"at":7,"call":{"index":1}}],` +
		`"error":{"kind":"odd","message":"m","retryAfter":5,"text":"t"}}`))
	f.Add([]byte(head + `{"digest":"","request":{"messages":[{"role":"user","parts":[{"kind":"media","media":{"type":"a","data":"AA=="}}]}]},"reply":null}`))
	f.Add([]byte(head + `{"request":{},"reply":[{"at":0,"usage":{"in":-1}}]} `))
	f.Fuzz(func(t *testing.T, data []byte) {
		transcript, err := scripted.ReadTranscript(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "transcript") {
				t.Fatalf("an error of no use: %v", err)
			}
			return
		}
		play := func(transcript *scripted.Transcript, w io.Writer) (all []string) {
			m := scripted.Record(scripted.New(scripted.Script{Transcript: transcript}), w)
			for req := range transcript.Requests() {
				said := ""
				for c, err := range m.Generate(t.Context(), req) {
					if errors.Is(err, scripted.ErrNoReply) {
						t.Fatal(err)
					}
					text, wrong := json.Marshal(c)
					if wrong != nil {
						t.Fatal(wrong)
					}
					said += fmt.Sprint(string(text), err, "\n")
				}
				all = append(all, said)
			}
			return all
		}
		out := bytes.NewBufferString(head) // what is empty has no header yet
		want := play(transcript, out)
		again, err := scripted.ReadTranscript(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, play(again, io.Discard)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// What a provider says today is what tests hear tomorrow.
func ExampleReplay() {
	provider := scripted.Texts("Paris.") // or any other model
	var file bytes.Buffer
	recorded := scripted.Record(provider, &file)
	_, err := model.Collect(recorded.Generate(context.Background(), model.Ask("What is the capital of France?")))
	if err != nil {
		fmt.Println(err)
	}

	m, err := scripted.Replay(&file)
	if err != nil {
		fmt.Println(err)
	}
	for _, prompt := range []string{"What is the capital of France?", "What is the capital of Spain?"} {
		reply, err := model.Collect(m.Generate(context.Background(), model.Ask(prompt)))
		fmt.Println(reply.Text(), err)
	}
	// Output:
	// Paris. <nil>
	//  the script has no reply to request 2: its transcript does not have the request: the nearest of 1 is on line 2 and differs at /messages/0/parts/0/text: recorded "What is the capital of France?", asked "What is the capital of Spain?"; the request is
	//   user: What is the capital of Spain?
}
