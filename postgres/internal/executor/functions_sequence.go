package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// The functions of sequences.
var _ = registerSequences()

func registerSequences() bool {
	class := []types.OID{types.RegclassOID}
	register("nextval", function{args: class, result: types.Int8OID, volatile: true, call: func(e *env, args []types.Value) (types.Value, error) {
		q, err := e.sequence(args[0], "nextval")
		if err != nil {
			return nil, err
		}
		return number(e.backend.NextValue(q))
	}})
	register("currval", function{args: class, result: types.Int8OID, volatile: true, call: func(e *env, args []types.Value) (types.Value, error) {
		q, err := e.sequence(args[0], "")
		if err != nil {
			return nil, err
		}
		return number(e.backend.CurrentValue(q))
	}})
	register("lastval", function{result: types.Int8OID, volatile: true, call: func(e *env, _ []types.Value) (types.Value, error) {
		return number(e.backend.LastValue())
	}})
	set := func(e *env, args []types.Value) (types.Value, error) {
		q, err := e.sequence(args[0], "setval")
		if err != nil {
			return nil, err
		}
		called := len(args) < 3 || args[2] == true
		return args[1], e.backend.SetValue(q, args[1].(int64), called)
	}
	register("setval",
		function{args: []types.OID{types.RegclassOID, types.Int8OID}, result: types.Int8OID, volatile: true, call: set},
		function{args: []types.OID{types.RegclassOID, types.Int8OID, types.BoolOID}, result: types.Int8OID, volatile: true, call: set})
	return register("pg_get_serial_sequence", function{args: []types.OID{types.TextOID, types.TextOID}, result: types.TextOID, call: serialSequence})
}

func number(n int64, err error) (types.Value, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// sequence finds the sequence that a regclass means. A function that changes it is refused in a read-only transaction.
func (e *env) sequence(x types.Value, change string) (*storage.Sequence, error) {
	r := x.(types.Reg)
	for _, q := range e.backend.Sequences() {
		if int64(q.OID) == r.OID {
			if change != "" && (e.backend.Txn().ReadOnly || e.session.InRecovery()) {
				return nil, pgerror.New(pgerror.ReadOnlyTransaction, "cannot execute %s() in a read-only transaction", change)
			}
			return q, nil
		}
	}
	return nil, pgerror.New(pgerror.WrongObjectType, "%q is not a sequence", r.Name)
}

// serialSequence is pg_get_serial_sequence.
func serialSequence(e *env, args []types.Value) (types.Value, error) {
	a, _ := newAnalysis(e.session, nil)
	name, err := splitName(args[0].(string))
	if err != nil {
		return nil, err
	}
	t := a.lookup(name)
	if t == nil {
		return nil, pgerror.New(pgerror.UndefinedTable, "relation \"%s\" does not exist", name)
	}
	for _, c := range t.Columns {
		if c.Dropped || c.Name != args[1].(string) {
			continue
		}
		if q := infoOf(c).Sequence; q != (syntax.Name{}) {
			return quoteName(q.Schema) + "." + quoteName(q.Name), nil
		}
		return nil, nil
	}
	return nil, pgerror.New(pgerror.UndefinedColumn, "column %q of relation %q does not exist", args[1], t.Name)
}
