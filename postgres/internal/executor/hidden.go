package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Schemas and enumerations are kept as tables without columns, in schemas that statements cannot name: so transactions
// define them, and replicas get them, as they do tables.
const (
	hiddenPrefix  = "\x00"
	hiddenSchemas = hiddenPrefix + "schemas"
	hiddenTypes   = hiddenPrefix + "types of "
)

// isHidden reports whether a table is none.
func isHidden(t *storage.Table) bool { return strings.HasPrefix(t.Schema, hiddenPrefix) }

// hidden finds such an object, or returns nil.
func (a *analysis) hidden(kind, name string) *storage.Table { return a.backend.Lookup(kind, name) }

// enum is what is kept of an enumeration. It is replaced, not changed.
type enum struct {
	labels []types.Enum // in their order
}

// enumOID returns the type's OID.
func enumOID(t *storage.Table) types.OID { return types.FirstEnum + 2*types.OID(t.OID) }

// enumTable returns the object of an enumeration's type, or nil.
func (a *analysis) enumTable(t types.OID) *storage.Table {
	for _, table := range a.backend.Tables() {
		if strings.HasPrefix(table.Schema, hiddenTypes) && enumOID(table) == t {
			return table
		}
	}
	return nil
}

// findEnum finds an enumeration by its name, or returns nil.
func (a *analysis) findEnum(name syntax.Name) *storage.Table {
	for _, schema := range a.schemas(name) {
		if t := a.hidden(hiddenTypes+schema, name.Name); t != nil {
			return t
		}
	}
	return nil
}

// enumValue reads a value of an enumeration.
func (a *analysis) enumValue(t types.OID, label string) (types.Value, error) {
	table := a.enumTable(t)
	if table == nil {
		return nil, pgerror.New(pgerror.UndefinedObject, "type with OID %d does not exist", t)
	}
	list := table.Info.(*enum).labels
	if i := slices.IndexFunc(list, func(e types.Enum) bool { return e.Label == label }); i >= 0 {
		return list[i], nil
	}
	return nil, pgerror.New(pgerror.InvalidTextRepresentation, "invalid input value for enum %s: %q", quoteName(table.Name), label)
}

// typeOf finds the type that a name means.
func (a *analysis) typeOf(n syntax.TypeName) (types.OID, int32, error) {
	if n.SetOf {
		return 0, 0, pgerror.Lacks("SETOF")
	}
	t := types.Invalid
	if n.Schema == "" || n.Schema == "pg_catalog" {
		t, _ = types.Lookup(n.Name.Name)
	}
	if t == types.Invalid {
		if table := a.findEnum(n.Name); table != nil {
			t = enumOID(table)
		}
	}
	if t == types.Invalid {
		return 0, 0, pgerror.From(types.UnknownType(n.String())).At(n.Pos)
	}
	mod, err := types.Mod(t, n.Mods)
	if err != nil {
		return 0, 0, pgerror.From(err).At(n.Pos)
	}
	if n.Dims > 0 {
		t = types.ArrayOf(t)
	}
	return t, mod, nil
}

// typeName returns the name of a type as messages have it.
func (a *analysis) typeName(t types.OID) string {
	if t < types.FirstEnum {
		return types.Name(t)
	}
	suffix := ""
	if t%2 == 1 {
		t, suffix = t-1, "[]"
	}
	if table := a.enumTable(t); table != nil {
		return quoteName(table.Name) + suffix
	}
	return "???"
}
