package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Foreign keys are checked by queries, as PostgreSQL's triggers do: they lock the row that is referred to FOR KEY SHARE, so
// that it cannot go before the transaction has ended.

// incoming is a foreign key of another table, or the same, that refers to a table; places are those of its columns there.
type incoming struct {
	key    foreignKey
	from   *storage.Table
	places []int
}

// incomingKeys finds the foreign keys that refer to a table.
func (a *analysis) incomingKeys(t *storage.Table) (list []incoming) {
	for _, from := range a.backend.Tables() {
		for _, k := range tableInfoOf(from).Keys {
			if k.Table.Schema != t.Schema || k.Table.Name != t.Name {
				continue
			}
			in := incoming{key: k, from: from}
			for _, name := range k.Names {
				in.places = append(in.places, slices.IndexFunc(t.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == name }))
			}
			list = append(list, in)
		}
	}
	return list
}

// keyOf returns the values of a key, and whether none of them is NULL.
func keyOf(row []types.Value, places []int) (key []types.Value, whole bool) {
	whole = true
	for _, p := range places {
		key = append(key, at(row, p))
		whole = whole && at(row, p) != nil
	}
	return key, whole
}

// checkParent checks that the row to which a new row refers is there, and locks it.
func (r *rules) checkParent(e *env, k foreignKey, row []types.Value) error {
	key, whole := keyOf(row, k.Columns)
	if !whole {
		return nil
	}
	query := fmt.Sprintf("SELECT 1 FROM ONLY %s x WHERE %s FOR KEY SHARE OF x", qualified(k.Table), equalities(k.Names))
	found, err := e.internal(query, r.typesOf(k.Columns), key)
	if err != nil || len(found) > 0 {
		return err
	}
	fail := pgerror.New(pgerror.ForeignKeyViolation, "insert or update on table \"%s\" violates foreign key constraint \"%s\"", r.table.Name, k.Name).
		WithDetail("Key (%s)=(%s) is not present in table \"%s\".", strings.Join(r.columnNames(k.Columns), ", "), r.texts(k.Columns, key), k.Table.Name)
	fail.Schema, fail.Table, fail.Constraint = r.table.Schema, r.table.Name, k.Name
	return fail
}

// parentGone does what a foreign key says about rows that refer to one which is deleted, or whose key has changed to that
// of the new row.
func (r *rules) parentGone(e *env, in incoming, old, row []types.Value) error {
	key, whole := keyOf(old, in.places)
	if !whole {
		return nil
	}
	action := in.key.OnDelete
	if row != nil {
		action = in.key.OnUpdate
	}
	var names []string
	for _, p := range in.key.Columns {
		names = append(names, in.from.Columns[p].Name)
	}
	child := qualified(syntax.Name{Schema: in.from.Schema, Name: in.from.Name})
	ts := r.typesOf(in.places)
	switch action {
	case "CASCADE":
		if row == nil {
			_, err := e.internal(fmt.Sprintf("DELETE FROM ONLY %s x WHERE %s", child, equalities(names)), ts, key)
			return err
		}
		return r.cascadeUpdate(e, in, child, names, key, row)
	case "SET NULL", "SET DEFAULT":
		var set []string
		for _, name := range names {
			set = append(set, quoteName(name)+" = "+strings.TrimPrefix(action, "SET "))
		}
		_, err := e.internal(fmt.Sprintf("UPDATE ONLY %s x SET %s WHERE %s", child, strings.Join(set, ", "), equalities(names)), ts, key)
		return err
	}
	if action != "RESTRICT" { // another row may have got the key meanwhile
		self := qualified(syntax.Name{Schema: r.table.Schema, Name: r.table.Name})
		again, err := e.internal(fmt.Sprintf("SELECT 1 FROM ONLY %s x WHERE %s FOR KEY SHARE OF x", self, equalities(in.key.Names)), ts, key)
		if err != nil || len(again) > 0 {
			return err
		}
	}
	found, err := e.internal(fmt.Sprintf("SELECT 1 FROM ONLY %s x WHERE %s FOR KEY SHARE OF x", child, equalities(names)), ts, key)
	if err != nil || len(found) == 0 {
		return err
	}
	fail := pgerror.New(pgerror.ForeignKeyViolation, "update or delete on table \"%s\" violates foreign key constraint \"%s\" on table \"%s\"",
		r.table.Name, in.key.Name, in.from.Name).
		WithDetail("Key (%s)=(%s) is still referenced from table \"%s\".", strings.Join(in.key.Names, ", "), r.texts(in.places, key), in.from.Name)
	fail.Schema, fail.Table, fail.Constraint = in.from.Schema, in.from.Name, in.key.Name
	return fail
}

// cascadeUpdate gives the rows that refer to a row its new key.
func (r *rules) cascadeUpdate(e *env, in incoming, child string, names []string, key, row []types.Value) error {
	values, _ := keyOf(row, in.places)
	ts := r.typesOf(in.places)
	var set []string
	for i, name := range names {
		set = append(set, fmt.Sprintf("%s = $%d", quoteName(name), len(names)+i+1))
	}
	query := fmt.Sprintf("UPDATE ONLY %s x SET %s WHERE %s", child, strings.Join(set, ", "), equalities(names))
	_, err := e.internal(query, append(ts, ts...), append(slices.Clone(key), values...))
	return err
}

// qualified writes the name of a table.
func qualified(n syntax.Name) string { return quoteName(n.Schema) + "." + quoteName(n.Name) }

// equalities writes the condition that columns have the values of the parameters.
func equalities(names []string) string {
	var parts []string
	for i, name := range names {
		parts = append(parts, fmt.Sprintf("%s = $%d", quoteName(name), i+1))
	}
	return strings.Join(parts, " AND ")
}

func (r *rules) typesOf(places []int) (ts []types.OID) {
	for _, p := range places {
		ts = append(ts, r.table.Columns[p].Type)
	}
	return ts
}

func (r *rules) columnNames(places []int) (names []string) {
	for _, p := range places {
		names = append(names, r.table.Columns[p].Name)
	}
	return names
}

func (r *rules) texts(places []int, key []types.Value) string {
	var parts []string
	for i, p := range places {
		parts = append(parts, types.Text(r.table.Columns[p].Type, key[i]))
	}
	return strings.Join(parts, ", ")
}

// internal executes a query of the server's own, after what was changed so far, with a snapshot of its own.
func (e *env) internal(text string, ts []types.OID, params []types.Value) ([][]types.Value, error) {
	stmts, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	p, err := prepare(e.session, stmts[0], ts, nil)
	if err != nil {
		return nil, err
	}
	e.backend.NextCommand()
	r, err := p.execute(e.session, params)
	if err != nil {
		return nil, err
	}
	return r.Rows, nil
}
