package confirm

import (
	"errors"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestKeeps: what a node has kept that dies, by what is observed of it.
func TestKeeps(t *testing.T) {
	const died, back = time.Second, 2 * time.Second
	created := func(key string, at time.Duration) model.Observation {
		return model.Observation{Kind: model.RecordCreated, Node: "r1", Key: key, Stamp: model.Stamp{At: at}}
	}
	dropped := func(key string) model.Observation {
		return model.Observation{Kind: model.RecordDropped, Node: "r1", Key: key, Stamp: model.Stamp{At: back}}
	}
	for _, test := range []struct {
		name    string
		follows bool // it comes back as one that follows another
		never   bool // it does not come back
		later   []model.Observation
		want    kept
	}{
		{name: "it does not come back", never: true, want: keptNothing},
		{name: "it follows", follows: true, want: keptNothing},
		{name: "nothing is dropped", want: keptAll},
		{name: "what comes later counts for nothing", later: []model.Observation{created("c", 3*time.Second)}, want: keptAll},
		{name: "all is dropped", later: []model.Observation{dropped("a"), dropped("b")}, want: keptNothing},
		{name: "one is dropped", later: []model.Observation{dropped("a")}, want: keptPart},
		{name: "an older state", later: []model.Observation{dropped("a"), dropped("b"), created("old", back)}, want: keptPart},
	} {
		dies := model.Observation{Kind: model.Crashed, Node: "r1", Stamp: model.Stamp{At: died}}
		returns := model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1", Stamp: model.Stamp{At: back}}
		if test.follows {
			returns.Authority = ""
		}
		list := []model.Observation{created("a", 0), created("b", 0), dies}
		if !test.never {
			list = append(append(list, returns), test.later...)
		}
		for i := range list {
			list[i].Seq = int64(i + 1)
		}
		r := &reading{trace: &traces.Trace{History: model.History{Observations: list}}}
		if got := r.keeps(&list[2]); got != test.want {
			t.Errorf("%s: it keeps %s, want %s", test.name, got, test.want)
		}
	}
}

// keeper are servers whose nodes may be told to keep what they have.
type keeper struct {
	Servers
	told []string
}

func (k *keeper) Keep(node string) error {
	k.told = append(k.told, node)
	return nil
}

// TestKeep: a node is told to keep what it has if it is to have all of that, and a part is refused.
func TestKeep(t *testing.T) {
	k := &keeper{}
	d := &driver{servers: k}
	for keeps, forced := range map[kept]bool{keptNothing: true, keptAll: true, keptPart: false} { // unordered: each by itself
		var refused *ForceError
		if err := d.keep(&step{node: "r1", keeps: keeps}); errors.As(err, &refused) == forced {
			t.Errorf("%s: %v", keeps, err)
		}
	}
	if len(k.told) != 1 {
		t.Errorf("it was told %d times, want once", len(k.told))
	}
}
