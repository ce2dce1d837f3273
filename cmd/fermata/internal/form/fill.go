package form

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
)

// fill asks for a form once: first for what stands side by side, then for each list and each alternative by itself.
func fill(ctx context.Context, a Asker, f *Form, entries []Entry, problem error) ([]Entry, error) {
	filled := slices.Clone(entries)
	flat, at := &Form{object: f.object}, []int{}
	for i := range f.Fields {
		switch field := &f.Fields[i]; {
		case field.parted():
		case field.fixed():
			filled[i] = Entry{Choices: []int{0}}
		default:
			flat.Fields, at = append(flat.Fields, *field), append(at, i)
		}
	}
	if len(at) > 0 {
		before := make([]Entry, len(at))
		for n, i := range at {
			before[n] = entries[i]
		}
		got, err := a.Fill(ctx, flat, before, problem)
		if err != nil {
			return nil, err
		}
		for n, i := range at {
			filled[i] = got[n]
		}
		problem = nil
	}
	for i := range f.Fields {
		field := &f.Fields[i]
		if !field.parted() {
			continue
		}
		var err error
		if field.Kind == Items {
			filled[i], err = fillItems(ctx, a, field, filled[i], problem)
		} else {
			filled[i], err = fillVariant(ctx, a, field, filled[i], problem)
		}
		if err != nil {
			return nil, err
		}
		problem = nil
	}
	return filled, nil
}

// parted reports whether a field has forms of its own.
func (f *Field) parted() bool { return f.Kind == Items || f.Kind == Variant }

// fixed reports whether there is nothing to choose: the member of an object that tells it from others.
func (f *Field) fixed() bool {
	return f.Kind == Choice && f.Required && len(f.Options) == 1 && len(f.Path) > 0
}

// fillItems asks what is to be done with a list until it is done.
func fillItems(ctx context.Context, a Asker, f *Field, e Entry, problem error) (Entry, error) {
	e.Forms = slices.Clone(e.Forms)
	for {
		do, i, err := chooseItem(ctx, a, f, e, problem)
		problem = nil
		switch {
		case err != nil:
			return e, err
		case do == "add":
			var item []Entry
			if item, err = fillPart(ctx, a, f.item(len(e.Forms)), f.forms[0]().Starts()); err == nil {
				e.Forms = append(e.Forms, item)
			}
		case do == "change":
			e.Forms[i], err = fillPart(ctx, a, f.item(i), e.Forms[i])
		case do == "remove":
			e.Forms = slices.Delete(e.Forms, i, i+1)
		default:
			if problem = f.Check(e); problem == nil {
				return e, nil
			}
		}
		if err != nil {
			return e, err
		}
	}
}

// chooseItem asks what is to be done next: add an item, change or remove one, or nothing more.
func chooseItem(ctx context.Context, a Asker, f *Field, e Entry, problem error) (do string, i int, err error) {
	menu := Field{Kind: Choice, Required: true, menu: true, Title: fmt.Sprintf("%s: %d", orItems(f.Title), len(e.Forms)), Help: f.Help, Path: f.Path}
	type act struct {
		do string
		i  int
	}
	var acts []act
	offer := func(do string, i int, label string) {
		menu.Options, acts = append(menu.Options, Option{Label: label, Value: label}), append(acts, act{do, i})
	}
	if len(e.Forms) >= f.bound[0] {
		offer("done", 0, "done")
	}
	if f.bound[1] < 0 || len(e.Forms) < f.bound[1] {
		offer("add", 0, "add")
	}
	for i := range e.Forms {
		offer("change", i, "change "+f.summary(e, i))
	}
	for i := range e.Forms {
		offer("remove", i, "remove "+f.summary(e, i))
	}
	menu.Start.Choices = []int{0}
	if len(e.Forms) == 0 && len(acts) > 1 && f.Required {
		menu.Start.Choices[0] = 1
	}
	chosen, err := a.Fill(ctx, &Form{Fields: []Field{menu}, object: len(f.Path) > 0}, []Entry{menu.Start}, problem)
	if err != nil {
		return "", 0, err
	}
	if len(chosen[0].Choices) == 0 || chosen[0].Choices[0] >= len(acts) {
		return "done", 0, nil
	}
	did := acts[chosen[0].Choices[0]]
	return did.do, did.i, nil
}

func orItems(title string) string {
	if title == "" {
		return "items"
	}
	return title
}

// summary is an item in a few words.
func (f *Field) summary(e Entry, i int) string {
	number := strconv.Itoa(i + 1)
	v, err := f.forms[0]().answer(e.Forms[i])
	if err != nil {
		return number
	}
	text := label(v)
	if o, ok := v.(ordered.Object); ok {
		parts := make([]string, len(o))
		for n, m := range o {
			parts[n] = label(m.Value)
		}
		text = strings.Join(parts, ", ")
	}
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:39]) + "…"
	}
	return number + ": " + text
}

// item is the form of an item, with titles that say which.
func (f *Field) item(i int) *Form {
	return f.forms[0]().titled(orItems(f.Title) + " " + strconv.Itoa(i+1))
}

func (f *Form) titled(title string) *Form {
	titled := *f
	titled.Fields = slices.Clone(f.Fields)
	for i := range titled.Fields {
		t := &titled.Fields[i].Title
		*t = strings.TrimSuffix(title+": "+*t, ": ")
	}
	return &titled
}

// fillVariant asks which of the alternatives it is, and then for that one.
func fillVariant(ctx context.Context, a Asker, f *Field, e Entry, problem error) (Entry, error) {
	which := Field{Kind: Choice, Required: f.Required, Null: f.Null, Title: f.Title, Help: f.Help, Path: f.Path, Options: f.Options, Start: Entry{Choices: f.Start.Choices}}
	chosen := Entry{Choices: e.Choices}
	if !f.Required || len(f.Options) > 1 {
		filled, err := a.Fill(ctx, &Form{Fields: []Field{which}, object: len(f.Path) > 0}, []Entry{chosen}, problem)
		if err != nil {
			return e, err
		}
		chosen = filled[0]
	} else {
		chosen.Choices = []int{0}
	}
	if len(chosen.Choices) == 0 {
		return Entry{}, nil
	}
	form := f.forms[chosen.Choices[0]]()
	entries := form.Starts()
	if len(e.Forms) > 0 && slices.Equal(e.Choices, chosen.Choices) {
		entries = e.Forms[0]
	}
	if f.Title != "" {
		form = form.titled(f.Title)
	}
	filled, err := fillPart(ctx, a, form, entries)
	if err != nil {
		return e, err
	}
	return Entry{Choices: chosen.Choices, Forms: [][]Entry{filled}}, nil
}

// fillPart asks for a form within a form until it fits its part of the schema.
func fillPart(ctx context.Context, a Asker, f *Form, entries []Entry) ([]Entry, error) {
	var problem error
	for {
		filled, err := fill(ctx, a, f, entries, problem)
		if err != nil {
			return nil, err
		}
		v, err := f.answer(filled)
		if err == nil && f.check != nil {
			err = f.check(v)
		}
		if err == nil {
			return filled, nil
		}
		entries, problem = filled, err
	}
}
