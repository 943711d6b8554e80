package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// drop is DROP.
func (a *analysis) drop(st *syntax.Drop) error {
	for _, name := range st.Names {
		found, err := a.dropOne(st, name)
		if err == nil && !found {
			err = a.notDropped(st, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropOne drops one object, and reports whether there is one.
func (a *analysis) dropOne(st *syntax.Drop, name syntax.Name) (bool, error) {
	switch st.Object {
	case "TABLE":
		return a.dropTable(name, st.Cascade)
	case "INDEX":
		return a.dropIndex(name)
	case "SEQUENCE":
		return a.dropSequence(name, st.Cascade)
	case "TYPE":
		return a.dropType(name, st.Cascade)
	case "SCHEMA":
		return a.dropSchema(name, st.Cascade)
	case "EXTENSION":
		return true, nil
	case "FUNCTION":
		return a.dropFunction(name)
	case "TRIGGER":
		if st.IfExists && a.lookup(st.On) == nil {
			a.notice("00000", "relation %q does not exist, skipping", st.On.Name)
			return true, nil
		}
		return a.dropTrigger(name.Name, st.On)
	case "VIEW":
		if st.IfExists { // there are none
			return true, nil
		}
	}
	return false, pgerror.Lacks("DROP %s", st.Object)
}

// notDropped is the error, or the notice, about an object that does not exist.
func (a *analysis) notDropped(st *syntax.Drop, name syntax.Name) error {
	code, kind := pgerror.UndefinedTable, strings.ToLower(st.Object)
	missing, skipped := fmt.Sprintf("%s \"%s\" does not exist", kind, name), fmt.Sprintf("%s \"%s\" does not exist", kind, name)
	switch st.Object {
	case "INDEX", "TYPE":
		code = pgerror.UndefinedObject
	case "SCHEMA":
		code = pgerror.InvalidSchemaName
	case "FUNCTION":
		code = pgerror.UndefinedFunction
		missing, skipped = fmt.Sprintf("could not find a function named \"%s\"", name), fmt.Sprintf("function %s() does not exist", name)
	case "TRIGGER":
		code = pgerror.UndefinedObject
		missing, skipped = fmt.Sprintf("trigger \"%s\" for table \"%s\" does not exist", name, st.On.Name),
			fmt.Sprintf("trigger \"%s\" for relation \"%s\" does not exist", name, st.On)
	}
	err := pgerror.New(code, "%s", missing)
	if st.Object != "SCHEMA" {
		if e, ok := errors.AsType[*pgerror.Error](a.noSchema(name)); ok {
			err, skipped = e, e.Message
		}
	}
	if st.IfExists {
		a.notice("00000", "%s, skipping", skipped)
		return nil
	}
	return err
}

// dependents is the error about objects that depend on another.
func dependents(what, detail string) error {
	return pgerror.New(pgerror.DependentObjects, "cannot drop %s because other objects depend on it", what).
		WithDetail("%s", detail).WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

// dropTable drops a table, with its sequences.
func (a *analysis) dropTable(name syntax.Name, cascade bool) (bool, error) {
	t, err := a.openIfExists(name, storage.AccessExclusive)
	if t == nil || err != nil {
		return false, err
	}
	var depend []string
	for _, in := range a.incomingKeys(t) {
		if in.from != t {
			depend = append(depend, "constraint "+in.key.Name+" on table "+in.from.Name+" depends on table "+t.Name)
		}
	}
	if len(depend) > 0 && !cascade {
		return true, dependents("table "+t.Name, strings.Join(depend, "\n"))
	}
	for _, in := range a.incomingKeys(t) {
		if in.from == t {
			continue
		}
		if err := a.lock(in.from, storage.AccessExclusive); err != nil {
			return true, err
		}
		a.notice("00000", "drop cascades to constraint %s on table %s", in.key.Name, in.from.Name)
		info := tableInfoOf(in.from)
		info.Keys = slices.DeleteFunc(slices.Clone(info.Keys), func(k foreignKey) bool { return k.Name == in.key.Name })
		if err := a.backend.AlterTable(in.from, func() { in.from.Info = info }, nil); err != nil {
			return true, err
		}
	}
	for _, c := range t.Columns {
		if s := infoOf(c).Sequence; s.Name != "" {
			if q := a.sequence(s); q != nil {
				a.backend.DropSequence(q)
			}
		}
	}
	a.backend.DropTable(t)
	return true, nil
}

// dropIndex drops an index.
func (a *analysis) dropIndex(name syntax.Name) (bool, error) {
	ix, _ := a.index(name)
	if ix == nil {
		return false, nil
	}
	if err := a.lock(ix.Table, storage.AccessExclusive); err != nil {
		return true, err
	}
	if ix, _ = a.index(name); ix == nil {
		return false, nil
	}
	if ix.Constraint {
		return true, pgerror.New(pgerror.DependentObjects, "cannot drop index %s because constraint %s on table %s requires it", ix.Name, ix.Name, ix.Table.Name).
			WithHint("You can drop constraint %s on table %s instead.", ix.Name, ix.Table.Name)
	}
	a.backend.DropIndex(ix)
	return true, nil
}

// dropSequence drops a sequence.
func (a *analysis) dropSequence(name syntax.Name, cascade bool) (bool, error) {
	q := a.sequence(name)
	if q == nil {
		return false, nil
	}
	for _, t := range a.backend.Tables() {
		for _, c := range t.Columns {
			if s := infoOf(c).Sequence; s.Schema != q.Schema || s.Name != q.Name {
				continue
			}
			if cascade {
				return true, pgerror.Lacks("DROP SEQUENCE ... CASCADE of a column's sequence")
			}
			return true, dependents("sequence "+q.Name, "default value for column "+c.Name+" of table "+t.Name+" depends on sequence "+q.Name)
		}
	}
	a.backend.DropSequence(q)
	return true, nil
}

// dropType drops an enumeration.
func (a *analysis) dropType(name syntax.Name, cascade bool) (bool, error) {
	t := a.findEnum(name)
	if t == nil {
		return false, nil
	}
	oid := enumOID(t)
	var depend []string
	for _, table := range a.backend.Tables() {
		for _, c := range table.Columns {
			if !c.Dropped && c.Type&^1 == oid {
				depend = append(depend, "column "+c.Name+" of table "+table.Name+" depends on type "+a.typeName(c.Type))
			}
		}
	}
	if len(depend) > 0 {
		if cascade {
			return true, pgerror.Lacks("DROP TYPE ... CASCADE")
		}
		slices.Reverse(depend)
		return true, dependents("type "+t.Name, strings.Join(depend, "\n"))
	}
	a.backend.DropTable(t)
	return true, nil
}

// dropSchema drops a schema, with all that is in it if it cascades.
func (a *analysis) dropSchema(name syntax.Name, cascade bool) (bool, error) {
	t := a.hidden(hiddenSchemas, name.Name)
	if t == nil {
		if name.Name == publicSchema {
			return true, pgerror.Lacks("DROP SCHEMA public")
		}
		return false, nil
	}
	for _, table := range a.backend.Tables() {
		kind, in := "TABLE", table.Schema
		if rest, ok := strings.CutPrefix(in, hiddenTypes); ok {
			kind, in = "TYPE", rest
		}
		if in != name.Name {
			continue
		}
		shown := strings.ToLower(kind) + " " + a.shownName(in, table.Name)
		if !cascade {
			return true, dependents("schema "+name.Name, shown+" depends on schema "+name.Name)
		}
		a.notice("00000", "drop cascades to %s", shown)
		if err := a.drop(&syntax.Drop{Object: kind, Names: []syntax.Name{{Schema: in, Name: table.Name}}, IfExists: true, Cascade: true}); err != nil {
			return true, err
		}
	}
	for _, q := range a.backend.Sequences() {
		if q.Schema == name.Name {
			a.backend.DropSequence(q)
		}
	}
	a.backend.DropTable(t)
	return true, nil
}
