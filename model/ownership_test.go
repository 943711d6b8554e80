package model_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestOwnership: what each view reads from a key, and what it leaves alone.
func TestOwnership(t *testing.T) {
	start := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	hash := func(items ...string) model.Stored { return model.Stored{Type: "hash", Items: items} }
	zset := func(items ...string) model.Stored { return model.Stored{Type: "zset", Items: items} }
	first := model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		return []model.Share{{Holder: r.Value.Names()[0], Count: 1}}, nil
	})
	for _, test := range []struct {
		name  string
		view  model.Ownership
		key   string
		value model.Stored
		want  []model.Share
		err   string
	}{
		{"a count for each holder", model.HashOwnership{}, "lock", hash("a", "2", "b b", "1"), []model.Share{{Key: "lock", Holder: "a", Count: 2}, {Key: "lock", Holder: "b b", Count: 1}}, ""},
		{"another key", model.HashOwnership{Key: "lock"}, "other", hash("a", "2"), nil, ""},
		{"no hash", model.HashOwnership{}, "lock", model.Stored{Type: "string", Text: "7"}, nil, ""},
		{"besides", model.HashOwnership{Besides: []string{"mode"}}, "lock", hash("mode", "read", "a", "1"), []model.Share{{Key: "lock", Holder: "a", Count: 1}}, ""},
		{"writers", model.HashOwnership{Writers: "w:", Readers: "r:"}, "lock", hash("w:a", "1", "r:b", "1"), []model.Share{{Key: "lock", Holder: "a", Count: 1, Write: true}, {Key: "lock", Holder: "b", Count: 1}}, ""},
		{"no count", model.HashOwnership{}, "lock", hash("a", "x"), nil, `field "a" of hash "lock" is "x": want a count`},
		{"ends", model.SortedSetOwnership{Start: start}, "permits", zset("p", "946684802500"), []model.Share{{Key: "permits", Holder: "p", Count: 1, Until: 2500 * time.Millisecond}}, ""},
		{"no sorted set", model.SortedSetOwnership{Start: start}, "permits", hash("p", "1"), nil, ""},
		{"no end", model.SortedSetOwnership{Start: start}, "permits", zset("p", "soon"), nil, `the score of "p" in sorted set "permits" is "soon": want milliseconds`},
		{"a function", first, "queue", model.Stored{Type: "list", Items: []string{"a", "b"}}, []model.Share{{Key: "queue", Holder: "a", Count: 1}}, ""},
	} {
		got, err := test.view.Shares([]model.Record{{Key: test.key, Value: test.value}})
		if message := ""; err != nil {
			if message = err.Error(); message != test.err {
				t.Errorf("%s: %v, want %q", test.name, err, test.err)
			}
			continue
		}
		if test.err != "" || len(got)+len(test.want) > 0 && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v %s", test.name, got, test.want, test.err)
		}
	}
}
