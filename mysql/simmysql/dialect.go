package simmysql

import (
	"errors"
	"strings"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// dialect is MySQL's SQL.
var dialect = &sql.Dialect{
	Grammar: sql.Grammar{
		NameQuote: '`',
		TextQuote: '"',
		Escapes:   map[byte]byte{'0': 0, 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'Z': 26},
		Comments:  []string{"#", "-- ", "--\n"},
		Executed:  []string{"/*!", "/*M!"},
		Operators: map[string]string{
			"||": "or", "&&": "and", "!": "not", "!=": "<>", "<=>": "<=>", "xor": "xor", "%": "%", "mod": "%", "div": "div", ":=": ":=",
		},
		Reserved: strings.Fields("select from where and or not in is null order by limit for update set values on as between group having join union " +
			"insert into delete distinct lock binary"),
		Database:     databaseName,
		NoTable:      "dual",
		Views:        []sql.Viewed{schemata, schemaTables, schemaColumns},
		OffsetFirst:  true,
		Statements:   statements(),
		Variable:     func(p *sql.Parser, t sql.Token) sql.Expr { return readVariable(p, t) },
		Functions:    functions,
		Synonyms:     synonyms,
		Bare:         map[string]string{"current_timestamp": "now", "localtimestamp": "now", "localtime": "now"},
		Calls:        calls,
		Locking:      locking,
		Patience:     patience,
		Types:        columnTypes,
		Definition:   keyDefinition,
		ColumnOption: columnOption,
		TableOptions: tableOptions,
	},
	Collation:    folded,
	Results:      map[sql.Kind]sql.ColumnType{sql.Integer: columnTypes["bigint"], sql.Float: columnTypes["double"], sql.Moment: columnTypes["datetime"], sql.Text: columnTypes["varchar"]},
	Isolations:   isolations,
	CommitsFirst: commitsFirst,
	RollsBack:    func(err error) bool { return errors.Is(err, sql.ErrDeadlock) },
}

// statements returns the readers of statements, by their first words.
func statements() map[string]func(*sql.Parser) sql.Statement {
	list := sql.StandardStatements()
	list["insert"] = insertion
	list["start"] = start
	list["set"] = setting
	list["do"] = func(p *sql.Parser) sql.Statement { return &do{p.Exprs()} }
	list["kill"] = killing
	list["use"] = func(p *sql.Parser) sql.Statement { return &use{p.Name()} }
	list["show"] = showing
	list["lock"] = lockingTables
	list["unlock"] = func(p *sql.Parser) sql.Statement {
		if p.OneOf("tables", "table") == "" {
			p.Unexpected()
		}
		return &sql.UnlockTables{}
	}
	return list
}

// commitsFirst reports whether a statement commits the open transaction before it is executed.
func commitsFirst(st sql.Statement) bool {
	switch st.(type) {
	case *sql.Begin, *sql.CreateTable, *sql.AlterTable, *sql.DropTable, *sql.TruncateTable:
		return true
	}
	return false
}

// insertion reads INSERT.
func insertion(p *sql.Parser) sql.Statement {
	s := &sql.Insert{Ignore: p.Word("ignore")}
	p.Word("into")
	s.Table = p.TableName()
	if p.Word("set") {
		row := []sql.Expr{}
		for _, a := range p.Assignments() {
			s.Columns, row = append(s.Columns, a.Column), append(row, a.Expr)
		}
		s.Rows = [][]sql.Expr{row}
	} else {
		p.InsertedRows(s, "values", "value")
	}
	if p.Word("on", "duplicate", "key", "update") {
		s.OnDuplicate = p.Assignments()
	}
	p.Returning(s)
	return s
}

// start reads START TRANSACTION.
func start(p *sql.Parser) sql.Statement {
	p.Want("transaction")
	s := &sql.Begin{}
	for p.OK() {
		switch {
		case p.Word("with", "consistent", "snapshot"):
			s.Snapshot = true
		case p.Word("read", "only"):
			s.ReadOnly = true
		case p.Word("read", "write"):
		default:
			return s
		}
		if !p.Symbol(",") {
			break
		}
	}
	return s
}

// lockingTables reads LOCK TABLES.
func lockingTables(p *sql.Parser) sql.Statement {
	s := &sql.LockTables{}
	if p.OneOf("tables", "table") == "" {
		p.Unexpected()
	}
	for p.OK() {
		t := sql.LockedTable{Name: p.TableName()}
		word := p.OneOf("write", "read")
		if word == "" {
			p.Unexpected()
		}
		t.Write = word == "write"
		s.Tables = append(s.Tables, t)
		if !p.Symbol(",") {
			break
		}
	}
	return s
}

// locking reads LOCK IN SHARE MODE.
func locking(p *sql.Parser) sql.Locking {
	if p.Word("lock", "in", "share", "mode") {
		return sql.LockShared
	}
	return sql.LockNothing
}

// patience reads WAIT n.
func patience(p *sql.Parser) sql.Patience {
	if p.Word("wait") {
		return sql.Patience{Kind: sql.WaitFor, Seconds: p.Number()}
	}
	return sql.Patience{}
}
