package executor

import (
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// rte is an entry of the range table: a table of a level of a statement, or what serves as one.
type rte struct {
	place    int // in the environment of its level
	alias    string
	schema   string
	columns  []Column
	places   []int          // of the columns in the rows
	table    *storage.Table // nil if it is none
	source   source         // of the rows, if it is no table
	rows     float64        // how many are expected
	rels     relSet         // the tables of its level that its rows depend on
	volatile bool
	lateral  bool   // it is evaluated again for each row before it
	query    *query // of a query in FROM
	single   bool   // it is a function with one column
	kind     string // for errors, if it is neither a table nor a query: "a function"
	system   bool   // it has system columns
}

func (r *rte) set() relSet { return 1 << r.place }

// source returns the rows of something that is no table.
type source func(e *env) (rows, error)

// rows returns one row after the other, and nil at the end.
type rows func() ([]types.Value, error)

// nsItem is what a part of FROM adds to the names.
type nsItem struct {
	alias   string // of the table; empty for a join without one
	schema  string
	rte     *rte // nil for a join
	columns []nsColumn
	// Qualified: columns may be named with the table. Bare: they may be named alone.
	qualified, bare bool
}

// nsColumn is a column by its name.
type nsColumn struct {
	name string
	rte  *rte
	n    int // its place among the columns of that
}

// make returns the value of the column.
func (c nsColumn) make(level, pos int) *value { return c.rte.ref(c.n, level, pos) }

// scope has the names at a level of a statement.
type scope struct {
	a       *analysis
	outer   *scope
	rtes    []*rte
	items   []*nsItem
	ctes    []*cte
	refs    []relSet // the tables of the levels around that something here depends on, the nearest first
	aggs    *aggregation
	clause  string // for errors about aggregates
	srf     *expansion
	windows []*window
}

// inner returns a scope for a query within s.
func (s *scope) inner() *scope { return &scope{a: s.a, outer: s} }

// add adds a table to the range table.
func (s *scope) add(r *rte) (*rte, error) {
	if len(s.rtes) == 64 {
		return nil, pgerror.Lacks("more than 64 tables in one query")
	}
	r.place = len(s.rtes)
	if r.places == nil {
		for i := range r.columns {
			r.places = append(r.places, i)
		}
	}
	s.rtes = append(s.rtes, r)
	return r, nil
}

// item returns the names that a table adds.
func (r *rte) item() *nsItem {
	it := &nsItem{alias: r.alias, schema: r.schema, rte: r, qualified: true, bare: true, columns: make([]nsColumn, len(r.columns))}
	for i, c := range r.columns {
		it.columns[i] = nsColumn{c.Name, r, i}
	}
	return it
}

// ref returns the value of a column.
func (r *rte) ref(i, level, pos int) *value {
	c, place, n := r.columns[i], r.place, r.places[i]
	ref := &columnRef{rte: r, level: level, n: i, pos: pos}
	v := &value{typ: c.Type, mod: c.Mod, pos: pos, column: ref, name: c.Name, outer: level}
	if level == 0 {
		v.rels, v.bare = r.set(), []*columnRef{ref}
	}
	v.eval = func(e *env) (types.Value, error) {
		row := e.up(level).rows[place]
		if n >= len(row) {
			return nil, nil // no row of an outer join, or a column that is younger than the row
		}
		return row[n], nil
	}
	return v
}

// introduce makes names visible. A table's name may be there only once.
func (s *scope) introduce(items ...*nsItem) error {
	for _, it := range items {
		for _, have := range s.items {
			if it.alias != "" && it.qualified && have.qualified && have.alias == it.alias && (have.schema == it.schema || have.schema == "" || it.schema == "") {
				return pgerror.New(pgerror.DuplicateAlias, "table name %q specified more than once", it.alias)
			}
		}
		s.items = append(s.items, it)
	}
	return nil
}

// escape notes that something in this scope refers to a table of a level around it.
func (s *scope) escape(level int, set relSet) {
	for ; level > 0; level-- {
		for len(s.refs) < level {
			s.refs = append(s.refs, 0)
		}
		s.refs[level-1] |= set
		s = s.outer
	}
}

// column finds what a name with its qualification means.
func (s *scope) column(ref *syntax.ColumnRef) (*value, error) {
	pos := ref.Position()
	table, schema, name := "", "", ref.Parts[len(ref.Parts)-1]
	switch len(ref.Parts) {
	case 1:
	case 2:
		table = ref.Parts[0]
	case 3:
		schema, table = ref.Parts[0], ref.Parts[1]
	default:
		return nil, pgerror.Lacks("the name %s", strings.Join(ref.Parts, "."))
	}
	if table != "" {
		return s.qualified(schema, table, name, pos)
	}
	level := 0
	for at := s; at != nil; at, level = at.outer, level+1 {
		var found *value
		for _, it := range at.items {
			if !it.bare {
				continue
			}
			v, err := it.find(name, level, pos)
			if err != nil {
				return nil, err
			}
			if v == nil {
				continue
			}
			if found != nil {
				return nil, pgerror.New(pgerror.AmbiguousColumn, "column reference %q is ambiguous", name).At(pos)
			}
			found = v
		}
		if found != nil {
			s.escape(level, setOf(found))
			return found, nil
		}
	}
	if it, level := s.lookup("", name); it != nil && it.rte != nil {
		return s.wholeRow(it, level, pos)
	}
	return nil, pgerror.New(pgerror.UndefinedColumn, "column %q does not exist", name).At(pos)
}

// setOf returns the tables that a reference depends on, at its level.
func setOf(v *value) relSet {
	if v.column != nil {
		return v.column.rte.set()
	}
	return v.rels
}

// lookup finds a table by its name.
func (s *scope) lookup(schema, table string) (*nsItem, int) {
	level := 0
	for at := s; at != nil; at, level = at.outer, level+1 {
		for _, it := range at.items {
			if it.qualified && it.alias == table && (schema == "" || it.schema == schema) {
				return it, level
			}
		}
	}
	return nil, 0
}

// qualified finds a column of a table.
func (s *scope) qualified(schema, table, name string, pos int) (*value, error) {
	it, level := s.lookup(schema, table)
	if it == nil {
		return nil, s.noTable(table, pos)
	}
	v, err := it.find(name, level, pos)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, pgerror.New(pgerror.UndefinedColumn, "column %s.%s does not exist", table, name).At(pos)
	}
	s.escape(level, setOf(v))
	return v, nil
}

// noTable is the error about a table that is not in FROM, or not visible.
func (s *scope) noTable(table string, pos int) error {
	for at := s; at != nil; at = at.outer {
		for _, r := range at.rtes {
			if r.alias == table || r.table != nil && r.table.Name == table {
				return pgerror.New(pgerror.UndefinedTable, "invalid reference to FROM-clause entry for table %q", table).At(pos)
			}
		}
	}
	return pgerror.New(pgerror.UndefinedTable, "missing FROM-clause entry for table %q", table).At(pos)
}

// find finds a column by its name, or nil.
func (it *nsItem) find(name string, level, pos int) (*value, error) {
	var found *value
	for _, c := range it.columns {
		if c.name != name {
			continue
		}
		if found != nil {
			return nil, pgerror.New(pgerror.AmbiguousColumn, "column reference %q is ambiguous", name).At(pos)
		}
		found = c.make(level, pos)
	}
	if found == nil && it.rte != nil && it.rte.system {
		return it.rte.systemColumn(name, level, pos)
	}
	return found, nil
}

// systemColumn returns a column that each table has.
func (r *rte) systemColumn(name string, level, pos int) (*value, error) {
	var read func(t *storage.Tuple) types.Value
	typ := types.XIDOID
	switch name {
	case "xmin":
		read = func(t *storage.Tuple) types.Value { return t.Xmin() }
	case "xmax":
		read = func(t *storage.Tuple) types.Value { return t.Xmax() }
	case "tableoid":
		typ = types.OIDOID
		read = func(t *storage.Tuple) types.Value { return int64(t.Table().OID) }
	case "ctid", "cmin", "cmax":
		return nil, pgerror.Lacks("the system column %s", name)
	default:
		return nil, nil
	}
	ref := &columnRef{rte: r, level: level, n: -1, pos: pos}
	v := &value{typ: typ, mod: -1, pos: pos, name: name, outer: level, column: ref}
	if level == 0 {
		v.rels, v.bare = r.set(), []*columnRef{ref}
	}
	v.eval = func(e *env) (types.Value, error) {
		t := e.up(level).tuples[r.place]
		if t == nil {
			return nil, nil
		}
		return read(t), nil
	}
	return v, nil
}

// wholeRow returns the row of a table as one value.
func (s *scope) wholeRow(it *nsItem, level, pos int) (*value, error) {
	if len(it.columns) == 1 && it.rte.table == nil && it.rte.columns[0].Name == it.alias {
		v := it.columns[0].make(level, pos)
		s.escape(level, setOf(v))
		return v, nil
	}
	return nil, pgerror.Lacks("the whole row of %s as a value", it.alias)
}

// star returns all columns of the visible tables, or of one.
func (s *scope) star(ref *syntax.ColumnRef) ([]*value, error) {
	var list []*value
	if len(ref.Parts) == 0 {
		for _, it := range s.items {
			if it.bare {
				list = append(list, it.all(0, ref.Position())...)
			}
		}
		if len(s.items) == 0 {
			return nil, pgerror.New(pgerror.SyntaxError, "SELECT * with no tables specified is not valid").At(ref.Position())
		}
		return list, nil
	}
	table, schema := ref.Parts[len(ref.Parts)-1], ""
	if len(ref.Parts) > 1 {
		schema = ref.Parts[len(ref.Parts)-2]
	}
	it, level := s.lookup(schema, table)
	if it == nil {
		return nil, s.noTable(table, ref.Position())
	}
	list = it.all(level, ref.Position())
	for _, v := range list {
		s.escape(level, setOf(v))
	}
	return list, nil
}

// all returns all columns of a table.
func (it *nsItem) all(level, pos int) (list []*value) {
	for _, c := range it.columns {
		v := c.make(level, pos)
		v.name = c.name
		list = append(list, v)
	}
	return list
}
