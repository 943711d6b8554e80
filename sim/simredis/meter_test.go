package simredis

import (
	"slices"
	"testing"
	"time"
)

// A meter is asked for each command of a client, by its name, and the commands take as long as
// it says; those of a script are one.
func TestMeter(t *testing.T) {
	var asked []string
	costs := map[string]time.Duration{"SET": 3 * ms, "EVAL": 5 * ms}
	var took []time.Duration
	play(t, Options{}, func(x *player) {
		x.cluster.Primary().Meter(func(command string) time.Duration {
			asked = append(asked, command)
			return costs[command]
		})
		w := x.primary()
		for _, command := range [][]string{{"set", "k", "1"}, {"GET", "k"}, {"EVAL", "redis.call('set', 'k', '2') return redis.call('get', 'k')", "0"}} {
			began := x.world.Now()
			w.send(encode(command...))
			w.reply()
			took = append(took, x.world.Now()-began)
		}
	})
	if want := []string{"SET", "GET", "EVAL"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if took[0]-took[1] != 3*ms || took[2]-took[1] != 5*ms {
		t.Errorf("SET took %v, GET %v and EVAL %v; want a difference of 3 ms and 5 ms", took[0], took[1], took[2])
	}
}
