package model

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Violation is a property that was violated, and as what: as a fault of the
// lock, or as a limit of leases ([Verdict.Limit]). The two are different findings
// of one property. As text, in files for instance, a fault is the property's id,
// and a limit is that with " (limit)" behind it. The zero value is no violation.
type Violation struct {
	Property string
	Limit    bool
}

// limitMark is what the text of a limit ends with.
const limitMark = " (limit)"

// Violation is what the verdict says was violated, the zero value if nothing was.
func (v *Verdict) Violation() Violation {
	if v.Status != Violated {
		return Violation{}
	}
	return Violation{v.Property, v.Limit}
}

// Class is "fault" or "limit".
func (v Violation) Class() string {
	if v.Limit {
		return "limit"
	}
	return "fault"
}

func (v Violation) String() string {
	if v.Limit {
		return v.Property + limitMark
	}
	return v.Property
}

// Words name the violation in a sentence: "mutual-exclusion as a limit".
func (v Violation) Words() string { return v.Property + " as a " + v.Class() }

// Shown reports whether the list has the violation, or, of a limit, the fault of
// the same property: whoever still finds that has not got rid of the limit.
func (v Violation) Shown(list []Violation) bool {
	return slices.ContainsFunc(list, func(o Violation) bool { return o.Property == v.Property && (v.Limit || !o.Limit) })
}

// Violates reports whether the list has the property, as a fault or as a limit.
func Violates(list []Violation, property string) bool { return Violation{property, true}.Shown(list) }

// Compare orders violations by property, the fault first.
func (v Violation) Compare(o Violation) int {
	return cmp.Or(cmp.Compare(v.Property, o.Property), cmp.Compare(v.String(), o.String()))
}

// MarshalText is the violation as text.
func (v Violation) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a violation's text.
func (v *Violation) UnmarshalText(text []byte) error {
	property, limit := strings.CutSuffix(string(text), limitMark)
	if property == "" {
		return errors.New(`a violation without a property: want "mutual-exclusion" or "mutual-exclusion (limit)"`)
	}
	*v = Violation{property, limit}
	return nil
}
