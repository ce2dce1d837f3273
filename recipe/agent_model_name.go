package recipe

import (
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/model"
)

// scriptPrefix begins the name of a model whose replies are in a file of the recipe's folder.
const scriptPrefix = "scripted:"

// nameModels settles which model each agent asks, reads the scripts that stand in for models, and reports models that
// the program has not.
func (l *loader) nameModels(d *draft, chain []string) {
	used := d.called()
	for _, name := range slices.Sorted(maps.Keys(d.agents)) {
		a := d.agents[name]
		m := a.model()
		if m == nil {
			continue
		}
		if d.stage.linesOf(name) != nil {
			m.asks = stageModel + ":" + name
			continue
		}
		if l.opts.ModelFor != nil {
			m.asks = l.opts.ModelFor(name, m.asks)
		}
		file, isScript := strings.CutPrefix(m.name.Text, scriptPrefix)
		switch {
		case m.asks == "":
		case !m.nameable(l.opts.Models, l.report):
		case isScript && m.asks == m.name.Text && (a.Source == d.Source || used[name]):
			m.script = l.script(m.name, l.pathOf(d, a, file, chain))
		}
	}
}

// nameable reports whether the program has the model that is asked, as far as its name says. It reports it where not.
func (m *reasons) nameable(models []string, r *document.Report) bool {
	if models == nil || slices.Contains(models, m.asks) {
		return true
	}
	provider, of, marked := strings.Cut(m.asks, ":")
	known := slices.DeleteFunc(slices.Sorted(slices.Values(models)), func(name string) bool { return name == model.Default })
	switch {
	case slices.Contains(known, provider) && of != "":
		return true
	case slices.Contains(known, provider):
		r.Add(m.name.Spot, "model is %s; expected one of the provider's models behind the colon, such as openai:gpt-5", document.Quote(m.name.Text))
	case !marked:
		r.Add(m.name.Spot, "there is no model %s; expected PROVIDER:MODEL, such as openai:gpt-5; the providers are %s%s",
			document.Quote(m.name.Text), strings.Join(known, ", "), r.Hint(provider, known))
	default:
		r.Add(m.name.Spot, "there is no provider %s of models; there are %s%s", document.Quote(provider), strings.Join(known, ", "), r.Hint(provider, known))
	}
	return false
}
