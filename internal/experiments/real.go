package experiments

import (
	"context"
	"errors"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/lab"
)

// Real runs each variant on real servers, which it starts on free ports and stops at the end.
// The samples are those of each variant; the notes say what one has to know to compare them.
// Progress, if not nil, is called after each run.
func Real(_ context.Context, _ *Experiment, _ Values, _ []scenarios.Lock, _ func(done, total int)) (samples [][]*lab.Sample, notes []string, err error) {
	return nil, nil, errors.New("this version cannot run experiments on real servers")
}
