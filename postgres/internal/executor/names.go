package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// publicSchema is the schema that each database has.
const publicSchema = "public"

// newAnalysis returns the analysis of a statement, and the scope around it.
func newAnalysis(s Session, params []types.OID) (*analysis, *scope) {
	a := &analysis{session: s, backend: s.Backend(), params: slices.Clone(params), path: searchPath(s)}
	return a, &scope{a: a}
}

// searchPath returns the schemas in which names are looked up.
func searchPath(s Session) []string {
	setting, ok := s.Setting("search_path")
	if !ok || setting == "" {
		return []string{publicSchema}
	}
	list := make([]string, 0, 2)
	for name := range strings.SplitSeq(setting, ",") {
		name = strings.TrimSpace(name)
		if quoted, ok := strings.CutPrefix(name, `"`); ok {
			name = strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
		}
		if name == "$user" {
			name = s.User()
		}
		list = append(list, name)
	}
	return list
}

// schemas returns the schemas in which a name is looked up.
func (a *analysis) schemas(name syntax.Name) []string {
	if name.Schema != "" {
		return []string{name.Schema}
	}
	return a.path
}

// lookup finds a table by its name, or returns nil.
func (a *analysis) lookup(name syntax.Name) *storage.Table {
	for _, schema := range a.schemas(name) {
		if t := a.backend.Lookup(schema, name.Name); t != nil && !isHidden(t) {
			return t
		}
	}
	return nil
}

// open returns a table that the statement uses, locked in a mode.
func (a *analysis) open(name syntax.Name, mode storage.TableMode) (*storage.Table, error) {
	t, err := a.openIfExists(name, mode)
	if err == nil && t == nil {
		err = a.noRelation(name)
	}
	return t, err
}

// openIfExists is open, but returns nil if there is no such table.
func (a *analysis) openIfExists(name syntax.Name, mode storage.TableMode) (*storage.Table, error) {
	for {
		t := a.lookup(name)
		if t == nil {
			return nil, nil
		}
		got, err := a.backend.Open(t.Schema, t.Name, mode)
		if got != nil || err != nil {
			a.opened = append(a.opened, opened{got, mode, true})
			return got, err
		}
	}
}

// lock locks a table that is open already.
func (a *analysis) lock(t *storage.Table, mode storage.TableMode) error {
	a.opened = append(a.opened, opened{t, mode, false})
	return a.backend.LockTable(t, mode)
}

// noRelation is the error about a table that does not exist.
func (a *analysis) noRelation(name syntax.Name) error {
	if ix, _ := a.index(name); ix != nil {
		return pgerror.New(pgerror.WrongObjectType, "cannot open relation %q", name.Name).
			WithDetail("This operation is not supported for indexes.").At(name.Pos)
	}
	if a.sequence(name) != nil {
		return pgerror.Lacks("the sequence %s as a table", name)
	}
	return pgerror.New(pgerror.UndefinedTable, "relation \"%s\" does not exist", name).At(name.Pos)
}

// index finds an index by its name, or returns nil.
func (a *analysis) index(name syntax.Name) (*storage.Index, string) {
	for _, schema := range a.schemas(name) {
		if ix := a.backend.LookupIndex(schema, name.Name); ix != nil {
			return ix, schema
		}
	}
	return nil, ""
}

// sequence finds a sequence by its name, or returns nil.
func (a *analysis) sequence(name syntax.Name) *storage.Sequence {
	for _, schema := range a.schemas(name) {
		if q := a.backend.LookupSequence(schema, name.Name); q != nil {
			return q
		}
	}
	return nil
}

// creation returns the schema in which something is created.
func (a *analysis) creation(name syntax.Name) (string, error) {
	if name.Schema != "" {
		if !a.schemaExists(name.Schema) {
			return "", pgerror.New(pgerror.InvalidSchemaName, "schema %q does not exist", name.Schema).At(name.Pos)
		}
		return name.Schema, nil
	}
	for _, schema := range a.path {
		if schema != "pg_catalog" && a.schemaExists(schema) {
			return schema, nil
		}
	}
	return "", pgerror.New(pgerror.InvalidSchemaName, "no schema has been selected to create in").At(name.Pos)
}

// schemaExists reports whether there is a schema.
func (a *analysis) schemaExists(name string) bool {
	return name == publicSchema || name == "pg_catalog" || name == "information_schema" || a.hidden(hiddenSchemas, name) != nil
}

// write notes that the statement does something that a read-only transaction refuses.
func (a *analysis) write(what string) {
	if a.writes == "" {
		a.writes = what
	}
}

// splitName reads a name with or without a schema, as regclass's input does.
func splitName(s string) (syntax.Name, error) {
	var parts []string
	bad := pgerror.New(pgerror.InvalidName, "invalid name syntax")
	rest := strings.TrimSpace(s)
	for {
		var part string
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			before, after, closed := strings.Cut(quoted, `"`)
			if !closed {
				return syntax.Name{}, bad
			}
			part, rest = before, after
		} else {
			end := strings.IndexAny(rest, ". ")
			if end < 0 {
				end = len(rest)
			}
			part, rest = strings.ToLower(rest[:end]), rest[end:]
		}
		parts = append(parts, part)
		if rest = strings.TrimSpace(rest); rest == "" {
			break
		}
		if rest[0] != '.' || part == "" {
			return syntax.Name{}, bad
		}
		rest = rest[1:]
	}
	switch len(parts) {
	case 1:
		return syntax.Name{Name: parts[0]}, nil
	case 2:
		return syntax.Name{Schema: parts[0], Name: parts[1]}, nil
	}
	return syntax.Name{}, bad
}

// quoteName quotes a name as an identifier if it needs that.
func quoteName(s string) string { return types.QuoteIdent(s) }
