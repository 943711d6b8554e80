package shards

import (
	"fmt"
	"slices"
)

// Setting is an input on which the result of a search depends, with its name for users.
type Setting struct{ Name, Value string }

// Differences returns the settings in which two searches differ: here and there are words for where they are. It is empty
// if they are the same.
func Differences(one, other []Setting, here, there string) (list []string) {
	value := func(of []Setting, name string) string {
		if i := slices.IndexFunc(of, func(s Setting) bool { return s.Name == name }); i >= 0 {
			return of[i].Value
		}
		return "unset"
	}
	names := func(of []Setting, seen func(string) bool) {
		for _, s := range of {
			if a, b := value(one, s.Name), value(other, s.Name); a != b && !seen(s.Name) {
				list = append(list, fmt.Sprintf("%s is %s %s and %s %s", s.Name, a, here, b, there))
			}
		}
	}
	names(one, func(string) bool { return false })
	names(other, func(name string) bool {
		return slices.ContainsFunc(one, func(s Setting) bool { return s.Name == name })
	})
	return list
}
