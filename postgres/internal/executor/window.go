package executor

import (
	"reflect"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// window is row_number() OVER (...), the only window function.
type window struct {
	source    *syntax.Window
	partition []*value
	order     []sortKey // with the partition's columns before
}

// rowNumber analyses row_number() OVER (...).
func (s *scope) rowNumber(x *syntax.Call) (*value, error) {
	if x.Name != "row_number" || len(x.Args) > 0 || x.Filter != nil {
		return nil, pgerror.Lacks("the window function %s", x.Name).At(x.Position())
	}
	if s.aggs == nil || s.clause != "" {
		return nil, pgerror.New(pgerror.WindowingError, "window functions are not allowed in %s", s.clause).At(x.Position())
	}
	i := slices.IndexFunc(s.windows, func(w *window) bool { return sameTree(reflect.ValueOf(w.source), reflect.ValueOf(x.Over)) })
	if i < 0 {
		if len(s.windows) > 0 {
			return nil, pgerror.Lacks("several windows in one query").At(x.Position())
		}
		w := &window{source: x.Over}
		for _, p := range x.Over.Partition {
			v, err := s.windowKey(p)
			if err != nil {
				return nil, err
			}
			w.partition = append(w.partition, v)
			w.order = append(w.order, sortKey{value: v, target: -1})
		}
		for _, o := range x.Over.OrderBy {
			v, err := s.windowKey(o.Expr)
			if err != nil {
				return nil, err
			}
			w.order = append(w.order, sortKey{value: v, target: -1, desc: o.Desc, nullsFirst: o.NullsFirst})
		}
		s.windows = append(s.windows, w)
	}
	var parts []*value
	for _, k := range s.windows[0].order {
		parts = append(parts, k.value)
	}
	return made(types.Int8OID, x.Position(), 1, func(e *env) (types.Value, error) { return e.number, nil }, parts...), nil
}

// windowKey analyses an expression of a window.
func (s *scope) windowKey(x syntax.Expr) (*value, error) {
	v, err := s.expr(x)
	if err != nil {
		return nil, err
	}
	if v, err = s.a.known(v); err != nil {
		return nil, err
	}
	if err := types.Comparable(v.typ); err != nil {
		return nil, pgerror.From(err).At(v.pos)
	}
	return v, nil
}

// numbered sorts the rows by the window, and numbers those of each partition.
func (w *window) numbered(e *env, read cursor) (cursor, error) {
	by := &query{order: w.order}
	sorted, err := by.sorted(e, read)
	if err != nil {
		return nil, err
	}
	var ts []types.OID
	for _, v := range w.partition {
		ts = append(ts, v.typ)
	}
	var last []types.Value
	n := int64(0)
	return func() (bool, error) {
		ok, err := sorted()
		if !ok || err != nil {
			return false, err
		}
		now, err := evalAll(e, w.partition)
		if err != nil {
			return false, err
		}
		if last == nil || !sameValues(ts, last, now) {
			n = 0
		}
		last = now
		n++
		e.number = n
		return true, nil
	}, nil
}
