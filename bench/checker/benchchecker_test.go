package main

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestMeasure: every history is judged by both, and as it should be.
func TestMeasure(t *testing.T) {
	b := bench{limit: 100 * time.Millisecond, divide: 100, progress: func(string) {}}
	rows, err := b.measure()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !r.decided || r.calls == 0 {
			t.Errorf("%+v", r)
		}
	}
	if page := table(rows); strings.Count(page, "\n") != len(rows)+1 {
		t.Errorf("%d rows:\n%s", len(rows), page)
	}
}

// TestComplaints: a promise that is not kept is said.
func TestComplaints(t *testing.T) {
	good := []row{
		{name: "a", ratio: true, decided: true, monitor: 1, search: 100},
		{name: "b", flat: true, decided: true, monitor: 2},
		{name: "c", flat: true, decided: true, pending: 4, monitor: 20},
	}
	if list := complaints(good); len(list) != 0 {
		t.Errorf("%q", list)
	}
	for i, spoil := range []func(*row){
		func(r *row) { r.search = 99 },
		func(r *row) { r.decided = false },
		func(r *row) { r.monitor = 21 },
	} {
		bad := append([]row(nil), good...)
		spoil(&bad[i])
		if list := complaints(bad); len(list) != 1 || !strings.HasPrefix(list[0], bad[i].name) {
			t.Errorf("%d: %q", i, list)
		}
	}
}

func TestIllegal(t *testing.T) {
	spec := model.Spec{Kind: model.KindMutex}
	calls := illegal(5, 3)
	for i := range calls {
		if err := spec.Check(&calls[i]); err != nil {
			t.Error(err)
		}
	}
}

func TestPublishedLines(t *testing.T) {
	for _, test := range []struct {
		line  string
		parse func(string) (parsed, bool)
		want  parsed
	}{
		{"INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]", etcdLine, parsed{process: "0", kind: "invoke", op: "cas", value: "[1 2]"}},
		{`{:process 3, :type :ok, :f :get, :key "4", :value "x y"}`, kvLine, parsed{"3", "ok", "get", "4", "x y"}},
	} {
		if got, ok := test.parse(test.line); !ok || got != test.want {
			t.Errorf("%q: %+v", test.line, got)
		}
	}
}
