package traces

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Property describes a property by which the run was judged.
type Property struct {
	ID string `json:"id"`
	model.Description
}

// Description returns the description of a property in the words of the trace's store. For a trace without descriptions it
// uses those of the versions that wrote such traces. Of a property without a description it only says that it is violated.
func (t *Trace) Description(id string) model.Description {
	d := model.Description{Window: "it is broken"}
	if i := slices.IndexFunc(t.Properties, func(p Property) bool { return p.ID == id }); i >= 0 {
		d = t.Properties[i].Description
	} else if old, known := undescribed[id]; known && t.Properties == nil {
		d = old
	}
	for _, text := range []*string{&d.Rule, &d.Asks, &d.Window, &d.Pair, &d.Moment} {
		*text = wording.Printable(t.Terms.Fill(*text))
	}
	return d
}

// Broken returns a phrase for the violation of a property, or for a broken rule of a program.
func (t *Trace) Broken(id string) string {
	if rule := t.Description(id).Rule; rule != "" {
		return fmt.Sprintf("the rule %q is broken", rule)
	}
	return wording.Printable(id) + " is violated"
}

// maxDescription is the maximum number of bytes of a text that describes a property.
const maxDescription = 400

// checkProperties checks the descriptions.
func (t *Trace) checkProperties() error {
	known := map[string]bool{}
	for i, p := range t.Properties {
		if p.ID == "" || known[p.ID] {
			return fmt.Errorf("properties[%d]: the id %s is empty or given twice", i, quote(p.ID))
		}
		if !sim.IsName(p.ID, maxID) {
			return noName(fmt.Sprintf("properties[%d].id", i), p.ID, maxID)
		}
		known[p.ID] = true
		for _, text := range []string{p.Rule, p.Asks, p.Window, p.Pair, p.Moment} {
			if len(text) > maxDescription || text != wording.Printable(text) {
				return fmt.Errorf("properties[%d]: %s is too long or cannot be printed", i, quote(text))
			}
		}
	}
	return nil
}
