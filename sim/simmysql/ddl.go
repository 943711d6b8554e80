package simmysql

import "strings"

// tableKey is the name of a table as tables are looked up: without regard to case, as with
// lower_case_table_names=1.
func tableKey(name string) string { return strings.ToLower(name) }

// defines begins a statement that changes tables themselves: it commits what was open.
func (x *execution) defines() (*Node, error) {
	s := x.session
	if s.node.readOnly() && !s.replicates {
		return nil, errReadOnlyServer
	}
	if s.database == "" {
		return nil, errNoDatabase
	}
	return s.node, x.commitBefore()
}

func (c *createTable) run(x *execution) (*result, error) {
	n, err := x.defines()
	if err != nil {
		return nil, err
	}
	if n.tables[tableKey(c.name)] != nil {
		if c.ifNotExists {
			x.session.warnings++
			return &result{}, nil
		}
		return nil, fail(1050, "42S01", "Table '%s' already exists", c.name)
	}
	if c.err != nil {
		return nil, c.err
	}
	x.session.define(definition{create: c.table})
	return &result{}, nil
}

func (d *dropTable) run(x *execution) (*result, error) {
	n, err := x.defines()
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, name := range d.names {
		t := n.tables[tableKey(name)]
		if t == nil {
			missing = append(missing, x.session.database+"."+name)
			continue
		}
		x.session.define(definition{drop: t.name, by: x.session.origin()})
	}
	if len(missing) > 0 && !d.ifExists {
		return nil, fail(1051, "42S02", "Unknown table '%s'", strings.Join(missing, ","))
	}
	return &result{}, nil
}

func (t *truncateTable) run(x *execution) (*result, error) {
	n, err := x.defines()
	if err != nil {
		return nil, err
	}
	old := n.tables[tableKey(t.name)]
	if old == nil {
		return nil, errNoTable(x.session.database + "." + t.name)
	}
	x.session.define(definition{drop: old.name, create: old.empty(), by: x.session.origin()})
	return &result{}, nil
}
