package stage

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// plain is a store of which a test sets what it needs.
type plain struct{ *details }

type details struct {
	id     string
	shape  []Setting
	timing Timing
	traits Traits
}

func (s plain) ID() string { return s.id }
func (s plain) Terms() Terms {
	return Terms{Terms: model.Terms{Store: strings.ToUpper(s.id), Node: s.id + " node", Follower: s.id + " follower", Record: "key", Serving: "leader"}, Kept: []string{"whole"}}
}
func (s plain) Shape() []Setting                                          { return s.shape }
func (s plain) Faults() []*Fault                                          { return nil }
func (s plain) Traits(Params) Traits                                      { return s.traits }
func (s plain) Timing() Timing                                            { return s.timing }
func (s plain) Lanes(Params) [][]string                                   { return [][]string{{s.id + "1"}} }
func (s plain) Build(*sim.World, Params, func(model.Observation)) Cluster { return Cluster{{}} }
func (s plain) Versions() map[string]string                               { return map[string]string{s.id: "1"} }

func followers(name string, low, high int, needs string) Setting {
	d := Setting{Name: name, Min: low, Max: high, About: name + " it has", Field: func(p *Params) *int { return &p.Followers }}
	if needs != "" {
		d.Needs = func(Params) string { return needs }
	}
	return d
}

func a(id string, shape ...Setting) plain { return plain{&details{id: id, shape: shape}} }

func TestTogetherSettings(t *testing.T) {
	pool := Setting{Name: PoolSize, Max: 16, About: "connections"}
	servers := Setting{Name: "replicas", Max: 3, Field: func(p *Params) *int { return &p.Servers }}
	for _, test := range []struct {
		name   string
		stores []Store
		want   string // name low-high: about, of each setting
		err    string
	}{
		{name: "each its own", stores: []Store{a("x", pool), a("y", followers("followers", 2, 6, ""))},
			want: "connections 0-16: connections | followers 2-6: followers it has"},
		{name: "one field", stores: []Store{a("x", followers("replicas", 0, 8, "")), a("y", followers("followers", 2, 6, ""))},
			want: "replicas 2-6: X: replicas it has; Y: followers it has"},
		{name: "one field of three", stores: []Store{a("x", followers("replicas", 0, 8, "")), a("y", followers("followers", 2, 6, "")), a("z", followers("replicas", 1, 5, ""))},
			want: "replicas 2-5: X: replicas it has; Y: followers it has; Z: replicas it has"},
		{name: "a common one", stores: []Store{a("x", pool), a("y", pool)}, want: "connections 0-16: X: connections; Y: connections"},
		{name: "one name for two fields", stores: []Store{a("x", followers("replicas", 0, 8, "")), a("y", servers)},
			err: "the setting replicas of y is another one than that of x"},
		{name: "one name, a field and none", stores: []Store{a("x", followers(PoolSize, 0, 8, "")), a("y", pool)},
			err: "the setting connections of y is another one than that of x"},
		{name: "one name, other values", stores: []Store{a("x", pool), a("y", Setting{Name: PoolSize, Max: 2, Names: []string{"few", "many"}})},
			err: "the setting connections of y is another one than that of x"},
		{name: "no common value", stores: []Store{a("x", followers("replicas", 0, 1, "")), a("y", followers("followers", 2, 6, ""))},
			err: "no value of the setting replicas fits x and y: one wants at least 2, and the other at most 1"},
		{name: "none", err: "there is no store"},
		{name: "a hole", stores: []Store{a("x"), nil}, err: "store 2 is nil"},
		{name: "twice", stores: []Store{a("x"), a("y"), a("x")}, err: "the store x is there twice"},
		{name: "many", stores: []Store{a("a"), a("b"), a("c"), a("d"), a("e"), a("f"), a("g")}, err: "there are 7 stores, and at most 6 are possible"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Together(test.stores...)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range s.Shape() {
				got = append(got, d.Name+" "+d.Text(d.Min)+"-"+d.Text(d.Max)+": "+d.About)
			}
			if text := strings.Join(got, " | "); text != test.want {
				t.Errorf("%s\nwant %s", text, test.want)
			}
		})
	}
}

// TestTogetherNeeds: what a setting needs is said in the words of the store that needs it.
func TestTogetherNeeds(t *testing.T) {
	s, err := Together(a("x", followers("replicas", 0, 8, "")), a("y", followers("replicas", 0, 8, "needs a {follower} of {store}")))
	if err != nil {
		t.Fatal(err)
	}
	err = SettingsOf(s, nil).Check(Params{Followers: 1})
	if err == nil || err.Error() != "replicas=1 needs a y follower of Y" {
		t.Errorf("error %v", err)
	}
}

// TestTogether: the whole is equal for equal lists, knows its parts, and has the neutral words and the
// longest times.
func TestTogether(t *testing.T) {
	x, y := a("x"), a("y")
	x.timing, y.timing = Timing{Usual: time.Second, Shortest: 3 * time.Second}, Timing{Usual: 2 * time.Second, Shortest: time.Second}
	x.traits, y.traits = Traits{Splits: true}, Traits{Sessions: true}
	one, _ := Together(x, y)
	again, _ := Together(x, y)
	other, _ := Together(y, x)
	if one != again || one == other {
		t.Errorf("%v: equal to the same stores %v, and in another order %v", one, one == again, one == other)
	}
	if alone, err := Together(x); err != nil || alone != Store(x) {
		t.Errorf("one store alone is %v, %v", alone, err)
	}
	if one.ID() != "x+y" || len(Parts(one)) != 2 || PartOf(one, Params{}, "y1") != Store(y) || PartOf(one, Params{}, "c1") != one {
		t.Errorf("%s of %v: y1 is of %v", one.ID(), Parts(one), PartOf(one, Params{}, "y1"))
	}
	if got := one.Timing(); got != (Timing{Usual: 2 * time.Second, Shortest: 3 * time.Second}) {
		t.Errorf("timing %+v", got)
	}
	if got := one.Traits(Params{}); !got.Splits || !got.Sessions || got.Moves {
		t.Errorf("traits %+v", got)
	}
	if text := one.Terms().Fill("{store}: a {node} without {record}"); text != "X and Y: a node without key" {
		t.Errorf("%q", text)
	}
	servers := one.Build(nil, Params{}, nil)
	if len(servers) != 2 || servers[1].Of != Store(y) || len(servers.Of("x")) != 1 {
		t.Errorf("servers %+v", servers)
	}
}
