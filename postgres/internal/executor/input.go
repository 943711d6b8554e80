package executor

import (
	"encoding/binary"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Input reads a value of any type in text format: also of an enumeration, or an object of the catalog by its name.
func Input(s Session, t types.OID, text string) (types.Value, error) {
	if t < types.FirstEnum && !isReg(t) && !isReg(types.ElemOf(t)) {
		return types.ParseText(t, -1, text)
	}
	a, _ := newAnalysis(s, nil)
	return a.input(t, -1, text)
}

// InputBinary is Input for the binary format.
func InputBinary(s Session, t types.OID, b []byte) (types.Value, error) {
	if t < types.FirstEnum && !isReg(t) {
		return types.ParseBinary(t, b)
	}
	a, _ := newAnalysis(s, nil)
	elem := types.ElemOf(t)
	switch {
	case types.IsEnum(t):
		return a.enumValue(t, string(b))
	case types.IsEnum(elem):
		return types.ParseArrayBinary(elem, b, func(item []byte) (types.Value, error) { return a.enumValue(elem, string(item)) })
	case isReg(t):
		if len(b) != 4 {
			return nil, pgerror.New(pgerror.ProtocolViolation, "insufficient data left in message")
		}
		return a.regOf(t, int64(binary.BigEndian.Uint32(b))), nil
	}
	return types.ParseBinary(t, b)
}

// TypeOf finds a type by its name.
func TypeOf(s Session, n syntax.TypeName) (types.OID, error) {
	a, _ := newAnalysis(s, nil)
	t, _, err := a.typeOf(n)
	return t, err
}
