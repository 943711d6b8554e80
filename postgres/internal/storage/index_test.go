package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// An index has its entries in the order of its columns, nulls last in ascending order, and those with equal keys in the
// order of their places; a version with the same keys stays at the place of the one that it replaces.
func TestRange(t *testing.T) {
	w := newWorld(t)
	tab := w.table("t", []string{"id", "a", "b"})
	p := w.player("p")
	null := types.Value(nil)
	n := func(i int64) types.Value { return i }
	bound := func(i int64) *types.Value { v := n(i); return &v }
	p.start(func() (string, error) {
		p.Begin(Characteristics{})
		for i, row := range [][]types.Value{{n(2), n(5)}, {n(1), null}, {n(1), n(7)}, {n(2), n(9)}, {n(1), n(3)}, {null, n(1)}, {n(2), n(5)}, {n(1), n(8)}} {
			if _, err := p.Insert(tab, []types.Value{n(int64(i)), row[0], row[1]}); err != nil {
				return "", err
			}
		}
		return "", p.Commit()
	})
	p.Begin(Characteristics{})
	create := func(name string, down bool) *Index {
		ix := &Index{Name: name, Table: tab, Columns: []int{1, 2}, Uses: []int{1, 2, 0}[:2], Types: []types.OID{types.Int4OID, types.Int4OID}, Texts: []string{"a", "b"},
			Descending: []bool{down, down}, Partial: true,
			Key: func(row []types.Value) ([]types.Value, bool, error) { return row[1:3], row[2] != n(8), nil }}
		if err := p.CreateIndex(ix); err != nil {
			t.Fatal(err)
		}
		return ix
	}
	up, down := create("up", false), create("down", true)
	p.NextCommand()
	s, _ := p.Snapshot()
	for u := range tab.Indexes[0].Scan(s, Range{Equal: []types.Value{n(0)}}) {
		if _, _, err := p.Update(s, u, u.Row); err != nil {
			t.Fatal(err)
		}
	}
	p.NextCommand()
	s, _ = p.Snapshot()
	for _, c := range []struct {
		ix   *Index
		r    Range
		want string
	}{
		{up, Range{}, "4 2 1 0 6 3 5"},
		{up, Range{Backward: true}, "5 3 6 0 1 2 4"},
		{down, Range{}, "5 3 0 6 1 2 4"},
		{up, Range{Equal: []types.Value{n(1)}}, "4 2 1"},
		{up, Range{Equal: []types.Value{n(1)}, Nulls: true}, "1"},
		{up, Range{Equal: []types.Value{n(1)}, NotNull: true}, "4 2"},
		{up, Range{Equal: []types.Value{null}}, ""},
		{up, Range{Nulls: true}, "5"},
		{up, Range{Equal: []types.Value{n(2), n(5)}}, "0 6"},
		{up, Range{Equal: []types.Value{n(2)}, Low: bound(5), OpenLow: true}, "3"},
		{up, Range{Equal: []types.Value{n(2)}, Low: bound(5)}, "0 6 3"},
		{down, Range{Equal: []types.Value{n(2)}, High: bound(9), OpenHigh: true}, "0 6"},
		{up, Range{High: bound(1)}, "4 2 1"},
	} {
		var got []string
		for u := range c.ix.Scan(s, c.r) {
			got = append(got, fmt.Sprint(u.Row[0]))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %+v: got %v, want %s", c.ix.Name, c.r, got, c.want)
		}
	}
	unique := &Index{Name: "unique", Table: tab, Unique: true, Columns: []int{1}, Uses: []int{1}, Types: []types.OID{types.Int4OID}, Texts: []string{"a"},
		Key: func(row []types.Value) ([]types.Value, bool, error) { return row[1:2], true, nil }}
	if got := failure(p.CreateIndex(unique)); got != `23505 could not create unique index "unique": Key (a)=(1) is duplicated.` {
		t.Error(got)
	}
	if slices.Contains(tab.Indexes, unique) {
		t.Error("an index is there that could not be created")
	}
}
