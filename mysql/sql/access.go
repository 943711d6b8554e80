package sql

import (
	"slices"
	"strings"
)

// span is a part of an index: the records whose keys are between two bounds, by their
// first columns.
type span struct {
	index                *index
	low, high            []Value // beginnings of keys; nil if there is no bound
	aboveLow, beforeHigh bool    // the bound itself is excluded
	exact                bool    // both bounds are the same beginning of a key
	wholeKey             bool    // and it has all of the index's columns
}

// path is the way in which a statement reads a table: an index, and its spans.
type path struct {
	index *index
	spans []span
	// constant are the columns that have the same value in all wanted rows.
	constant []int
}

// term is a condition that compares a column with a value that does not depend on the row.
type term struct {
	column int
	op     string // =, <, <=, >, >=, in
	values []Value
}

// access chooses the path for a condition. It prefers a whole unique key, then the clustered index,
// then another index, then all rows.
func access(t *table, where Expr, c *scope) (path, error) {
	terms, err := conjuncts(t, where, c)
	if err != nil {
		return path{}, err
	}
	p := choose(t, terms)
	for _, x := range terms {
		if x.op == "=" {
			p.constant = append(p.constant, x.column)
		}
	}
	return p, nil
}

func choose(t *table, terms []term) path {
	for _, ix := range t.indexes {
		if key := ix.equal(terms); ix.unique && len(key) > 0 && len(key) == len(ix.columns) && !slices.ContainsFunc(key, isNullValue) {
			return path{index: ix, spans: []span{{index: ix, low: key, high: key, exact: true, wholeKey: true}}}
		}
	}
	for _, ix := range t.indexes {
		if spans := ix.spans(terms); spans != nil {
			return path{index: ix, spans: spans}
		}
	}
	return wholeTable(t)
}

// wholeTable reads all rows.
func wholeTable(t *table) path {
	return path{index: t.clustered(), spans: []span{{index: t.clustered()}}}
}

// isOrdered reports whether rows are read in this order. Columns with the same value in all rows do not
// matter for it.
func (p *path) isOrdered(list []ordering) bool {
	columns := slices.DeleteFunc(slices.Clone(p.index.columns), p.isConstant)
	for _, o := range list {
		column := columnOf(p.index.table, o.expr)
		switch {
		case p.isConstant(column):
			continue
		case o.down || len(columns) == 0 || columns[0] != column:
			return false
		}
		columns = columns[1:]
	}
	return true
}

func (p *path) isConstant(column int) bool { return slices.Contains(p.constant, column) }

// conjuncts returns the terms that all have to hold.
func conjuncts(t *table, e Expr, c *scope) (list []term, err error) {
	b, isBinary := e.(*operation)
	if isBinary && b.op == "and" {
		if list, err = conjuncts(t, b.a, c); err != nil {
			return nil, err
		}
		more, err := conjuncts(t, b.b, c)
		return append(list, more...), err
	}
	switch e := e.(type) {
	case *inList:
		if column := columnOf(t, e.x); column >= 0 && !e.not {
			return termOf(t, column, "in", e.list, c)
		}
	case *between:
		column := columnOf(t, e.x)
		if column < 0 {
			return nil, nil
		}
		if list, err = termOf(t, column, ">=", []Expr{e.low}, c); err != nil {
			return nil, err
		}
		more, err := termOf(t, column, "<=", []Expr{e.high}, c)
		return append(list, more...), err
	}
	if !isBinary || !slices.Contains([]string{"=", "<", "<=", ">", ">="}, b.op) {
		return nil, nil
	}
	if column := columnOf(t, b.a); column >= 0 {
		return termOf(t, column, b.op, []Expr{b.b}, c)
	}
	if column := columnOf(t, b.b); column >= 0 {
		mirrored := map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
		return termOf(t, column, mirrored[b.op], []Expr{b.a}, c)
	}
	return nil, nil
}

// columnOf returns the column of an expression that is a column, and -1 otherwise.
func columnOf(t *table, e Expr) int {
	if r, is := e.(*ColumnRef); is {
		return t.column(r.Name)
	}
	return -1
}

func termOf(t *table, column int, op string, exprs []Expr, c *scope) ([]term, error) {
	x := term{column: column, op: op}
	for _, e := range exprs {
		if anyPart(e, func(e Expr) bool { _, is := e.(*ColumnRef); return is }) {
			return nil, nil
		}
		v, err := eval(e, c)
		if err != nil {
			return nil, err
		}
		stored, ok := indexable(t.collation, t.columns[column], v)
		if !ok {
			return nil, nil
		}
		x.values = append(x.values, stored)
	}
	return []term{x}, nil
}

// indexable returns a value as the column stores it, if an index can find it.
func indexable(texts Collation, c *Column, v Value) (Value, bool) {
	if v.Kind == Null || c.Type.Base == v.Kind {
		return v, true
	}
	if c.Type.Base == Text { // numbers are compared as numbers, which no index of texts helps
		return v, false
	}
	stored, err := c.convert(v)
	return stored, err == nil && texts.Compare(stored, v) == 0
}

// equal returns the values that the first columns of the index must have.
func (ix *index) equal(terms []term) (key []Value) {
	for _, place := range ix.columns {
		i := slices.IndexFunc(terms, func(x term) bool { return x.column == place && x.op == "=" })
		if i < 0 {
			break
		}
		key = append(key, terms[i].values[0])
	}
	return key
}

// spans returns the parts of the index that conditions leave; nil if they do not concern it. In an
// index other than the clustered one only equality counts.
func (ix *index) spans(terms []term) []span {
	key := ix.equal(terms)
	if len(key) == len(ix.columns) {
		if len(key) == 0 {
			return nil
		}
		return []span{{index: ix, low: key, high: key, exact: true, wholeKey: true}}
	}
	rest := ix.columns[len(key)]
	if i := slices.IndexFunc(terms, func(x term) bool { return x.column == rest && x.op == "in" }); i >= 0 && ix.isClustered() {
		return ix.several(key, terms[i].values)
	}
	s, bound := span{index: ix, low: key, high: key, exact: len(key) > 0}, false
	if ix.isClustered() {
		bound = s.narrow(key, rest, terms)
	}
	if len(key) == 0 && !bound {
		return nil
	}
	return []span{s}
}

// several returns the spans of a list of values of one column, in the order of the index.
func (ix *index) several(key, values []Value) (list []span) {
	values = slices.DeleteFunc(slices.Clone(values), isNullValue)
	texts := ix.table.collation
	slices.SortFunc(values, texts.order)
	values = slices.CompactFunc(values, func(a, b Value) bool { return texts.order(a, b) == 0 })
	for _, v := range values {
		k := append(slices.Clone(key), v)
		list = append(list, span{index: ix, low: k, high: k, exact: true, wholeKey: len(k) == len(ix.columns)})
	}
	if list == nil {
		list = []span{}
	}
	return list
}

// narrow bounds a span by the conditions on the column after the equal ones.
func (s *span) narrow(key []Value, column int, terms []term) (bound bool) {
	for _, x := range terms {
		if x.column != column || x.op == "=" || x.op == "in" {
			continue
		}
		k := append(slices.Clone(key), x.values[0])
		bound, s.exact = true, false
		if strings.HasPrefix(x.op, ">") {
			if len(s.low) == len(key) || s.index.order(k, s.low) >= 0 {
				s.low, s.aboveLow = k, x.op == ">"
			}
		} else if len(s.high) == len(key) || s.index.order(k, s.high) <= 0 {
			s.high, s.beforeHigh = k, x.op == "<"
		}
	}
	return bound
}

// isBefore reports whether a key is before the span.
func (s *span) isBefore(key []Value) bool {
	c := s.index.order(key, s.low)
	return c < 0 || c == 0 && s.aboveLow
}

// isAfter reports whether a key is after the span.
func (s *span) isAfter(key []Value) bool {
	c := s.index.order(key, s.high)
	return c > 0 || c == 0 && s.beforeHigh
}
