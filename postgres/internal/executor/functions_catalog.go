package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// The functions about the catalog that migration tools call.
var _ = registerCatalog()

func registerCatalog() bool {
	register("current_schema", function{result: types.NameOID, call: func(e *env, _ []types.Value) (types.Value, error) { return currentSchema(e) }})
	register("current_schemas", function{args: []types.OID{types.BoolOID}, result: types.NameArrayOID, call: func(e *env, args []types.Value) (types.Value, error) {
		a, _ := newAnalysis(e.session, nil)
		list := types.Array{Elem: types.NameOID}
		if args[0] == true {
			list.Items = append(list.Items, "pg_catalog")
		}
		for _, schema := range a.path {
			if a.schemaExists(schema) {
				list.Items = append(list.Items, schema)
			}
		}
		return list, nil
	}})
	for name, t := range map[string]types.OID{"to_regclass": types.RegclassOID, "to_regtype": types.RegtypeOID, "to_regnamespace": types.RegnamespaceOID} { // unordered: each is its own entry
		register(name, function{args: []types.OID{types.TextOID}, result: t, call: func(e *env, args []types.Value) (types.Value, error) {
			a, _ := newAnalysis(e.session, nil)
			x, err := a.parseReg(t, args[0].(string))
			if err != nil {
				return nil, nil
			}
			return x, nil
		}})
	}
	register("format_type", function{args: []types.OID{types.OIDOID, types.Int4OID}, result: types.TextOID, lax: true, call: func(e *env, args []types.Value) (types.Value, error) {
		if args[0] == nil {
			return nil, nil
		}
		a, _ := newAnalysis(e.session, nil)
		t := types.OID(args[0].(int64))
		if mod, ok := args[1].(int64); ok && t < types.FirstEnum {
			return types.NameWithMod(t, int32(mod)), nil
		}
		return a.typeName(t), nil
	}})
	register("pg_table_is_visible", function{args: []types.OID{types.OIDOID}, result: types.BoolOID, call: func(e *env, args []types.Value) (types.Value, error) {
		a, _ := newAnalysis(e.session, nil)
		for _, r := range a.relations() {
			if r.oid == args[0].(int64) {
				name := a.shownName(r.schema, r.name)
				return name == quoteName(r.name), nil
			}
		}
		return nil, nil
	}})
	none := func(*env, []types.Value) (types.Value, error) { return nil, nil }
	register("obj_description", function{args: []types.OID{types.OIDOID, types.NameOID}, result: types.TextOID, call: none})
	register("col_description", function{args: []types.OID{types.OIDOID, types.Int4OID}, result: types.TextOID, call: none})
	yes := func(*env, []types.Value) (types.Value, error) { return true, nil }
	for _, name := range []string{"has_table_privilege", "has_schema_privilege", "has_database_privilege"} {
		register(name, function{args: []types.OID{types.TextOID, types.TextOID}, result: types.BoolOID, call: yes})
	}
	return true
}
