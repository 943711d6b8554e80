package simmysql

import (
	"math"
	"strings"
	"time"
)

// function is a function of SQL. It gets the values of its arguments.
type function struct {
	least, most int // arguments
	eval        func(x *execution, args []value) (value, error)
	// waits is set if it may wait, or has an effect: it is evaluated once in a statement, and
	// not with rows of a table.
	waits bool
}

var functions map[string]function

func init() {
	functions = map[string]function{
		"now":            {0, 1, func(x *execution, args []value) (value, error) { return momentOf(x.began, args) }, false},
		"sysdate":        {0, 1, func(x *execution, args []value) (value, error) { return momentOf(x.session.node.now(), args) }, false},
		"unix_timestamp": {0, 1, unixTimestamp, false},
		"connection_id": {0, 0, func(x *execution, _ []value) (value, error) {
			return intValue(x.session.id), nil
		}, false},
		"last_insert_id": {0, 1, lastInsertID, false},
		"row_count": {0, 0, func(x *execution, _ []value) (value, error) {
			return intValue(x.session.rowCount), nil
		}, false},
		"database": {0, 0, func(x *execution, _ []value) (value, error) {
			if x.session.database == "" {
				return value{}, nil
			}
			return textValue(x.session.database), nil
		}, false},
		"version": {0, 0, func(x *execution, _ []value) (value, error) {
			return textValue(serverVersion), nil
		}, false},
		"user":              {0, 0, func(x *execution, _ []value) (value, error) { return textValue(x.session.user), nil }, false},
		"timestampdiff":     {3, 3, timestampDiff, false},
		"if":                {3, 3, ifFunction, false},
		"ifnull":            {2, 2, coalesce, false},
		"coalesce":          {1, 20, coalesce, false},
		"nullif":            {2, 2, nullIf, false},
		"greatest":          {2, 20, func(_ *execution, args []value) (value, error) { return extreme(args, 1), nil }, false},
		"least":             {2, 20, func(_ *execution, args []value) (value, error) { return extreme(args, -1), nil }, false},
		"concat":            {1, 20, concat, false},
		"lower":             {1, 1, onText(strings.ToLower), false},
		"upper":             {1, 1, onText(strings.ToUpper), false},
		"abs":               {1, 1, absolute, false},
		"get_lock":          {2, 2, (*execution).getLock, true},
		"release_lock":      {1, 1, (*execution).releaseLock, true},
		"is_free_lock":      {1, 1, (*execution).isFreeLock, true},
		"is_used_lock":      {1, 1, (*execution).isUsedLock, true},
		"release_all_locks": {0, 0, (*execution).releaseAllLocks, true},
		"sleep":             {1, 1, (*execution).sleep, true},
	}
}

// eval calls the function. One that waits or has an effect is called once in a statement.
func (f *call) eval(c *scope) (value, error) {
	if v, done := c.x.called[f]; done {
		return v, nil
	}
	var room [4]value
	args := room[:0]
	for _, a := range f.args {
		v, err := a.eval(c)
		if err != nil {
			return value{}, err
		}
		args = append(args, v)
	}
	v, err := functions[f.name].eval(c.x, args)
	if err == nil && functions[f.name].waits {
		if c.x.called == nil {
			c.x.called = map[*call]value{}
		}
		c.x.called[f] = v
	}
	return v, err
}

// momentOf is a time by the server's clock: of NOW() when the statement began, of SYSDATE() the present one.
func momentOf(t time.Time, args []value) (value, error) {
	decimals := int64(0)
	if len(args) > 0 {
		decimals = args[0].integer()
	}
	if decimals < 0 || decimals > 6 {
		return value{}, fail(1426, "42000", "Too big precision %d specified for 'now'. Maximum is 6", decimals)
	}
	return momentValue(t, int(decimals)), nil
}

func unixTimestamp(x *execution, args []value) (value, error) {
	t := momentValue(x.began, 0)
	if len(args) > 0 {
		if t = args[0]; t.kind == text {
			t = parseMoment(t.s)
		}
	}
	switch {
	case t.kind != moment:
		return value{}, nil
	case t.decimals > 0:
		return value{kind: float, f: float64(t.i) / 1e6}, nil
	}
	return intValue(t.i / 1e6), nil
}

func lastInsertID(x *execution, args []value) (value, error) {
	if len(args) > 0 {
		x.session.lastInsertID = args[0].integer()
		x.insertID = args[0].integer()
		return args[0], nil
	}
	return intValue(x.session.lastInsertID), nil
}

func timestampDiff(_ *execution, args []value) (value, error) {
	for i := range args[1:] {
		if args[1+i].kind == text {
			args[1+i] = parseMoment(args[1+i].s)
		}
	}
	unit := units[args[0].s]
	if args[1].kind != moment || args[2].kind != moment {
		return value{}, nil
	}
	return intValue((args[2].i - args[1].i) / unit.Microseconds()), nil
}

func ifFunction(_ *execution, args []value) (value, error) {
	if args[0].isTrue() {
		return args[1], nil
	}
	return args[2], nil
}

func coalesce(_ *execution, args []value) (value, error) {
	for _, v := range args {
		if v.kind != null {
			return v, nil
		}
	}
	return value{}, nil
}

func nullIf(_ *execution, args []value) (value, error) {
	if args[0].kind != null && args[1].kind != null && compare(args[0], args[1]) == 0 {
		return value{}, nil
	}
	return args[0], nil
}

// extreme is the largest of values, or the smallest if sign is -1.
func extreme(args []value, sign int) value {
	best := args[0]
	for _, v := range args {
		if v.kind == null || best.kind == null {
			return value{}
		}
		if compare(v, best)*sign > 0 {
			best = v
		}
	}
	return best
}

func concat(_ *execution, args []value) (value, error) {
	var b strings.Builder
	for _, v := range args {
		if v.kind == null {
			return value{}, nil
		}
		if b.WriteString(v.String()); b.Len() > maxPacket {
			return value{}, nil
		}
	}
	return textValue(b.String()), nil
}

func onText(f func(string) string) func(*execution, []value) (value, error) {
	return func(_ *execution, args []value) (value, error) {
		if args[0].kind == null {
			return value{}, nil
		}
		return textValue(f(args[0].String())), nil
	}
}

func absolute(_ *execution, args []value) (value, error) {
	switch v := args[0]; v.kind {
	case null:
		return v, nil
	case integer:
		if v.i < 0 {
			return wholeNumbers("-", 0, v.i)
		}
		return v, nil
	default:
		return value{kind: float, f: math.Abs(v.number())}, nil
	}
}

// seconds is a number of seconds as a duration, at most a year.
func seconds(n float64) time.Duration {
	const year = 365 * 24 * 3600
	return time.Duration(min(max(n, 0), year) * float64(time.Second))
}
