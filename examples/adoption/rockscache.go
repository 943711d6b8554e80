package main

import (
	"time"

	"github.com/dtm-labs/rockscache"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

const loadedOnce = "an entry is not loaded by two at once"

var rockscacheLibrary = library{
	module: "github.com/dtm-labs/rockscache",
	program: cell.Program{
		ID: "rockscache", Summary: "dtm-labs/rockscache, where one loads an entry and the others wait", Flawed: true,
		Stores: []stage.Store{redis.Store}, Processes: 3,
		Rules: []program.Rule{program.AtMostOnce(loadedOnce, "load")},
		Main: func(p *cell.Process) error {
			options := rockscache.NewDefaultOptions()
			options.Context = p.Context()
			c := rockscache.NewClient(redis.Connect(p), options)
			// The entry lives for a minute and takes half of the lock's time to load, so one load is enough.
			_, err := c.Fetch2(p.Context(), "entry", time.Minute, func() (string, error) {
				p.Effect("load", "entry")
				p.Clock().Sleep(options.LockExpire / 2)
				return "loaded", nil
			})
			if err != nil {
				p.Event("has no entry", err)
			}
			return nil
		},
	},
	expected: violates("rockscache", "Its lock is a field with an end, by the clocks of the clients, and in one Redis.", slug(loadedOnce)),
}
