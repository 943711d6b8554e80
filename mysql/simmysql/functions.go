package simmysql

import (
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// functions are MySQL's, by their names.
var functions = allFunctions()

func allFunctions() map[string]sql.Callable {
	list := sql.StandardFunctions()
	list["now"] = &sql.Function{Most: 1, Clock: true, Eval: func(x *sql.Execution, args []sql.Value) (sql.Value, error) { return momentOf(x.Began(), args) }}
	list["sysdate"] = &sql.Function{Most: 1, Eval: func(x *sql.Execution, args []sql.Value) (sql.Value, error) {
		return momentOf(x.Now(), args)
	}}
	list["unix_timestamp"] = &sql.Function{Most: 1, Eval: unixTimestamp}
	list["connection_id"] = &sql.Function{Eval: func(x *sql.Execution, _ []sql.Value) (sql.Value, error) { return sql.IntValue(sessionOf(x).id), nil }}
	list["last_insert_id"] = &sql.Function{Most: 1, Eval: lastInsertID}
	list["row_count"] = &sql.Function{Eval: func(x *sql.Execution, _ []sql.Value) (sql.Value, error) {
		return sql.IntValue(sessionOf(x).rowCount), nil
	}}
	list["database"] = &sql.Function{Eval: func(x *sql.Execution, _ []sql.Value) (sql.Value, error) {
		if x.Session().Database == "" {
			return sql.Value{}, nil
		}
		return sql.TextValue(x.Session().Database), nil
	}}
	list["version"] = &sql.Function{Eval: func(*sql.Execution, []sql.Value) (sql.Value, error) { return sql.TextValue(serverVersion), nil }}
	list["user"] = &sql.Function{Eval: func(x *sql.Execution, _ []sql.Value) (sql.Value, error) { return sql.TextValue(sessionOf(x).user), nil }}
	list["timestampdiff"] = &sql.Function{Least: 3, Most: 3, Eval: timestampDiff}
	list["if"] = &sql.Function{Least: 3, Most: 3, Eval: ifFunction}
	list["greatest"] = &sql.Function{Least: 2, Most: 20, Eval: func(_ *sql.Execution, args []sql.Value) (sql.Value, error) { return extreme(args, 1), nil }}
	list["least"] = &sql.Function{Least: 2, Most: 20, Eval: func(_ *sql.Execution, args []sql.Value) (sql.Value, error) { return extreme(args, -1), nil }}
	list["concat"] = &sql.Function{Least: 1, Most: 20, Eval: concat}
	list["ifnull"] = &sql.Function{Least: 2, Most: 2, Eval: ifNull}
	list["get_lock"] = &sql.Function{Least: 2, Most: 2, Eval: getLock, Effect: true}
	list["release_lock"] = &sql.Function{Least: 1, Most: 1, Eval: releaseLock, Effect: true}
	list["is_free_lock"] = &sql.Function{Least: 1, Most: 1, Eval: isFreeLock, Effect: true}
	list["is_used_lock"] = &sql.Function{Least: 1, Most: 1, Eval: isUsedLock, Effect: true}
	list["release_all_locks"] = &sql.Function{Eval: releaseAllLocks, Effect: true}
	list["sleep"] = &sql.Function{Least: 1, Most: 1, Eval: sleep, Effect: true}
	return list
}

// folding is how texts are compared.
var folding = sql.Collation(folded)

// synonyms are other names of functions.
var synonyms = map[string]string{
	"current_timestamp": "now", "localtimestamp": "now", "localtime": "now", "utc_timestamp": "now",
	"schema": "database", "adddate": "date_add", "subdate": "date_sub", "lcase": "lower", "ucase": "upper",
}

// calls are the parsers of calls whose arguments have a special syntax.
var calls = map[string]func(*sql.Parser, sql.Token) sql.Expr{
	"date_add": func(p *sql.Parser, _ sql.Token) sql.Expr { return shifted(p, "+") },
	"date_sub": func(p *sql.Parser, _ sql.Token) sql.Expr { return shifted(p, "-") },
	"values":   func(p *sql.Parser, _ sql.Token) sql.Expr { return &sql.ColumnRef{Name: p.Name(), Inserted: true} },
	"timestampdiff": func(p *sql.Parser, t sql.Token) sql.Expr {
		unit := &sql.Literal{Value: sql.IntValue(p.Unit().Microseconds())}
		p.WantSymbol(",")
		return p.Call(t, "timestampdiff", append([]sql.Expr{unit}, p.Exprs()...))
	},
}

// shifted reads a moment and an interval by which it is moved.
func shifted(p *sql.Parser, op string) sql.Expr {
	x := p.Expr()
	p.WantSymbol(",")
	return p.Shift(op, x)
}

// momentOf returns a time by the server's clock: of NOW() when the statement began, of SYSDATE() the present one.
func momentOf(t time.Time, args []sql.Value) (sql.Value, error) {
	decimals := int64(0)
	if len(args) > 0 {
		decimals = args[0].Integer()
	}
	if decimals < 0 || decimals > 6 {
		return sql.Value{}, fail(1426, "42000", "Too big precision %d specified for 'now'. Maximum is 6", decimals)
	}
	return sql.MomentValue(t, int(decimals)), nil
}

func unixTimestamp(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	var t sql.Value
	if len(args) == 0 {
		t = sql.MomentValue(x.Began(), 0)
	} else if t = args[0]; t.Kind == sql.Text {
		t = sql.ParseMoment(t.Text)
	}
	switch {
	case t.Kind != sql.Moment:
		return sql.Value{}, nil
	case t.Decimals > 0:
		return sql.Value{Kind: sql.Float, Float: float64(t.Int) / 1e6}, nil
	}
	return sql.IntValue(t.Int / 1e6), nil
}

func lastInsertID(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	if len(args) > 0 {
		x.Session().LastInsertID = args[0].Integer()
		x.InsertID = args[0].Integer()
		return args[0], nil
	}
	return sql.IntValue(x.Session().LastInsertID), nil
}

func timestampDiff(_ *sql.Execution, args []sql.Value) (sql.Value, error) {
	for i := range args[1:] {
		if args[1+i].Kind == sql.Text {
			args[1+i] = sql.ParseMoment(args[1+i].Text)
		}
	}
	if args[1].Kind != sql.Moment || args[2].Kind != sql.Moment {
		return sql.Value{}, nil
	}
	return sql.IntValue((args[2].Int - args[1].Int) / args[0].Int), nil
}

func ifFunction(_ *sql.Execution, args []sql.Value) (sql.Value, error) {
	if args[0].IsTrue() {
		return args[1], nil
	}
	return args[2], nil
}

// extreme returns the largest of values, or the smallest if sign is -1.
func extreme(args []sql.Value, sign int) sql.Value {
	best := args[0]
	for _, v := range args {
		if v.Kind == sql.Null || best.Kind == sql.Null {
			return sql.Value{}
		}
		if folding.Compare(v, best)*sign > 0 {
			best = v
		}
	}
	return best
}

func ifNull(_ *sql.Execution, args []sql.Value) (sql.Value, error) {
	if args[0].Kind == sql.Null {
		return args[1], nil
	}
	return args[0], nil
}

func concat(_ *sql.Execution, args []sql.Value) (sql.Value, error) {
	var b strings.Builder
	for _, v := range args {
		if v.Kind == sql.Null {
			return sql.Value{}, nil
		}
		if b.WriteString(v.String()); b.Len() > maxPacket {
			return sql.Value{}, nil
		}
	}
	return sql.TextValue(b.String()), nil
}
