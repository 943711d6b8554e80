package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// valueFunction analyses CURRENT_TIMESTAMP and its kin.
func (s *scope) valueFunction(x *syntax.ValueFunction) (*value, error) {
	pos := x.Position()
	now := made(types.TimestamptzOID, pos, 1, func(e *env) (types.Value, error) { return e.session.TransactionTimestamp(), nil })
	name := func(f func(e *env) (types.Value, error)) *value { return made(types.NameOID, pos, 1, f) }
	switch x.Name {
	case "current_timestamp":
		return s.a.coerce(now, types.TimestamptzOID, int32(x.Precision), types.Explicit)
	case "localtimestamp":
		return s.a.coerce(now, types.TimestampOID, int32(x.Precision), types.Explicit)
	case "current_date":
		return s.a.coerce(now, types.DateOID, -1, types.Explicit)
	case "localtime":
		return s.a.coerce(now, types.TimeOID, int32(x.Precision), types.Explicit)
	case "current_user", "session_user", "user", "current_role":
		return name(func(e *env) (types.Value, error) { return e.session.User(), nil }), nil
	case "current_catalog":
		return name(func(e *env) (types.Value, error) { return e.session.Database(), nil }), nil
	case "current_schema":
		return name(currentSchema), nil
	}
	return nil, pgerror.Lacks("%s", x.Name).At(pos)
}

// currentSchema returns the first schema of the path that exists.
func currentSchema(e *env) (types.Value, error) {
	a, _ := newAnalysis(e.session, nil)
	if schema, err := a.creation(syntax.Name{}); err == nil {
		return schema, nil
	}
	return nil, nil
}
