package executor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// parseReg reads an object of the catalog by its name or number.
func (a *analysis) parseReg(t types.OID, s string) (types.Value, error) {
	if n, err := strconv.ParseUint(s, 10, 32); err == nil {
		return a.regOf(t, int64(n)), nil
	}
	if s == "-" {
		return types.Reg{Name: "-"}, nil
	}
	switch t {
	case types.RegclassOID:
		name, err := splitName(s)
		if err != nil {
			return nil, err
		}
		if r, ok := a.relation(name); ok {
			return r, nil
		}
		if err := a.noSchema(name); err != nil {
			return nil, err
		}
		return nil, pgerror.New(pgerror.UndefinedTable, "relation \"%s\" does not exist", name)
	case types.RegtypeOID:
		return a.parseRegtype(s)
	case types.RegnamespaceOID:
		name, err := splitName(s)
		if err != nil {
			return nil, err
		}
		if oid := a.schemaOID(name.Name); oid != 0 {
			return types.Reg{OID: oid, Name: quoteName(name.Name)}, nil
		}
		return nil, pgerror.New(pgerror.InvalidSchemaName, "schema %q does not exist", name.Name)
	}
	return nil, pgerror.Lacks("the input of type %s", types.Name(t))
}

// relation finds a table, an index or a sequence.
func (a *analysis) relation(name syntax.Name) (types.Reg, bool) {
	for _, schema := range append(a.schemas(name), "pg_catalog") {
		at := syntax.Name{Schema: schema, Name: name.Name}
		oid := uint32(0)
		if t := a.lookup(at); t != nil {
			oid = t.OID
		} else if ix, _ := a.index(at); ix != nil {
			oid = ix.OID
		} else if q := a.sequence(at); q != nil {
			oid = q.OID
		}
		if oid != 0 {
			return types.Reg{OID: int64(oid), Name: a.shownName(schema, name.Name)}, true
		}
		if name.Schema == "" || name.Schema == schema {
			if v := catalogViews[name.Name]; schema == "pg_catalog" && v != nil {
				return types.Reg{OID: v.oid, Name: name.Name}, true
			}
		}
	}
	return types.Reg{}, false
}

// shownName returns a name with its schema, unless the schema is searched.
func (a *analysis) shownName(schema, name string) string {
	if slices.Contains(a.path, schema) || schema == "pg_catalog" {
		return quoteName(name)
	}
	return quoteName(schema) + "." + quoteName(name)
}

// parseRegtype reads a type by its name.
func (a *analysis) parseRegtype(s string) (types.Value, error) {
	base, array := strings.CutSuffix(s, "[]")
	stmts, err := syntax.Parse("SELECT NULL::" + base)
	if err != nil {
		return nil, pgerror.New(pgerror.UndefinedObject, "type %q does not exist", s)
	}
	sel, _ := stmts[0].(*syntax.Select)
	c, ok := sel.Items[0].Expr.(*syntax.Cast)
	if !ok {
		return nil, pgerror.New(pgerror.UndefinedObject, "type %q does not exist", s)
	}
	t, _, err := a.typeOf(c.Type)
	if err != nil {
		e := *pgerror.From(err)
		e.Position = 0
		return nil, &e
	}
	if array {
		t = types.ArrayOf(t)
	}
	return types.Reg{OID: int64(t), Name: a.typeName(t)}, nil
}

// regOf returns the object of a number, with its name if there is one.
func (a *analysis) regOf(t types.OID, oid int64) types.Value {
	r := types.Reg{OID: oid, Name: strconv.FormatInt(oid, 10)}
	switch {
	case oid == 0:
		r.Name = "-"
	case t == types.RegtypeOID && types.Known(types.OID(oid)):
		r.Name = a.typeName(types.OID(oid))
	case t == types.RegtypeOID && types.OID(oid) >= types.FirstEnum:
		if name := a.typeName(types.OID(oid)); name != "???" {
			r.Name = name
		}
	case t == types.RegclassOID:
		for _, rel := range a.relations() {
			if rel.oid == oid {
				r.Name = a.shownName(rel.schema, rel.name)
			}
		}
	case t == types.RegnamespaceOID:
		for _, s := range a.namespaces() {
			if s.oid == oid {
				r.Name = quoteName(s.name)
			}
		}
	}
	return r
}

// schemaOID returns the number of a schema, 0 if there is none.
func (a *analysis) schemaOID(name string) int64 {
	for _, s := range a.namespaces() {
		if s.name == name {
			return s.oid
		}
	}
	return 0
}
