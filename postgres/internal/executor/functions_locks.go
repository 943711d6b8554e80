package executor

import (
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// The functions of advisory locks: each with one number of 64 bits as the key, or two of 32.
var _ = func() bool {
	for _, name := range []string{"pg_advisory_lock", "pg_advisory_xact_lock", "pg_try_advisory_lock", "pg_try_advisory_xact_lock"} {
		registerAdvisory(name, true, lockAdvisory(name, true))
		registerAdvisory(name+"_shared", true, lockAdvisory(name, false))
	}
	registerAdvisory("pg_advisory_unlock", false, unlockAdvisory(true))
	registerAdvisory("pg_advisory_unlock_shared", false, unlockAdvisory(false))
	return register("pg_advisory_unlock_all", function{result: types.VoidOID, volatile: true, call: func(e *env, _ []types.Value) (types.Value, error) {
		e.backend.AdvisoryUnlockAll()
		return "", nil
	}})
}()

// registerAdvisory registers both forms of a function.
func registerAdvisory(name string, locks bool, f func(*env, storage.AdvisoryKey) (types.Value, error)) {
	result := types.BoolOID
	if locks && !strings.HasPrefix(name, "pg_try") {
		result = types.VoidOID
	}
	register(name,
		function{args: []types.OID{types.Int8OID}, result: result, volatile: true, call: func(e *env, args []types.Value) (types.Value, error) {
			return f(e, storage.Key64(args[0].(int64)))
		}},
		function{args: []types.OID{types.Int4OID, types.Int4OID}, result: result, volatile: true, call: func(e *env, args []types.Value) (types.Value, error) {
			return f(e, storage.Key32(int32(args[0].(int64)), int32(args[1].(int64))))
		}})
}

// lockAdvisory is a function that locks.
func lockAdvisory(name string, exclusive bool) func(*env, storage.AdvisoryKey) (types.Value, error) {
	try, transaction := strings.HasPrefix(name, "pg_try"), strings.Contains(name, "_xact")
	return func(e *env, key storage.AdvisoryKey) (types.Value, error) {
		got, err := e.backend.AdvisoryLock(key, exclusive, transaction, try)
		if err != nil {
			return nil, err
		}
		if try {
			return got, nil
		}
		return "", nil
	}
}

// unlockAdvisory is a function that gives a lock up.
func unlockAdvisory(exclusive bool) func(*env, storage.AdvisoryKey) (types.Value, error) {
	return func(e *env, key storage.AdvisoryKey) (types.Value, error) {
		return e.backend.AdvisoryUnlock(key, exclusive), nil
	}
}
