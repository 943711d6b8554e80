package executor

import (
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// newSequence makes a sequence of its options.
func (a *analysis) newSequence(name syntax.Name, t types.OID, o syntax.SequenceOptions) (*storage.Sequence, error) {
	if o.Type != nil {
		var err error
		if t, _, err = a.typeOf(*o.Type); err != nil {
			return nil, err
		}
	}
	q := &storage.Sequence{Schema: name.Schema, Name: name.Name, Type: t, Increment: 1, Min: 1, Max: math.MaxInt64}
	low := int64(math.MinInt64)
	switch t {
	case types.Int2OID:
		low, q.Max = math.MinInt16, math.MaxInt16
	case types.Int4OID:
		low, q.Max = math.MinInt32, math.MaxInt32
	case types.Int8OID:
	default:
		return nil, pgerror.New(pgerror.InvalidParameterValue, "sequence type must be smallint, integer, or bigint")
	}
	if o.Increment != nil {
		q.Increment = *o.Increment
	}
	if q.Increment == 0 {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "INCREMENT must not be zero")
	}
	if q.Increment < 0 {
		q.Min, q.Max = low, -1
	}
	if o.MinValue != nil {
		q.Min = *o.MinValue
	}
	if o.MaxValue != nil {
		q.Max = *o.MaxValue
	}
	q.Start = q.Min
	if q.Increment < 0 {
		q.Start = q.Max
	}
	if o.Start != nil {
		q.Start = *o.Start
	}
	if o.Cycle != nil {
		q.Cycle = *o.Cycle
	}
	switch {
	case q.Min > q.Max:
		return nil, pgerror.New(pgerror.InvalidParameterValue, "MINVALUE (%d) must be less than MAXVALUE (%d)", q.Min, q.Max)
	case q.Start < q.Min:
		return nil, pgerror.New(pgerror.InvalidParameterValue, "START value (%d) cannot be less than MINVALUE (%d)", q.Start, q.Min)
	case q.Start > q.Max:
		return nil, pgerror.New(pgerror.InvalidParameterValue, "START value (%d) cannot be greater than MAXVALUE (%d)", q.Start, q.Max)
	}
	return q, nil
}

// createSequence is CREATE SEQUENCE.
func (a *analysis) createSequence(st *syntax.CreateSequence) error {
	if st.Temporary {
		return pgerror.Lacks("temporary sequences")
	}
	schema, err := a.creation(st.Name)
	if err != nil {
		return err
	}
	name := syntax.Name{Schema: schema, Name: st.Name.Name}
	if _, there := a.relation(name); there {
		if st.IfNotExists {
			a.notice(pgerror.DuplicateTable, "relation %q already exists, skipping", name.Name)
			return nil
		}
		return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", name.Name)
	}
	q, err := a.newSequence(name, types.Int8OID, st.Options)
	if err != nil {
		return err
	}
	return a.backend.CreateSequence(q)
}

// alterSequence is ALTER SEQUENCE.
func (a *analysis) alterSequence(st *syntax.AlterSequence) error {
	q := a.sequence(st.Name)
	if q == nil {
		if st.IfExists {
			a.notice("00000", "relation %q does not exist, skipping", st.Name.Name)
			return nil
		}
		return a.noTable(st.Name)
	}
	o := st.Options
	if o.Increment != nil || o.MinValue != nil || o.MaxValue != nil || o.Cycle != nil || o.Type != nil || o.NoMin || o.NoMax {
		return pgerror.Lacks("this option of ALTER SEQUENCE")
	}
	if o.Start != nil {
		a.backend.AlterSequence(q, func() { q.Start = *o.Start })
	}
	if o.RestartGiven {
		to := q.Start
		if o.Restart != nil {
			to = *o.Restart
		}
		return a.backend.SetValue(q, to, false)
	}
	return nil
}

// createSchema is CREATE SCHEMA.
func (a *analysis) createSchema(st *syntax.CreateSchema) error {
	if a.schemaExists(st.Name) {
		if st.IfNotExists {
			a.notice(pgerror.DuplicateSchema, "schema %q already exists, skipping", st.Name)
			return nil
		}
		return pgerror.New(pgerror.DuplicateSchema, "schema %q already exists", st.Name)
	}
	return a.backend.CreateTable(&storage.Table{Schema: hiddenSchemas, Name: st.Name})
}

// extensions are those whose functions the simulation has, or that have none.
var extensions = []string{"plpgsql", "pgcrypto", "uuid-ossp"}

// createExtension is CREATE EXTENSION. The functions are there always.
func (a *analysis) createExtension(st *syntax.CreateExtension) error {
	if !slices.Contains(extensions, st.Name) {
		return pgerror.Lacks("the extension %s", st.Name)
	}
	if st.Name == "plpgsql" {
		if !st.IfNotExists {
			return pgerror.New(pgerror.DuplicateObject, "extension %q already exists", st.Name)
		}
		a.notice(pgerror.DuplicateObject, "extension %q already exists, skipping", st.Name)
	}
	return nil
}

// createEnum is CREATE TYPE ... AS ENUM.
func (a *analysis) createEnum(st *syntax.CreateEnum) error {
	schema, err := a.creation(st.Name)
	if err != nil {
		return err
	}
	if _, known := types.Lookup(st.Name.Name); a.hidden(hiddenTypes+schema, st.Name.Name) != nil || known && st.Name.Schema == "" {
		return pgerror.New(pgerror.DuplicateObject, "type %q already exists", st.Name.Name)
	}
	info := &enum{}
	for i, label := range st.Labels {
		if slices.Contains(st.Labels[:i], label) {
			return pgerror.New(pgerror.UniqueViolation, "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"")
		}
		info.labels = append(info.labels, types.Enum{Label: label, Order: float64(i + 1)})
	}
	return a.backend.CreateTable(&storage.Table{Schema: hiddenTypes + schema, Name: st.Name.Name, Info: info})
}

// alterEnum is ALTER TYPE ... ADD VALUE.
func (a *analysis) alterEnum(st *syntax.AlterEnum) error {
	t := a.findEnum(st.Name)
	if t == nil {
		return pgerror.New(pgerror.UndefinedObject, "type %q does not exist", st.Name.Name)
	}
	if st.Old != "" {
		return pgerror.Lacks("ALTER TYPE ... RENAME VALUE")
	}
	list := slices.Clone(t.Info.(*enum).labels)
	has := func(label string) func(types.Enum) bool { return func(e types.Enum) bool { return e.Label == label } }
	if slices.ContainsFunc(list, has(st.Label)) {
		if st.IfNotExists {
			a.notice(pgerror.DuplicateObject, "enum label %q already exists, skipping", st.Label)
			return nil
		}
		return pgerror.New(pgerror.DuplicateObject, "enum label %q already exists", st.Label)
	}
	at := len(list)
	if st.Neighbor != "" {
		if at = slices.IndexFunc(list, has(st.Neighbor)); at < 0 {
			return pgerror.New(pgerror.InvalidParameterValue, "%q is not an existing enum label", st.Neighbor)
		}
		if st.After {
			at++
		}
	}
	order := 1.0
	switch {
	case len(list) == 0:
	case at == len(list):
		order = list[at-1].Order + 1
	case at == 0:
		order = list[0].Order - 1
	default:
		order = (list[at-1].Order + list[at].Order) / 2
	}
	list = slices.Insert(list, at, types.Enum{Label: st.Label, Order: order})
	return a.backend.AlterTable(t, func() { t.Info = &enum{list} }, nil)
}
