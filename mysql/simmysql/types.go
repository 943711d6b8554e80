package simmysql

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// columnTypes are those that tables can have.
var columnTypes = map[string]sql.ColumnType{
	"tinyint":   {Name: "tinyint", Base: sql.Integer, Bits: 8},
	"boolean":   {Name: "tinyint", Base: sql.Integer, Bits: 8, Width: 1},
	"bool":      {Name: "tinyint", Base: sql.Integer, Bits: 8, Width: 1},
	"smallint":  {Name: "smallint", Base: sql.Integer, Bits: 16},
	"mediumint": {Name: "mediumint", Base: sql.Integer, Bits: 24},
	"int":       {Name: "int", Base: sql.Integer, Bits: 32},
	"integer":   {Name: "int", Base: sql.Integer, Bits: 32},
	"bigint":    {Name: "bigint", Base: sql.Integer, Bits: 64},
	"double":    {Name: "double", Base: sql.Float},
	"char":      {Name: "char", Base: sql.Text, Length: 1, Trimmed: true},
	"varchar":   {Name: "varchar", Base: sql.Text, Length: 255, NeedsLength: true},
	"text":      {Name: "text", Base: sql.Text, Length: 1<<16 - 1, Unkeyed: true},
	"json":      {Name: "longtext", Base: sql.Text, Length: 1 << 29, Unkeyed: true, JSON: true},
	"datetime":  {Name: "datetime", Base: sql.Moment},
	"timestamp": {Name: "timestamp", Base: sql.Moment},
}

// The isolation levels. Sessions begin with the first.
var (
	isolations     = []sql.Isolation{repeatableRead, readCommitted, serializable}
	repeatableRead = sql.Isolation{Name: "REPEATABLE-READ", LocksGaps: true}
	readCommitted  = sql.Isolation{Name: "READ-COMMITTED", FreshSnapshots: true}
	serializable   = sql.Isolation{Name: "SERIALIZABLE", LocksGaps: true, LocksReads: true}
)

// folded returns a text as comparisons see it: without regard to case and trailing spaces, as
// the collation utf8mb4_general_ci has it.
func folded(s string) string { return strings.ToLower(strings.TrimRight(s, " ")) }

// readCharset reads the name of a character set, which matters only if it is binary.
func readCharset(p *sql.Parser) {
	if slices.Contains([]string{"utf8mb4", "utf8mb3", "utf8", "latin1", "ascii"}, strings.ToLower(p.Peek().Text)) {
		p.Next()
		return
	}
	p.Unexpected()
}

// readCollation reads the name of a collation, which has to disregard case, as all do here.
func readCollation(p *sql.Parser) {
	if strings.HasSuffix(strings.ToLower(p.Peek().Text), "_ci") {
		p.Next()
		return
	}
	p.Unexpected()
}

// keyDefinition reads the definition of a unique or another key.
func keyDefinition(p *sql.Parser, t *sql.Plan) bool {
	unique := p.Word("unique")
	if p.OneOf("key", "index") == "" && !unique {
		return false
	}
	name := ""
	if p.Peek().Kind != sql.SymbolToken {
		name = p.Name()
	}
	t.Key(name, unique, p.KeyColumns()...)
	return true
}

// columnOption reads an option of a column.
func columnOption(p *sql.Parser, t *sql.Plan, c *sql.Column) bool {
	switch {
	case p.Word("unsigned"):
		c.Type.Unsigned = true
	case p.Word("auto_increment"):
		c.Numbered = true
	case p.IsWord("primary") && !p.IsWord("primary", "key"):
		p.Next()
		t.Primary(c.Name)
	case p.Word("unique", "key"):
		t.Key("", true, c.Name)
	case p.Word("on", "update"):
		c.OnUpdate = p.Factor()
	case p.Word("comment"):
		c.Comment = p.Next().Text
	case p.Word("collate"):
		readCollation(p)
	case p.Word("character", "set"), p.Word("charset"):
		readCharset(p)
	default:
		return false
	}
	return true
}

// tableOptions reads what follows the columns: the engine, which has to be InnoDB, the first
// number of AUTO_INCREMENT, and what does not matter here.
func tableOptions(p *sql.Parser, of *sql.Plan) {
	for t := p.Peek(); p.OK() && t.Kind == sql.WordToken; t = p.Peek() {
		p.Word("default")
		option := strings.ToLower(p.Next().Text)
		if option == "character" {
			p.Want("set")
		}
		p.Symbol("=")
		switch option {
		case "engine":
			p.Want("innodb")
		case "charset", "character":
			readCharset(p)
		case "collate":
			readCollation(p)
		case "auto_increment":
			of.Counter = int64(max(p.Number(), 1)) - 1
		case "comment", "row_format":
			p.Next()
		default:
			p.Refuse(t)
		}
		p.Symbol(",")
	}
}
