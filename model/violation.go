package model

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Violation is a property that was violated, either as a fault of the lock or as a
// limit of leases ([Verdict.Limit]). The two are different findings of one
// property. As text, a fault is the property's id, and a limit is the id followed
// by " (limit)". The zero value is no violation.
type Violation struct {
	Property string
	Limit    bool
}

// limitMark ends the text of a limit.
const limitMark = " (limit)"

// Violation returns the verdict's violation, the zero value if there is none.
func (v *Verdict) Violation() Violation {
	if v.Status != Violated {
		return Violation{}
	}
	return Violation{v.Property, v.Limit}
}

// Class returns "fault" or "limit".
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

// Words names the violation in a sentence: "mutual-exclusion as a limit".
func (v Violation) Words() string { return v.Property + " as a " + v.Class() }

// Shown reports whether the list has the violation or, for a limit, the fault of the
// same property, which is worse.
func (v Violation) Shown(list []Violation) bool {
	return slices.ContainsFunc(list, func(o Violation) bool { return o.Property == v.Property && (v.Limit || !o.Limit) })
}

// Violates reports whether the list has the property, as a fault or as a limit.
func Violates(list []Violation, property string) bool { return Violation{property, true}.Shown(list) }

// Compare orders violations by property, the fault first.
func (v Violation) Compare(o Violation) int {
	return cmp.Or(cmp.Compare(v.Property, o.Property), cmp.Compare(v.String(), o.String()))
}

// MarshalText returns the violation as text.
func (v Violation) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses a violation's text.
func (v *Violation) UnmarshalText(text []byte) error {
	property, limit := strings.CutSuffix(string(text), limitMark)
	if property == "" {
		return errors.New(`a violation without a property: want "mutual-exclusion" or "mutual-exclusion (limit)"`)
	}
	*v = Violation{property, limit}
	return nil
}
