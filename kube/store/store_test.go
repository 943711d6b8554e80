package store

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// set sets parameters by their names.
func set(pairs ...string) (stage.Params, error) {
	p := stage.Params{Clients: 1, Rounds: 1}
	var list []traces.Parameter
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	err := stage.SettingsOf(Store, faults.All).SetAll(&p, list)
	return p, err
}

// TestServers: the number of API servers is odd, and one alone elects nobody.
func TestServers(t *testing.T) {
	for followers, want := range map[string]int{"0": 1, "1": 3, "2": 3, "3": 5, "4": 5} { // unordered: each by itself
		p, err := set("followers=" + followers)
		if err != nil {
			t.Fatal(err)
		}
		if got := Store.Lanes(p)[0]; len(got) != want || got[0] != "apiserver1" {
			t.Errorf("followers=%s: %v", followers, got)
		}
		if traits := Store.Traits(p); traits.Elects != (want > 1) || traits.LocalReads != (want > 1) {
			t.Errorf("followers=%s: %+v", followers, traits)
		}
	}
	if _, err := set("followers=5"); err == nil {
		t.Error("followers=5 is possible")
	}
}

// TestCacheLag: the lag of the caches is a setting.
func TestCacheLag(t *testing.T) {
	p, err := set("cache-lag=250", "rejections=3")
	if err != nil || cacheLag.Of(p) != 250 || p.Faults.Of(Rejections) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
}
