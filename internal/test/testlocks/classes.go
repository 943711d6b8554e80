package testlocks

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// BothClasses judges only mutual exclusion, and makes its violation a fault if c2 was paused and a limit if not: a cell of
// gc-pause then violates the property in both ways. So tests of searches do not depend on how the checker distinguishes
// the two.
func BothClasses(resolve func(json.RawMessage) (explore.Runner, error)) func(json.RawMessage) (explore.Runner, error) {
	return func(raw json.RawMessage) (explore.Runner, error) {
		run, err := resolve(raw)
		if err != nil {
			return nil, err
		}
		return func(how explore.Run) explore.Outcome {
			o := run(how)
			o.Verdicts = slices.DeleteFunc(o.Verdicts, func(v model.Verdict) bool { return v.Property != checker.MutualExclusion })
			for i := range o.Verdicts {
				v := &o.Verdicts[i]
				v.Limit = v.Status == model.Violated && !strings.Contains(v.Sentence, "while c2 was paused")
				if v.Cause = ""; v.Limit {
					v.Cause = "holder-stopped"
				}
			}
			return o
		}, nil
	}
}
