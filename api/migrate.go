package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

type migrateBody struct {
	Definition string            `json:"definition,omitempty" jsonschema:"The name of what the run goes on with, as it is served now; that of the run's plan by default"`
	Nodes      map[string]string `json:"nodes,omitempty" jsonschema:"New paths of nodes, by their old ones"`
	Values     map[string]string `json:"values,omitempty" jsonschema:"New names of values, by their old ones; an empty name drops the value"`
	Deadline   string            `json:"deadline,omitempty" jsonschema:"A new deadline of the run, needed where its own has passed; see retry-run"`
	By         string            `json:"by,omitempty" jsonschema:"Who migrates, for the record, where the server knows nobody"`
	DryRun     bool              `json:"dryRun,omitempty" jsonschema:"Only say what would come of it"`
}

// migrated is what came of a migration, or would.
type migrated struct {
	stood
	Definition string           `json:"definition" jsonschema:"What the run goes on with"`
	Outlook    *fermata.Outlook `json:"outlook,omitempty" jsonschema:"Of a dry run: whether the run can go on, and if not, why"`
}

// migrate lets a run go on with a definition as it is now (law J8).
func (h *Handler) migrate(in *request) (*answer, error) {
	var body migrateBody
	ctx := in.Context()
	info, err := h.run(in, &body)
	if err != nil {
		return nil, err
	}
	d, err := h.goesOnWith(in.who, &info, body.Definition)
	if err != nil {
		return nil, err
	}
	moves := plan.Migration{Nodes: body.Nodes, Values: body.Values}
	if body.DryRun {
		return h.outlook(ctx, d, &info, moves)
	}
	opts, err := (&retryBody{Deadline: body.Deadline}).options(h.by(in.who, body.By))
	if err != nil {
		return nil, err
	}
	if err := h.executes(ctx, info, "a migration", "resume --file"); err != nil {
		return nil, err
	}
	digest := ""
	if d.Kind != "" {
		if digest, err = h.rt.SaveDefinition(ctx, d.Kind, d.Source); err != nil {
			return nil, err
		}
	}
	if _, err := h.rt.Migrate(ctx, info.ID, d.Plan, moves, digest, opts...); err != nil {
		return nil, err
	}
	now, err := h.rt.Info(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	return &answer{body: migrated{stood: stood{Run: now.ID, Status: now.Status}, Definition: d.Name}}, nil
}

// goesOnWith is the definition that a run is migrated to.
func (h *Handler) goesOnWith(who *person, info *fermata.RunInfo, name string) (*Definition, error) {
	if name == "" {
		c := h.now.Load()
		i := slices.IndexFunc(c.names, func(name string) bool { return c.definitions[name].Plan.Name() == info.Plan })
		if i < 0 {
			p := refused(http.StatusConflict, fermata.CodePlanChanged, "no definition here has the plan of the run, %q; name one: GET /api/definitions lists them", info.Plan)
			p.Run = info.ID
			return nil, p
		}
		name = c.names[i]
	}
	d, err := h.find(who, name, identity.View, identity.Operate)
	switch {
	case err != nil:
		return nil, err
	case !h.may(who, identity.Operate, d.Plan.Name()):
		return nil, refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
	case d.Talks != nil:
		return nil, refused(http.StatusUnprocessableEntity, fermata.CodeInvalid,
			"%q is a dialogue: a conversation goes on with the dialogue that it was begun with", d.Name)
	}
	return d, nil
}

// outlook says what would come of a migration, and writes nothing.
func (h *Handler) outlook(ctx context.Context, d *Definition, info *fermata.RunInfo, moves plan.Migration) (*answer, error) {
	all, err := h.rt.CanResume(ctx, journal.RunFilter{ID: info.ID}, fermata.ResumeCheck{
		Plans:     func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return d.Plan, nil },
		Migration: moves, Replay: true,
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 { // it was deleted meanwhile
		return nil, &fermata.Error{Code: fermata.CodeNotFound, Run: info.ID, Err: fermata.ErrNotFound}
	}
	return &answer{body: migrated{stood: stood{Run: info.ID, Status: info.Status}, Definition: d.Name, Outlook: &all[0]}}, nil
}

// migrateOperation is the route by which a run goes on with other code.
func (h *Handler) migrateOperation() operation {
	return operation{
		method: http.MethodPost, path: "/api/runs/{run}/migrate", id: "migrate-run", right: identity.Operate,
		summary: "Let a run go on with a definition as it is served now", takes: reflect.TypeFor[migrateBody](),
		example: `{"nodes": {"review": "approve"}, "dryRun": true}`, limit: otherBody, gives: reflect.TypeFor[migrated](), serve: h.migrate,
	}
}
