package sql

import "slices"

// newTable returns a table by a plan, or an error if the plan is invalid.
func newTable(p *Plan, texts Collation) (*table, error) {
	t := &table{name: p.Name, collation: texts, counter: p.Counter}
	for i, c := range p.Columns {
		if p.column(c.Name) != i {
			return nil, Fail(DuplicateColumn, c.Name)
		}
		own := *c
		t.columns = append(t.columns, &own)
	}
	for i, k := range p.keys {
		switch first := p.key(k.name); {
		case first == i:
		case k.name == primary:
			return nil, Fail(MultiplePrimaryKeys)
		default:
			return nil, Fail(DuplicateKeyName, k.name)
		}
	}
	if err := t.addKeys(p); err != nil {
		return nil, err
	}
	return t, t.checkColumns()
}

// addKeys adds the keys of a plan, the clustered one first.
func (t *table) addKeys(p *Plan) error {
	keys := slices.Clone(p.keys)
	clustered := p.key(primary)
	if clustered < 0 {
		keys = append(keys, keyPlan{unique: true}) // the hidden one
		clustered = len(keys) - 1
	}
	first := keys[clustered]
	keys = slices.Insert(slices.Delete(keys, clustered, clustered+1), 0, first)
	for i, k := range keys {
		ix := &index{table: t, name: k.name, unique: k.unique}
		ix.end = &entry{index: ix}
		for _, name := range k.columns {
			place := t.column(name)
			switch {
			case place < 0:
				return Fail(NoKeyColumn, name)
			case t.columns[place].Type.Unkeyed:
				return Fail(UnkeyedColumn, name)
			}
			ix.columns = append(ix.columns, place)
			if i == 0 {
				t.columns[place].NotNull = true
			}
		}
		t.indexes = append(t.indexes, ix)
	}
	return nil
}

// checkColumns checks the defaults and numbers of columns.
func (t *table) checkColumns() error {
	numbered := 0
	for i, c := range t.columns {
		if c.Numbered {
			c.NotNull = true
			numbered++
			isKey := slices.ContainsFunc(t.indexes, func(ix *index) bool { return len(ix.columns) > 0 && ix.columns[0] == i })
			switch {
			case c.Type.Base != Integer:
				return Fail(NotNumbered, c.Name)
			case !isKey || numbered > 1:
				return Fail(OneNumbered)
			}
		}
		if err := c.checkDefault(); err != nil {
			return err
		}
	}
	return nil
}

// checkDefault checks a column's default: a constant, or the present time.
func (c *Column) checkDefault() error {
	isMoment := c.Type.Base == Moment
	if c.OnUpdate != nil && !(isMoment && isClock(c.OnUpdate)) {
		return Fail(InvalidOnUpdate, c.Name)
	}
	switch e := c.Fallback.(type) {
	case nil:
		return nil
	case *Literal:
		_, err := c.store(e.Value)
		if err == nil && !c.Numbered {
			return nil
		}
	case *call:
		if isMoment && isClock(e) {
			return nil
		}
		if !isClock(e) {
			return Fail(Unsupported, "a DEFAULT that is neither a constant nor the present time")
		}
	default:
		return Fail(Unsupported, "a DEFAULT that is neither a constant nor the present time")
	}
	return Fail(InvalidDefault, c.Name)
}
