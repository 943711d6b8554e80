package model_test

import (
	"errors"
	"fmt"
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

// TestSequenceOwnership: the first of the records under a prefix, by either order.
func TestSequenceOwnership(t *testing.T) {
	records := func(of ...any) (list []model.Record) {
		for i := 0; i < len(of); i += 2 {
			list = append(list, model.Record{Key: of[i].(string), Revision: int64(of[i+1].(int))})
		}
		return list
	}
	for _, test := range []struct {
		name    string
		view    model.SequenceOwnership
		records []model.Record
		want    string
		err     string
	}{
		{"none", model.SequenceOwnership{Prefix: "/l/"}, records("/l", 0, "/m/n-1", 0), "", ""},
		{"by number, whatever the name", model.SequenceOwnership{Prefix: "/l/"}, records("/a-0", 0, "/l/a-0000000010", 0, "/l/b-0000000009", 0), "/l/b-0000000009 ", ""},
		{"digits in the name", model.SequenceOwnership{}, records("_c_77-n-0000000003", 0, "_c_9-n-0000000004", 0), "_c_77-n-0000000003 ", ""},
		{"by revision", model.SequenceOwnership{Prefix: "l/", ByRevision: true}, records("l/1", 30, "l/2", 7, "other", 1), "l/2 ", ""},
		{"two at a time", model.SequenceOwnership{ByRevision: true, Holders: 2}, records("a", 3, "b", 1, "c", 2), "b c ", ""},
		{"fewer than may", model.SequenceOwnership{ByRevision: true, Holders: 3}, records("a", 3), "a ", ""},
		{"no number", model.SequenceOwnership{}, records("n-1", 0, "n-", 0), "", `record "n-" does not end with a number`},
		{"no revision", model.SequenceOwnership{ByRevision: true}, records("n-1", 0), "", `record "n-1" has no revision`},
	} {
		shares, err := test.view.Shares(test.records)
		got := ""
		for _, s := range shares {
			got += s.Key + " "
			if s.Holder != s.Key || s.Count != 1 || s.Write || s.Until != 0 {
				t.Errorf("%s: %+v", test.name, s)
			}
		}
		if message := fmt.Sprint(err); got != test.want || err != nil && message != test.err || (err == nil) != (test.err == "") {
			t.Errorf("%s: %q %v, want %q %s", test.name, got, err, test.want, test.err)
		}
	}
}

// TestRecordOwnership: shares are in the order of the records, and name them.
func TestRecordOwnership(t *testing.T) {
	view := model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Value.Text == "unreadable" {
			return nil, errors.New(r.Key)
		}
		return []model.Share{{Holder: r.Value.Text}, {Holder: "all", Key: "ignored"}}, nil
	})
	record := func(key, value string) model.Record {
		return model.Record{Key: key, Value: model.Stored{Type: "string", Text: value}}
	}
	got, err := view.Shares([]model.Record{record("a", "x"), record("b", "y")})
	want := []model.Share{{Key: "a", Holder: "x"}, {Key: "a", Holder: "all"}, {Key: "b", Holder: "y"}, {Key: "b", Holder: "all"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := view.Shares([]model.Record{record("a", "x"), record("b", "unreadable")}); err == nil || err.Error() != "b" || got != nil {
		t.Errorf("%+v %v", got, err)
	}
}
