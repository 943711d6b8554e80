package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// catalogView is a table of PostgreSQL's catalog, or a view of it, as far as migration tools read it.
type catalogView struct {
	oid     int64
	schema  string
	columns []Column
	rows    func(a *analysis) [][]types.Value
}

// catalogViews are the tables by their names.
var catalogViews map[string]*catalogView

func init() {
	name, oid, boolean, number := types.NameOID, types.OIDOID, types.BoolOID, types.Int4OID
	catalogViews = map[string]*catalogView{
		"pg_class": {1259, "pg_catalog", view("oid", oid, "relname", name, "relnamespace", oid, "relkind", types.CharOID,
			"relpersistence", types.CharOID, "relhasindex", boolean, "relispartition", boolean), (*analysis).classRows},
		"pg_namespace": {2615, "pg_catalog", view("oid", oid, "nspname", name, "nspowner", oid), (*analysis).namespaceRows},
		"pg_tables": {12000, "pg_catalog", view("schemaname", name, "tablename", name, "tableowner", name, "tablespace", name,
			"hasindexes", boolean), (*analysis).tableRows},
		"pg_indexes": {12001, "pg_catalog", view("schemaname", name, "tablename", name, "indexname", name), (*analysis).indexRows},
		"pg_index": {2610, "pg_catalog", view("indexrelid", oid, "indrelid", oid, "indisunique", boolean, "indisprimary", boolean,
			"indisvalid", boolean, "indisready", boolean), (*analysis).indexInfoRows},
		"pg_attribute": {1249, "pg_catalog", view("attrelid", oid, "attname", name, "atttypid", oid, "attnum", types.Int2OID,
			"atttypmod", number, "attnotnull", boolean, "attisdropped", boolean), (*analysis).attributeRows},
		"pg_database": {1262, "pg_catalog", view("oid", oid, "datname", name), func(a *analysis) [][]types.Value {
			return [][]types.Value{{int64(5), a.session.Database()}}
		}},
		"tables": {12002, "information_schema", view("table_catalog", name, "table_schema", name, "table_name", name,
			"table_type", types.VarcharOID), (*analysis).informationTables},
		"columns": {12003, "information_schema", view("table_catalog", name, "table_schema", name, "table_name", name, "column_name", name,
			"ordinal_position", number, "is_nullable", types.VarcharOID, "data_type", types.VarcharOID, "udt_name", name), (*analysis).informationColumns},
		"schemata": {12004, "information_schema", view("catalog_name", name, "schema_name", name), func(a *analysis) (list [][]types.Value) {
			for _, s := range a.namespaces() {
				list = append(list, []types.Value{a.session.Database(), s.name})
			}
			return list
		}},
	}
}

// view makes columns of names and types.
func view(pairs ...any) (columns []Column) {
	for i := 0; i < len(pairs); i += 2 {
		columns = append(columns, Column{Name: pairs[i].(string), Type: pairs[i+1].(types.OID), Mod: -1})
	}
	return columns
}

// viewTable analyses a table of the catalog, or a view of the server; nil if the name is none of these.
func (s *scope) viewTable(x *syntax.Table) (*rte, error) {
	if x.Schema != "" && x.Schema != "pg_catalog" && x.Schema != "information_schema" {
		return nil, nil
	}
	r := &rte{alias: x.Name.Name, schema: x.Schema, kind: "a view", rows: 100}
	v := catalogViews[x.Name.Name]
	switch {
	case v != nil && (x.Schema == v.schema || x.Schema == "" && v.schema == "pg_catalog"):
		r.columns = v.columns
		r.source = func(e *env) (rows, error) {
			a, _ := newAnalysis(e.session, nil)
			return listed(v.rows(a)), nil
		}
	case x.Schema != "information_schema" && strings.HasPrefix(x.Name.Name, "pg_"):
		s.a.bound = true // the view is the session's
		sv := s.a.session.View(x.Name.Name)
		if sv == nil {
			if s.a.lookup(x.Name) != nil {
				return nil, nil
			}
			return nil, pgerror.Lacks("the table %s of the catalog", x.Name.Name).At(x.Pos)
		}
		r.columns, r.volatile = sv.Columns, true
		r.source = func(*env) (rows, error) {
			list, err := sv.Rows()
			return listed(list), err
		}
	case x.Schema != "":
		return nil, pgerror.Lacks("the table %s of the catalog", x.Name).At(x.Pos)
	default:
		return nil, nil
	}
	if err := r.rename(x.Alias); err != nil {
		return nil, err
	}
	return s.add(r)
}

// listed returns the rows of a list.
func listed(list [][]types.Value) rows {
	return func() ([]types.Value, error) {
		if len(list) == 0 {
			return nil, nil
		}
		row := list[0]
		list = list[1:]
		return row, nil
	}
}

// namespace is a schema.
type namespace struct {
	oid  int64
	name string
}

// namespaces returns the schemas.
func (a *analysis) namespaces() []namespace {
	list := []namespace{{11, "pg_catalog"}, {2200, publicSchema}, {13000, "information_schema"}}
	for _, t := range a.backend.Tables() {
		if t.Schema == hiddenSchemas {
			list = append(list, namespace{int64(t.OID), t.Name})
		}
	}
	return list
}

// relation is a row of pg_class.
type relation struct {
	oid          int64
	schema, name string
	kind         string
	indexed      bool
}

// relations returns the tables, indexes and sequences.
func (a *analysis) relations() (list []relation) {
	for _, t := range a.backend.Tables() {
		if isHidden(t) {
			continue
		}
		list = append(list, relation{int64(t.OID), t.Schema, t.Name, "r", len(t.Indexes) > 0})
		for _, ix := range t.Indexes {
			list = append(list, relation{int64(ix.OID), t.Schema, ix.Name, "i", false})
		}
	}
	for _, q := range a.backend.Sequences() {
		list = append(list, relation{int64(q.OID), q.Schema, q.Name, "S", false})
	}
	slices.SortFunc(list, func(x, y relation) int { return int(x.oid - y.oid) })
	return list
}

func (a *analysis) classRows() (list [][]types.Value) {
	for _, r := range a.relations() {
		list = append(list, []types.Value{r.oid, r.name, a.schemaOID(r.schema), r.kind, "p", r.indexed, false})
	}
	return list
}

func (a *analysis) namespaceRows() (list [][]types.Value) {
	for _, s := range a.namespaces() {
		list = append(list, []types.Value{s.oid, s.name, int64(10)})
	}
	return list
}

func (a *analysis) tableRows() (list [][]types.Value) {
	for _, r := range a.relations() {
		if r.kind == "r" {
			list = append(list, []types.Value{r.schema, r.name, a.session.User(), nil, r.indexed})
		}
	}
	return list
}

func (a *analysis) indexRows() (list [][]types.Value) {
	for _, t := range a.backend.Tables() {
		for _, ix := range t.Indexes {
			list = append(list, []types.Value{t.Schema, t.Name, ix.Name})
		}
	}
	return list
}

func (a *analysis) indexInfoRows() (list [][]types.Value) {
	for _, t := range a.backend.Tables() {
		for _, ix := range t.Indexes {
			list = append(list, []types.Value{int64(ix.OID), int64(t.OID), ix.Unique, ix.Primary, true, true})
		}
	}
	return list
}

func (a *analysis) attributeRows() (list [][]types.Value) {
	for _, t := range a.backend.Tables() {
		if isHidden(t) {
			continue
		}
		for i, c := range t.Columns {
			list = append(list, []types.Value{int64(t.OID), c.Name, int64(c.Type), int64(i + 1), int64(c.Mod), c.NotNull, c.Dropped})
		}
	}
	return list
}

func (a *analysis) informationTables() (list [][]types.Value) {
	for _, r := range a.relations() {
		if r.kind == "r" {
			list = append(list, []types.Value{a.session.Database(), r.schema, r.name, "BASE TABLE"})
		}
	}
	return list
}

func (a *analysis) informationColumns() (list [][]types.Value) {
	for _, t := range a.backend.Tables() {
		if isHidden(t) {
			continue
		}
		for i, c := range t.Columns {
			if c.Dropped {
				continue
			}
			nullable, shown := "YES", a.typeName(c.Type)
			if c.NotNull {
				nullable = "NO"
			}
			udt := shown
			switch {
			case types.ElemOf(c.Type) != types.Invalid:
				shown, udt = "ARRAY", types.InternalName(c.Type)
			case c.Type >= types.FirstEnum:
				shown = "USER-DEFINED"
			default:
				udt = types.InternalName(c.Type)
			}
			list = append(list, []types.Value{a.session.Database(), t.Schema, t.Name, c.Name, int64(i + 1), nullable, shown, udt})
		}
	}
	return list
}
