package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// createIndex is CREATE INDEX.
func (a *analysis) createIndex(st *syntax.CreateIndex) error {
	mode := storage.ShareLock
	if st.Concurrently {
		if a.session.InBlock() {
			return pgerror.New(pgerror.ActiveTransaction, "CREATE INDEX CONCURRENTLY cannot run inside a transaction block")
		}
		mode = storage.ShareUpdateExclusive
	}
	if st.NullsNotDistinct {
		return pgerror.Lacks("NULLS NOT DISTINCT")
	}
	t, err := a.openIfExists(st.Table, mode)
	if err != nil {
		return err
	}
	if t == nil {
		return a.noTable(st.Table)
	}
	name := st.Name
	if name == "" {
		name = a.freeName(t.Schema, t.Name, strings.Join(indexColumns(st.Elems), "_"), "idx")
	} else if _, there := a.relation(syntax.Name{Schema: t.Schema, Name: name}); there {
		if st.IfNotExists {
			a.notice(pgerror.DuplicateTable, "relation %q already exists, skipping", name)
			return nil
		}
		return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", name)
	}
	if st.Concurrently {
		// PostgreSQL waits until no transaction writes that does not know the index.
		if err := a.backend.WaitForLockers(t, storage.ShareLock); err != nil {
			return err
		}
	}
	ix, err := a.newIndex(t, name, st.Elems, st.Where)
	if err != nil {
		return err
	}
	info := ix.Info.(indexInfo)
	info.Method = st.Method
	ix.Info, ix.Unique = info, st.Unique
	if err := a.backend.CreateIndex(ix); err != nil || !st.Concurrently {
		return err
	}
	return a.backend.WaitForSnapshots() // an error leaves no index here, and one that is not valid in PostgreSQL
}

// indexColumns returns the names of an index's columns, by which it is named itself.
func indexColumns(elems []syntax.IndexElem) (names []string) {
	for _, el := range elems {
		name := el.Column
		if name == "" {
			if name, _ = figureName(el.Expr); name == "" {
				name = "expr"
			}
		}
		for n, base := 1, name; slices.Contains(names, name); n++ {
			name = base + string(rune('0'+n))
		}
		names = append(names, name)
	}
	return names
}

// newIndex makes an index of its columns and expressions, and its predicate.
func (a *analysis) newIndex(t *storage.Table, name string, elems []syntax.IndexElem, where syntax.Expr) (*storage.Index, error) {
	ix := &storage.Index{Name: name, Table: t, Partial: where != nil}
	info := indexInfo{Where: where, Elems: elems}
	s := a.rowScope(t)
	var parts []*value
	for _, el := range elems {
		x := el.Expr
		if x == nil {
			x = &syntax.ColumnRef{Parts: []string{el.Column}}
		}
		v, err := s.expr(x)
		if err != nil {
			return nil, err
		}
		if v, err = a.known(v); err != nil {
			return nil, err
		}
		place, text := -1, exprText(x)
		if v.column != nil && v.column.n >= 0 {
			place, text = v.column.rte.places[v.column.n], ""
			ix.Texts = append(ix.Texts, quoteName(t.Columns[place].Name))
		} else {
			ix.Texts = append(ix.Texts, shownExpr(t, x))
		}
		if v.volatile {
			return nil, pgerror.New("42P17", "functions in index expression must be marked IMMUTABLE")
		}
		parts = append(parts, v)
		ix.Columns, info.Exprs = append(ix.Columns, place), append(info.Exprs, text)
		ix.Types, ix.Descending, ix.NullsFirst = append(ix.Types, v.typ), append(ix.Descending, el.Desc), append(ix.NullsFirst, el.NullsFirst)
	}
	pred, err := s.where(where, "index predicate")
	if err != nil {
		return nil, err
	}
	ix.Uses = columnsOf(append(slices.Clone(parts), pred...))
	ix.Key = indexKey(ix.Columns, parts, pred)
	ix.Info = info
	return ix, nil
}

// indexKey returns the function that makes the key of a row. That of columns alone leads to nothing else.
func indexKey(places []int, parts, pred []*value) func(row []types.Value) ([]types.Value, bool, error) {
	if len(pred) == 0 && !slices.Contains(places, -1) {
		return func(row []types.Value) ([]types.Value, bool, error) {
			key := make([]types.Value, len(places))
			for i, place := range places {
				key[i] = at(row, place)
			}
			return key, true, nil
		}
	}
	return func(row []types.Value) ([]types.Value, bool, error) {
		e := (&env{run: &run{once: map[*subplan]*once{}}}).rowEnv(row)
		if ok, err := allTrue(e, pred); !ok || err != nil {
			return nil, false, err
		}
		key := make([]types.Value, len(parts))
		for i, place := range places {
			if place >= 0 {
				key[i] = at(row, place)
				continue
			}
			x, err := parts[i].eval(e)
			if err != nil {
				return nil, false, err
			}
			key[i] = x
		}
		return key, true, nil
	}
}

// shownExpr writes the expression of an index as errors show it: a column of type varchar is cast to text for a function.
func shownExpr(t *storage.Table, x syntax.Expr) string {
	call, ok := x.(*syntax.Call)
	if !ok {
		return exprText(x)
	}
	var args []string
	for _, arg := range call.Args {
		text := exprText(arg)
		for _, c := range t.Columns {
			if ref, ok := arg.(*syntax.ColumnRef); ok && c.Name == ref.Parts[0] && c.Type == types.VarcharOID {
				text += "::text"
			}
		}
		args = append(args, text)
	}
	return call.Name + "(" + strings.Join(args, ", ") + ")"
}
