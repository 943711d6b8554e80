package simmysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// schemata is information_schema.schemata: the server's own databases, and the one that there is.
var schemata = schemaView("schemata", "SCHEMA_NAME", func(*sql.Session) (rows [][]sql.Value) {
	for _, name := range []string{"information_schema", "mysql", "performance_schema", "sys", databaseName} {
		rows = append(rows, []sql.Value{sql.TextValue(name)})
	}
	return rows
})

// schemaTables is information_schema.tables.
var schemaTables = schemaView("tables", "TABLE_SCHEMA TABLE_NAME TABLE_TYPE", func(s *sql.Session) (rows [][]sql.Value) {
	for _, name := range s.Tables() {
		rows = append(rows, []sql.Value{sql.TextValue(databaseName), sql.TextValue(name), sql.TextValue("BASE TABLE")})
	}
	return rows
})

// schemaColumns is information_schema.columns.
var schemaColumns = schemaView("columns", "TABLE_SCHEMA TABLE_NAME COLUMN_NAME ORDINAL_POSITION COLUMN_DEFAULT IS_NULLABLE DATA_TYPE "+
	"CHARACTER_MAXIMUM_LENGTH NUMERIC_PRECISION NUMERIC_SCALE DATETIME_PRECISION COLUMN_TYPE COLUMN_KEY EXTRA COLUMN_COMMENT",
	func(s *sql.Session) (rows [][]sql.Value) {
		for _, name := range s.Tables() {
			columns, keys := s.Layout(name)
			for i, c := range columns {
				row := []sql.Value{sql.TextValue(databaseName), sql.TextValue(name), sql.TextValue(c.Name), sql.IntValue(int64(i + 1)),
					shownDefault(c), sql.TextValue(map[bool]string{true: "NO", false: "YES"}[c.NotNull]), sql.TextValue(c.Type.Name)}
				row = append(append(row, sizes(c.Type)...), sql.TextValue(shownType(c.Type)), sql.TextValue(keyOf(c.Name, keys)),
					sql.TextValue(extraOf(c)), sql.TextValue(c.Comment))
				rows = append(rows, row)
			}
		}
		return rows
	})

// schemaView is a table of information_schema. Its first column is a name that WHERE has to say.
func schemaView(name, columns string, rows func(*sql.Session) [][]sql.Value) *sql.View {
	v := &sql.View{Database: "information_schema", Name: name, Rows: rows}
	for column := range strings.FieldsSeq(columns) {
		c := &sql.Column{Name: column, Type: sql.ColumnType{Name: "varchar", Base: sql.Text, Length: 64}, NotNull: true}
		if column == "ORDINAL_POSITION" || strings.HasSuffix(column, "_LENGTH") || strings.HasSuffix(column, "_PRECISION") || strings.HasSuffix(column, "_SCALE") {
			c.Type = columnTypes["bigint"]
		}
		v.Columns = append(v.Columns, c)
	}
	v.Within = v.Columns[0].Name
	return v
}

// shownDefault is the DEFAULT of a column: NULL if it has none and cannot be NULL.
func shownDefault(c *sql.Column) sql.Value {
	l, isConstant := c.Fallback.(*sql.Literal)
	switch {
	case c.Fallback == nil && (c.NotNull || c.Numbered):
		return sql.Value{}
	case c.Fallback == nil || isConstant && l.Value.Kind == sql.Null:
		return sql.TextValue("NULL")
	case !isConstant:
		return sql.TextValue(presentTime(c.Type))
	case c.Type.Base == sql.Text || c.Type.Base == sql.Moment:
		return sql.TextValue("'" + strings.ReplaceAll(l.Value.String(), "'", "''") + "'")
	}
	return sql.TextValue(l.Value.String())
}

// presentTime is how a definition shows it.
func presentTime(t sql.ColumnType) string {
	if t.Decimals > 0 {
		return fmt.Sprintf("current_timestamp(%d)", t.Decimals)
	}
	return "current_timestamp()"
}

// sizes are the length of texts, the precision and scale of numbers, and the precision of moments.
func sizes(t sql.ColumnType) []sql.Value {
	list := make([]sql.Value, 4)
	switch {
	case t.JSON:
		list[0] = sql.IntValue(1<<32 - 1)
	case t.Base == sql.Text:
		list[0] = sql.IntValue(int64(t.Length))
	case t.Base == sql.Integer:
		digits := map[int]int64{8: 3, 16: 5, 24: 7, 32: 10, 64: 19}[t.Bits]
		if t.Unsigned && (t.Bits == 24 || t.Bits == 64) {
			digits++
		}
		list[1], list[2] = sql.IntValue(digits), sql.IntValue(0)
	case t.Base == sql.Float:
		list[1] = sql.IntValue(22)
	case t.Base == sql.Moment:
		list[3] = sql.IntValue(int64(t.Decimals))
	}
	return list
}

// shownType is a type as a definition shows it.
func shownType(t sql.ColumnType) string {
	switch {
	case t.Base == sql.Integer:
		width := t.Width
		if width == 0 {
			width = map[int]int{8: 4, 16: 6, 24: 9, 32: 11, 64: 20}[t.Bits]
			if t.Unsigned && t.Bits < 64 {
				width-- // there is no sign
			}
		}
		return fmt.Sprintf("%s(%d)%s", t.Name, width, map[bool]string{true: " unsigned"}[t.Unsigned])
	case t.Base == sql.Text && !t.Unkeyed:
		return fmt.Sprintf("%s(%d)", t.Name, t.Length)
	case t.Base == sql.Moment && t.Decimals > 0:
		return fmt.Sprintf("%s(%d)", t.Name, t.Decimals)
	}
	return t.Name
}

// keyOf is how a column is the first one of a key.
func keyOf(column string, keys []sql.Key) string {
	kind := ""
	for _, k := range keys {
		i := slices.Index(k.Columns, column)
		switch {
		case i >= 0 && k.IsPrimary():
			return "PRI"
		case i == 0 && k.Unique && len(k.Columns) == 1:
			kind = "UNI"
		case i == 0 && kind == "":
			kind = "MUL"
		}
	}
	return kind
}

// extraOf is what a column gets by itself.
func extraOf(c *sql.Column) string {
	switch {
	case c.Numbered:
		return "auto_increment"
	case c.OnUpdate != nil:
		return "on update " + presentTime(c.Type)
	}
	return ""
}
