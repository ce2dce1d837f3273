package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/nearest"
)

// reviewFlags are the flags of a review of conversations.
type reviewFlags struct {
	review         bool
	since, until   string
	flow           string
	left           time.Duration
	limit          int
	after          string
	learn          learnFlags
	misses, asked  bool
	handed, leaves bool
}

func (f *reviewFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.review, "review", false, "show where users of the dialogue had trouble; with --thread, all messages of one conversation")
	flags.StringVar(&f.since, "since", "", "review what was said since: an `age` (30d, 12h) or a date (2026-01-31)")
	flags.StringVar(&f.until, "until", "", "review what was said before: an `age` or a date")
	flags.StringVar(&f.flow, "flow", "", "review the flow of this `name`; with --add-trigger, the flow that gets it")
	flags.BoolVar(&f.misses, "misses", false, "list conversations with messages that were not understood")
	flags.BoolVar(&f.asked, "clarifications", false, "list conversations in which users were asked which flow they mean")
	flags.BoolVar(&f.handed, "handoffs", false, "list conversations that a person was asked to take over")
	flags.BoolVar(&f.leaves, "drop-offs", false, "list conversations whose users left while a flow was open")
	flags.DurationVar(&f.left, "left", 24*time.Hour, "after which `time` without a word a user has left")
	flags.IntVar(&f.limit, "limit", 20, "list this `number` of conversations and of messages at most")
	flags.StringVar(&f.after, "after", "", "list the conversations after the one with this `id`")
	f.learn.add(flags)
}

// needReview refuses flags of a review without one.
func (f *reviewFlags) needReview(c *cobra.Command) error {
	if f.review {
		return nil
	}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(reviewFlags).add(own)
	var err error
	c.Flags().Visit(func(set *pflag.Flag) {
		if own.Lookup(set.Name) != nil && err == nil {
			err = usagef("--%s goes with --review", set.Name)
		}
	})
	return err
}

// query is what the flags ask for.
func (f *reviewFlags) query(m *Main, d *dialogue.Dialogue) (q dialogue.ReviewQuery, err error) {
	q = dialogue.ReviewQuery{Flow: f.flow, Left: f.left, Limit: f.limit, After: f.after, Now: m.Now()}
	for _, bound := range []struct {
		flag, text string
		into       *time.Time
	}{{"--since", f.since, &q.Since}, {"--until", f.until, &q.Until}} {
		if bound.text == "" {
			continue
		}
		if *bound.into, err = m.parseBefore(bound.text); err != nil {
			return q, usagef("%s %q: expected an age such as 7d or 12h, or a date such as 2026-01-31", bound.flag, bound.text)
		}
	}
	if _, ok := d.Flow(f.flow); !ok && f.flow != "" {
		return q, usagef("--flow: there is no flow %q%s", f.flow, nearest.Hint(f.flow, d.FlowNames()))
	}
	if f.limit < 1 {
		return q, usagef("--limit: expected a number from 1, found %d", f.limit)
	}
	for _, one := range []struct {
		set  bool
		mark dialogue.Mark
	}{
		{f.misses, dialogue.MarkMiss},
		{f.asked, dialogue.MarkClarification},
		{f.handed, dialogue.MarkHandoff},
		{f.leaves, dialogue.MarkDropOff},
	} {
		if one.set {
			q.Marks = append(q.Marks, one.mark)
		}
	}
	return q, nil
}

// reviewChats shows where users of a dialogue had trouble, or makes a test or a trigger of what they have said.
func (m *Main) reviewChats(ctx context.Context, file string, f *chatFlags) error {
	if file == "" {
		return usagef("expected a FILE, the dialogue whose conversations are reviewed")
	}
	path, err := recipeFile(file)
	if err != nil {
		return err
	}
	c := &chat{m: m}
	if err := c.load(path, nil, ""); err != nil {
		return err
	}
	q, err := f.query(m, c.dialogue)
	if err != nil {
		return err
	}
	if known := c.dialogue.Languages(); f.language != "" && !slices.Contains(known, f.language) {
		return usagef("--language %s: the dialogue is held in %s", f.language, strings.Join(known, ", "))
	}
	return m.withStore(ctx, func(ctx context.Context, h *house) error {
		r := &reviewing{m: m, house: h, file: path, dialogue: c.dialogue, flags: f}
		r.all = dialogue.NewConversations(h.Runtime, c.dialogue, dialogue.ConversationOptions{})
		switch {
		case f.learn.test != "" || f.learn.trigger != "":
			return r.learn(ctx)
		case f.thread != "":
			return r.showTurns(ctx)
		}
		found, err := r.all.Review(ctx, q)
		if err != nil {
			return err
		}
		if f.json {
			m.writeLine(found)
			return nil
		}
		r.show(found)
		return nil
	})
}

// reviewing is a review at this terminal.
type reviewing struct {
	m        *Main
	house    *house
	file     string
	dialogue *dialogue.Dialogue
	all      *dialogue.Conversations
	flags    *chatFlags
}

// show lays a review out.
func (r *reviewing) show(found *dialogue.Review) {
	m, s := r.m, r.m.out
	styles := s.Styles()
	for _, bad := range found.Unreadable {
		m.err.Println(m.err.Styles().Bad.Apply("not read: ") + term.OneLine(bad.ID) + ": " + term.OneLine(bad.Error))
	}
	n := &found.Totals
	if n.Conversations == 0 {
		m.err.Println("no conversations of " + r.dialogue.Name() + " in " + r.house.dsn.String() + r.span())
		return
	}
	s.Println(styles.Strong.Apply(term.OneLine(r.dialogue.Name()))+"  "+term.Count(n.Conversations, "conversation")+", "+term.Count(n.Turns, "message")+r.span(), "")
	t := term.Table{Indent: 2, Right: []bool{false, true, true}}
	for _, row := range []struct {
		name  string
		count int
		share string
		style term.Style
	}{
		{"not understood", n.Misses, percent(n.MissRate, "of messages"), styles.Bad},
		{"asked which flow", n.Clarifications, "", styles.Wait},
		{"values refused", n.Rejections, "", styles.Wait},
		{"handed to a person", n.Handoffs, "", styles.Wait},
		{"left in a flow", n.DropOffs, percent(n.DropOffRate, "of conversations"), styles.Bad},
	} {
		count := strconv.Itoa(row.count)
		if row.count > 0 {
			count = row.style.Apply(count)
		}
		t.Rows = append(t.Rows, []string{row.name, count, styles.Faint.Apply(row.share)})
	}
	s.Println(s.Fit(t.Lines(s))...)
	if n.Trouble() == 0 {
		s.Println("", "  "+styles.Good.Apply("no trouble")+": every message was understood, and nobody left")
		return
	}
	r.showSteps(found)
	r.showUtterances(found)
	r.showConversations(found)
}

// span is the time that is reviewed.
func (r *reviewing) span() string {
	text := ""
	if r.flags.since != "" {
		text += " since " + term.OneLine(r.flags.since)
	}
	if r.flags.until != "" {
		text += " until " + term.OneLine(r.flags.until)
	}
	if r.flags.flow != "" {
		text += " in the flow " + term.OneLine(r.flags.flow)
	}
	return text
}

// percent is a share and what it is one of; "" for none.
func percent(share float64, of string) string {
	if share == 0 {
		return ""
	}
	return strings.TrimSpace(strconv.FormatFloat(100*share, 'f', 1, 64) + "% " + of)
}

// placeText is where a user was.
func placeText(p dialogue.Place) string {
	switch {
	case p.Slot == "flow_name":
		return "which flow?"
	case p.Flow == "":
		return "outside of flows"
	case p.Step == "":
		return term.OneLine(p.Flow)
	case p.Slot == "" || p.Slot == p.Step:
		return term.OneLine(p.Flow + "/" + p.Step)
	}
	return term.OneLine(p.Flow + "/" + p.Step + " (" + p.Slot + ")")
}

// blank is a count of which zero is not worth reading.
func blank(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (r *reviewing) showSteps(found *dialogue.Review) {
	s := r.m.out
	t := term.Table{
		Head:  []string{"WHERE", "MESSAGES", "MISSED", "", "ASKED", "REFUSED", "HANDED", "LEFT", ""},
		Right: []bool{false, true, true, true, true, true, true, true, true},
	}
	quiet := 0
	for i := range found.Steps {
		st := &found.Steps[i]
		if st.Trouble()+st.Rejections == 0 {
			quiet++
			continue
		}
		t.Rows = append(t.Rows, []string{
			s.Cut(placeText(st.Place), 36), strconv.Itoa(st.Turns), blank(st.Misses), s.Styles().Faint.Apply(percent(st.MissRate, "")), blank(st.Clarifications),
			blank(st.Rejections), blank(st.Handoffs), blank(st.DropOffs), s.Styles().Faint.Apply(percent(st.DropOffRate, "")),
		})
	}
	if s.TTY {
		narrow(&t, s.Width() < 80)
	}
	s.Println("")
	s.Println(s.Fit(t.Lines(s))...)
	if quiet > 0 {
		s.Println(s.Styles().Faint.Apply("and " + term.Count(quiet, "place") + " without trouble"))
	}
}

// narrow leaves out columns in which nothing stands and, where there is little room, those without a name: the shares.
func narrow(t *term.Table, little bool) {
	for i := len(t.Head) - 1; i > 0; i-- {
		if filled := slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }); filled && !(little && t.Head[i] == "") {
			continue
		}
		t.Head, t.Right = slices.Delete(t.Head, i, i+1), slices.Delete(t.Right, i, i+1)
		for j := range t.Rows {
			t.Rows[j] = slices.Delete(t.Rows[j], i, i+1)
		}
	}
}

func (r *reviewing) showUtterances(found *dialogue.Review) {
	s := r.m.out
	if len(found.Utterances) == 0 {
		return
	}
	t := term.Table{Head: []string{"TIMES", "AT", "WHERE", "SAID"}, Right: []bool{true}}
	for i := range found.Utterances {
		u := &found.Utterances[i]
		where := placeText(u.Places[0])
		if more := len(u.Places) - 1; more > 0 {
			where += " and " + strconv.Itoa(more) + " more"
		}
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(u.Count), refOf(u.Conversation, u.Turn), where, s.Styles().Strong.Apply(term.OneLine(u.Text)) + meanings(u),
		})
	}
	s.Println("")
	s.Println(s.Fit(t.Lines(s))...)
	if found.MoreTexts > 0 {
		s.Println(s.Styles().Faint.Apply("and " + strconv.Itoa(found.MoreTexts) + " more; --limit shows them"))
	}
}

// meanings are the flows that an utterance could have meant.
func meanings(u *dialogue.ReviewUtterance) string {
	if len(u.Candidates) == 0 {
		return ""
	}
	return "  (" + term.OneLine(strings.Join(u.Candidates, " or ")) + "?)"
}

func (r *reviewing) showConversations(found *dialogue.Review) {
	m, s := r.m, r.m.out
	t := term.Table{Head: []string{"CONVERSATION", "LAST", "STATUS", "WHERE", "TROUBLE"}}
	for i := range found.Conversations {
		c := &found.Conversations[i]
		status := c.Status
		if c.Status == dialogue.StatusLeft {
			status = s.Styles().Bad.Apply(status)
		}
		t.Rows = append(t.Rows, []string{
			term.OneLine(c.ID), s.Styles().Faint.Apply(m.moment(s, c.Last.UnixMicro())), status, placeText(c.Place), troubles(&c.Counts),
		})
	}
	if len(t.Rows) > 0 {
		s.Println("")
		s.Println(s.Fit(t.Lines(s))...)
	}
	if m.global.quiet {
		return
	}
	m.err.Println("")
	var next []hint
	if len(found.Conversations) > 0 {
		next = append(next, hintTo("how each message of one was understood", "chat", "--review", r.file, "--thread", found.Conversations[0].ID))
	}
	if len(found.Utterances) > 0 {
		u := &found.Utterances[0]
		ref := refOf(u.Conversation, u.Turn)
		next = append(next,
			hintTo("make it a test", "chat", "--review", r.file, "--add-test", ref, "--means", "start_flow FLOW"),
			hintTo("make it a trigger", "chat", "--review", r.file, "--add-trigger", ref, "--flow", "FLOW"))
	}
	if found.Next != "" {
		next = append(next, hintTo("the next conversations", "chat", "--review", r.file, "--after", found.Next))
	}
	m.hints(next...)
}

// troubles are the counts of a conversation that are not zero.
func troubles(n *dialogue.ReviewCounts) string {
	var all []string
	for _, one := range []struct {
		n    int
		word string
	}{{n.Misses, "miss"}, {n.Clarifications, "clarification"}, {n.Rejections, "refused value"}, {n.Handoffs, "handoff"}, {n.DropOffs, "drop-off"}} {
		if one.n > 0 {
			text := term.Count(one.n, one.word)
			if one.word == "miss" && one.n > 1 {
				text = strconv.Itoa(one.n) + " misses"
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// refOf names a message: the conversation and its number.
func refOf(conversation string, turn int) string {
	return fmt.Sprintf("%s/%d", term.OneLine(conversation), turn)
}

// showTurns shows how each message of a conversation was understood.
func (r *reviewing) showTurns(ctx context.Context) error {
	turns, err := r.all.Turns(ctx, r.flags.thread)
	if fe, ok := asNotFound(err); ok {
		return usagef("no conversation %q of %s in %s: %v", r.flags.thread, r.dialogue.Name(), r.house.dsn, fe)
	}
	if err != nil {
		return err
	}
	s, styles := r.m.out, r.m.out.Styles()
	for i := range turns {
		t := &turns[i]
		if r.flags.json {
			r.m.writeLine(t)
			continue
		}
		said := term.OneLine(t.Text)
		switch {
		case t.Hidden:
			said = styles.Faint.Apply("(hidden: it may hold a private value)")
		case t.Has(dialogue.MarkEvent):
			said = styles.Faint.Apply("(event " + said + ")")
		case t.Has(dialogue.MarkSilence):
			said = styles.Faint.Apply("(silence)")
		case t.By == byAgent:
			said = styles.Wait.Apply("agent: ") + said
		}
		number := term.PadLeft(strconv.Itoa(t.Turn), len(strconv.Itoa(turns[len(turns)-1].Turn)))
		indent := strings.Repeat(" ", len(number)+2)
		lines := []string{styles.Faint.Apply(number) + "  " + said, indent + r.marks(t) + styles.Faint.Apply("  "+placeText(t.Place))}
		for _, c := range t.Commands {
			lines = append(lines, indent+styles.Faint.Apply(term.OneLine(commandText(c)+howText(c))))
		}
		s.Println(s.Fit(lines)...)
	}
	if len(turns) == 0 && !r.flags.json {
		r.m.err.Println("nothing was said in " + term.OneLine(r.flags.thread))
	}
	return nil
}

// marks are the marks of a turn, each as good or bad as it is.
func (r *reviewing) marks(t *dialogue.ReviewTurn) string {
	styles := r.m.out.Styles()
	words := make([]string, len(t.Marks))
	for i, mark := range t.Marks {
		words[i] = strings.ReplaceAll(string(mark), "_", " ")
		switch {
		case mark == dialogue.MarkMiss:
			words[i] = styles.Bad.Apply(words[i])
		case slices.Contains([]dialogue.Mark{dialogue.MarkClarification, dialogue.MarkRejection, dialogue.MarkHandoff}, mark):
			words[i] = styles.Wait.Apply(words[i])
		default:
			words[i] = styles.Good.Apply(words[i])
		}
	}
	text := strings.Join(words, ", ")
	if len(t.Candidates) > 0 {
		text += " " + term.OneLine(strings.Join(t.Candidates, " or ")+"?")
	}
	return text
}

// howText is how a command was understood: by a trigger 0.87.
func howText(c dialogue.Command) string {
	if c.Source == "" {
		return ""
	}
	text := "  by " + map[dialogue.CommandSource]string{
		dialogue.FromTrigger: "a trigger", dialogue.FromRanker: "ranking", dialogue.FromValue: "its value", dialogue.FromPhrase: "a common phrase",
		dialogue.FromModel: "the model", dialogue.FromButton: "a button", dialogue.FromProgram: "the program",
	}[c.Source]
	if c.Confidence > 0 {
		text += " " + strconv.FormatFloat(c.Confidence, 'f', 2, 64)
	}
	return text
}

// asNotFound reports that there is no such conversation or message, and why.
func asNotFound(err error) (why error, ok bool) { //nolint:revive // the error is what was found
	fe, ok := errors.AsType[*fermata.Error](err)
	if !ok || fe.Code != fermata.CodeNotFound {
		return nil, false
	}
	return fe.Err, true
}
