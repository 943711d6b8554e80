package executor

import (
	"encoding/binary"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Version is the answer of version().
const Version = "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit"

// The functions of clocks, chance, settings and other sessions.
var _ = registerClocks() && registerChance() && registerSettings() && registerProcesses() && registerTransactions()

// constantFunction is a function without arguments.
func constantFunction(t types.OID, volatile bool, f func(e *env) types.Value) function {
	return function{result: t, volatile: volatile, call: func(e *env, _ []types.Value) (types.Value, error) { return f(e), nil }}
}

func registerClocks() bool {
	transaction := constantFunction(types.TimestamptzOID, false, func(e *env) types.Value { return e.session.TransactionTimestamp() })
	register("now", transaction)
	register("transaction_timestamp", transaction)
	register("statement_timestamp", constantFunction(types.TimestamptzOID, false, func(e *env) types.Value { return e.session.StatementTimestamp() }))
	return register("clock_timestamp", constantFunction(types.TimestamptzOID, true, func(e *env) types.Value { return e.session.ClockTimestamp() }))
}

func registerChance() bool {
	uuid := constantFunction(types.UUIDOID, true, func(e *env) types.Value {
		var u types.UUID
		binary.BigEndian.PutUint64(u[:8], e.session.Random())
		binary.BigEndian.PutUint64(u[8:], e.session.Random())
		u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
		return u
	})
	register("gen_random_uuid", uuid)
	register("uuid_generate_v4", uuid)
	return register("random", constantFunction(types.Float8OID, true, func(e *env) types.Value {
		return float64(e.session.Random()>>11) / (1 << 53)
	}))
}

func registerSettings() bool {
	current := func(e *env, args []types.Value) (types.Value, error) {
		name := args[0].(string)
		if v, ok := e.session.Setting(name); ok {
			return v, nil
		}
		if len(args) > 1 && args[1] == true {
			return nil, nil
		}
		return nil, pgerror.New(pgerror.UndefinedObject, "unrecognized configuration parameter %q", name)
	}
	register("current_setting",
		function{args: []types.OID{types.TextOID}, result: types.TextOID, call: current},
		function{args: []types.OID{types.TextOID, types.BoolOID}, result: types.TextOID, call: current})
	register("set_config", function{args: []types.OID{types.TextOID, types.TextOID, types.BoolOID}, result: types.TextOID, volatile: true, lax: true,
		call: func(e *env, args []types.Value) (types.Value, error) {
			name, ok := args[0].(string)
			if !ok {
				return nil, pgerror.New(pgerror.NullValueNotAllowed, "SET requires parameter name")
			}
			value, _ := args[1].(string)
			return e.session.Set(name, value, args[2] == true)
		}})
	register("version", constantFunction(types.TextOID, false, func(*env) types.Value { return Version }))
	register("current_database", constantFunction(types.NameOID, false, func(e *env) types.Value { return e.session.Database() }))
	return register("pg_is_in_recovery", constantFunction(types.BoolOID, true, func(e *env) types.Value { return e.session.InRecovery() }))
}

func registerProcesses() bool {
	register("pg_backend_pid", constantFunction(types.Int4OID, false, func(e *env) types.Value { return int64(e.backend.PID()) }))
	register("pg_blocking_pids", function{args: []types.OID{types.Int4OID}, result: types.Int4ArrayOID, volatile: true,
		call: func(e *env, args []types.Value) (types.Value, error) {
			list := types.Array{Elem: types.Int4OID}
			for _, pid := range e.session.BlockedBy(int32(args[0].(int64))) {
				list.Items = append(list.Items, int64(pid))
			}
			return list, nil
		}})
	signal := func(send func(Session, int32) (bool, error)) func(*env, []types.Value) (types.Value, error) {
		return func(e *env, args []types.Value) (types.Value, error) {
			pid := int32(args[0].(int64))
			found, err := send(e.session, pid)
			if err == nil && !found {
				e.backend.Client().Notice(pgerror.Warning("01000", "PID %d is not a PostgreSQL backend process", pid))
			}
			return found, err
		}
	}
	register("pg_terminate_backend",
		function{args: []types.OID{types.Int4OID}, result: types.BoolOID, volatile: true, call: signal(Session.Terminate)})
	register("pg_cancel_backend",
		function{args: []types.OID{types.Int4OID}, result: types.BoolOID, volatile: true, call: signal(Session.Cancel)})
	register("pg_notify", function{args: []types.OID{types.TextOID, types.TextOID}, result: types.VoidOID, volatile: true, lax: true,
		call: func(e *env, args []types.Value) (types.Value, error) {
			channel, _ := args[0].(string)
			payload, _ := args[1].(string)
			if e.session.InRecovery() {
				return nil, pgerror.New(pgerror.ReadOnlyTransaction, "cannot execute NOTIFY during recovery")
			}
			return "", e.session.Notify(channel, payload)
		}})
	register("pg_sleep", function{args: []types.OID{types.Float8OID}, result: types.VoidOID, volatile: true,
		call: func(e *env, args []types.Value) (types.Value, error) {
			return "", e.session.Sleep(time.Duration(args[0].(float64) * float64(time.Second)))
		}})
	return register("pg_sleep_for", function{args: []types.OID{types.IntervalOID}, result: types.VoidOID, volatile: true,
		call: func(e *env, args []types.Value) (types.Value, error) {
			i := args[0].(types.Interval)
			days := time.Duration(i.Days) + 30*time.Duration(i.Months)
			return "", e.session.Sleep(days*24*time.Hour + time.Duration(i.Micros)*time.Microsecond)
		}})
}

func registerTransactions() bool {
	id := func(t types.OID) function {
		return function{result: t, call: func(e *env, _ []types.Value) (types.Value, error) {
			if e.session.InRecovery() {
				return nil, pgerror.New(pgerror.ReadOnlyTransaction, "cannot assign TransactionIds during recovery")
			}
			return e.backend.Txn().ID(), nil
		}}
	}
	register("pg_current_xact_id", id(types.XID8OID))
	register("txid_current", id(types.Int8OID))
	assigned := func(t types.OID) function {
		return constantFunction(t, false, func(e *env) types.Value {
			if n := e.backend.Txn().CurrentID(); n != 0 {
				return n
			}
			return nil
		})
	}
	register("pg_current_xact_id_if_assigned", assigned(types.XID8OID))
	return register("txid_current_if_assigned", assigned(types.Int8OID))
}
